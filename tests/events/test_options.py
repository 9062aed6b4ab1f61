"""Options of scripts, several scripts in one JVM, and what a script learns of the versions around it."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.conftest import EACH, ENVIRONMENT, Jvm, Result, classhook_command, execute
from tests.events.conftest import HEAD, Scripted, said

pytestmark = pytest.mark.any_jvm  # what C and Python do with it is the same on each; a test shows that

TELLS = HEAD + "import json, sys\nprint('told', json.dumps([dict(agent.options), agent.options.text, sys.argv[1:]]))\n"
COUNTS = """
calls = 0

@agent.on.method_entry("Shop::place(..)", sync=True)
def placed(e):
    global calls
    calls += 1

@agent.command("NAME")
def command(): return calls

@agent.on.end
def end(e): print("NAME", calls)
"""


def run(jvm: Jvm, classes: Path, tmp_path: Path, *agents: str, words: tuple[str, ...] = ("Shop", "4")) -> Result:
    given = [word for agent in agents for word in ("--agent", agent)]
    line = [
        *classhook_command(),
        "run",
        "--quiet",
        *given,
        "-o",
        tmp_path / "data",
        "--no-cache",
        "--",
        jvm.java,
        "-cp",
        classes,
        *words,
    ]
    return execute(line)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, []),
        ("=a=b,c", {"a": "b", "c": ""}, ["a=b", "c"]),
        ("=a=b=c,%41 d", {"a": "b=c", "%41 d": ""}, ["a=b=c", "%41 d"]),
        ("=,x,", {"x": ""}, ["x"]),
        ("=", {}, []),
    ],
)
def test_options(jvm: Jvm, classes: Path, tmp_path: Path, text: str, options: dict[str, str], words: list[str]) -> None:
    (tmp_path / "tells.py").write_text(TELLS)
    result = run(jvm, classes, tmp_path, f"{tmp_path}/tells.py{text}")
    assert [json.loads(line) for line in said(result, "told")] == [[options, text[1:], words]], result.stderr


def test_a_path_with_an_equals_sign(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    (tmp_path / "a=b" / "tells.py").write_text(TELLS)
    result = run(jvm, classes, tmp_path, f"{tmp_path}/a=b/tells.py=c=d")
    assert [json.loads(line)[0] for line in said(result, "told")] == [{"c": "d"}], result.stderr


def test_the_agents_own_option(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    (tmp_path / "tells.py").write_text(TELLS)
    library = subprocess.run(
        [*classhook_command(), "self", "agent"], capture_output=True, text=True, env=ENVIRONMENT, check=True
    ).stdout.strip()
    script = f"script={tmp_path}/tells.py"
    result = execute(
        [jvm.java, f"-agentpath:{library}={script}=a=b%2Cc,{script},data={tmp_path}/data", "-cp", classes, "Shop", "4"]
    )
    assert [json.loads(line)[0] for line in said(result, "told")] == [{"a": "b", "c": ""}, {}], result.stderr


def test_several_scripts(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(HEAD + COUNTS.replace("NAME", name))
    result = run(jvm, classes, tmp_path, f"{tmp_path}/first.py", f"{tmp_path}/second.py")
    assert (result.status, result.stderr) == (0, "")
    assert (said(result, "first"), said(result, "second")) == (["4"], ["4"])


def test_what_is_wrong_with_one_of_several(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(HEAD + COUNTS)
    (tmp_path / "same.py").write_text(HEAD + COUNTS)
    result = run(jvm, classes, tmp_path, f"{tmp_path}/good.py", f"{tmp_path}/same.py")
    assert f"{tmp_path}/same.py:11: ValueError: {tmp_path}/good.py has the command `NAME` already" in result.stderr
    assert "hello w\u00f6rld" in result.stdout
    result = run(jvm, classes, tmp_path, f"{tmp_path}/good.py", f"{tmp_path}/missing.py=a")
    assert (result.status, result.stderr) == (2, f"classhook: {tmp_path}/missing.py: no such script\n")


@EACH
def test_versions(scripted: Scripted, jvm: Jvm) -> None:
    result = scripted("import json; print('versions', json.dumps(agent.versions._asdict()))", "Shop", "1")
    (line,) = said(result, "versions")
    found = json.loads(line)
    said_by_java = subprocess.run(
        [jvm.java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, env=ENVIRONMENT
    ).stderr
    of_java = dict(line.strip().split(" = ", 1) for line in said_by_java.splitlines() if " = " in line.strip())
    assert (found["jvm"], found["name"]) == (of_java["java.vm.version"], of_java["java.vm.name"])
    assert (found["java"], found["classhook"]) == (int(of_java["java.specification.version"]), version("classhook"))
    assert found["jvmti"].split(".")[0] == of_java["java.specification.version"]


def test_a_handler_of_the_end_may_take_long(scripted: Scripted) -> None:
    result = scripted(
        """
import time
def busy(e, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until: pass
    print("done", e.kind, seconds)

@agent.on.end(timeout=20)
def patient(e): busy(e, 6)

@agent.on.end(timeout=0)
def unlimited(e): busy(e, 6.5)

@agent.on.end(timeout=0.1)
def hasty(e): busy(e, 7)
""",
        "Shop",
        "1",
    )
    assert said(result, "done") == ["end 6", "end 6.5"]
    assert "the handler `hasty` (handlers.py:16) raised HandlerTimeout: it took too long" in result.stderr
