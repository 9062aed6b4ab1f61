"""The Tab key, in the shells that there are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from classhook.commands.self.completion import SHELLS
from tests.cli.conftest import Classhook
from tests.conftest import ENVIRONMENT


def complete(line: str, folder: Path) -> list[str]:
    """The words that fit behind this line."""
    found = folder / "found"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(found), "_ARGCOMPLETE_IFS": "\n"}
    env = {**ENVIRONMENT, **asked, "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    subprocess.run([sys.executable, "-m", "classhook.cli"], env=env, cwd=folder, check=True, capture_output=True)
    return [word.strip() for word in found.read_text().split("\n") if word.strip()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("classhook rep", ["report"]),
        ("classhook report --form", ["--format"]),
        ("classhook report -f flame", ["flamegraph"]),
        ("classhook run -r jd", ["jdbc"]),
        ("classhook rules jd", ["jdbc"]),
        ("classhook ctl 4711 ru", ["rules"]),
        ("classhook check -e 'count a.B::c' mine", ["mine.jar"]),
        ("classhook run -r mine", ["mine.rules"]),
        ("classhook c", ["check", "coverage", "ctl"]),
        ("classhook self ", ["agent", "cache", "completion", "doctor"]),
        ("classhook self cache --cl", ["--clear", "--clean"]),
        ("classhook self completion f", ["fish"]),
        ("classhook report --columns self,th", ["self,thrown"]),
        ("classhook report --sort p", ["p99"]),
        ("classhook heap --show histogram,dom", ["histogram,dominators"]),
        ("classhook hprof cpu=s", ["cpu=samples"]),
        ("classhook hprof cpu=samples,th", ["cpu=samples,thread=y"]),
        ("classhook sql dataset 'from ru", ["from runs"]),
        ("classhook ctl 4711 rules re", ["remove"]),
        ("classhook ctl 4711 rules add -r jd", ["jdbc"]),
    ],
)
def test_words(tmp_path: Path, line: str, words: list[str]) -> None:
    (tmp_path / "mine.jar").touch()
    (tmp_path / "mine.rules").touch()
    (tmp_path / "other.jar").touch()
    found = complete(line, tmp_path)
    assert set(words) <= set(found), found
    assert not [word for word in found if "other" in word]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_reads_the_script(classhook: Classhook, tmp_path: Path, shell: str) -> None:
    script = classhook("self", "completion", shell)
    assert (script.status, script.err) == (0, "")
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "script").write_text(script.out)
    subprocess.run([shell, "-n", tmp_path / "script"], check=True, timeout=60)


def test_bash_completes(classhook: Classhook, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    path = f"{Path(sys.executable).parent}{os.pathsep}{ENVIRONMENT['PATH']}"
    asked = """eval "$(classhook self completion bash)"
COMP_WORDS=(classhook cov) COMP_CWORD=1 COMP_LINE='classhook cov' COMP_POINT=13 COMP_TYPE=9
_python_argcomplete classhook cov classhook
echo "${COMPREPLY[@]}"
"""
    done = subprocess.run(
        [bash, "--norc", "-c", asked], env={**ENVIRONMENT, "PATH": path}, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("coverage", "")


def test_another_shell_is_refused(classhook: Classhook) -> None:
    done = classhook("self", "completion", "tcsh")
    assert done.status == 2
    assert "tcsh" in done.err
