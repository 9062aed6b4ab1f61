"""Programs of others read HPROF's files: hprof-slurp, the readers of NetBeans and of jvmtool, and an analyser of the
text (reader.py)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm, classhook_command, execute, releases
from tests.extensions.hprof.conftest import held

READ = Path(__file__).parent / "java" / "Read.java"
KEPT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "classhook-test"  # what takes minutes to build
READERS = {"netbeans": (peers.NETBEANS_PROFILER,), "jvmtool": peers.HPROF_HEAP}


@pytest.fixture(scope="module", params=releases(17, 25), ids=lambda version: f"jdk{version}")
def whole(
    request: pytest.FixtureRequest, find_jvm: FindJvm, held_classes: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A file with traces, sites, times and the heap."""
    folder = tmp_path_factory.mktemp("whole")
    with held(find_jvm(request.param), held_classes, folder, "cpu=times,heap=all,format=b,depth=8,cutoff=0") as program:
        program.end()
    assert [path.name for path in folder.iterdir()] == ["java.hprof"], "the heap is in the file"
    return folder / "java.hprof"


def counts(program: Path, file: Path) -> dict[str, int]:
    """hprof-slurp's summary."""
    out = subprocess.run(
        [program, file], check=True, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT
    ).stdout
    found = {name: int(number) for name, number in re.findall(r"^(?:\.\.)?([\w ]+): (\d+)$", out, re.MULTILINE)}
    found["int[]"] = int(re.findall(r"\| +(\d+) +\| +\S+ +\| int\[\]", out)[0]) if "int[]" in out else 0
    traces = re.findall(r"^Stack trace \d+\n((?:  at .+\n)+)", out, re.MULTILINE)  # those of HotSpot's are of threads
    found["main"] = sum("Held.main (Held.java" in frames for frames in traces)
    return found


def ours(file: Path) -> dict[str, int]:
    """Objects by class, as `classhook heap` counts them."""
    listed = execute([*classhook_command(), "heap", file, "--top", "0"]).stdout
    return {
        name: int(count.replace(",", "")) for count, name in re.findall(r"% +([\d,]+) +(\S+)$", listed, re.MULTILINE)
    }


def test_hprof_slurp(whole: Path) -> None:
    try:
        slurp = peers.hprof_slurp(KEPT)
    except peers.Missing as missing:
        pytest.skip(str(missing))
    found = counts(slurp, whole)
    assert (found["Allocation sites"], found["CPU samples"], found["Control settings"]) == (1, 1, 1)
    assert found["Start threads"] >= 7
    assert found["End threads"] >= 2
    assert found["main"] > 0
    assert found["int[]"] == ours(whole)["int[]"] > 0


@pytest.mark.parametrize("name", READERS)
def test_netbeans_and_jvmtool(name: str, whole: Path, find_jvm: FindJvm, tmp_path: Path) -> None:
    try:
        jars = [peers.fetch(artifact, tmp_path / "jars") for artifact in READERS[name]]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    line = [find_jvm(17).java, "-Xmx512m", "-cp", ":".join(map(str, jars)), READ, whole]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    found = dict(text.rsplit(" ", 1) for text in done.stdout.splitlines())
    expected = ours(whole)
    assert (int(found["java.lang.String"]), int(found["int[]"])) == (expected["java.lang.String"], expected["int[]"])
    assert (found["kept"], found["classes"]) == ("int[][]", "1")
    assert int(found["roots"]) > 100
