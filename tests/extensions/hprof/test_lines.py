"""CPU SAMPLES by source lines: which they are is checked with javap, and where the time was spent with what
java/Lines.java takes there."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from tests.conftest import FindJvm, Jvm, classhook_command, execute, releases
from tests.extensions.hprof.conftest import compiled
from tests.extensions.hprof.reader import Text, read

pytestmark = pytest.mark.alone  # which lines the time was on depends on nobody else's taking it

SOURCE = Path(__file__).parent / "java" / "Lines.java"
UNIT = "150000000"
NATIVE = -3
STACK_FRAME = 0x04


@pytest.fixture(scope="module", params=releases(17, 25), ids=lambda version: f"jdk{version}")
def jvm(request: pytest.FixtureRequest, find_jvm: FindJvm) -> Jvm:
    return find_jvm(request.param)


@pytest.fixture(scope="module")
def classes(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(find_jvm(17), SOURCE, tmp_path_factory.mktemp("lines"))


def profiled(jvm: Jvm, classes: Path, file: Path, options: str) -> Path:
    command = [jvm.java, "-cp", classes, "Lines", UNIT]
    done = execute(
        [*classhook_command(), "hprof", f"cpu=samples,interval=2,cutoff=0,file={file},{options}", "--", *command]
    )
    assert done.status == 0, done.stderr
    return file


@pytest.fixture(scope="module")
def found(jvm: Jvm, classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Text:
    return read(profiled(jvm, classes, tmp_path_factory.mktemp("text") / "lines.txt", "depth=6").read_text())


@pytest.mark.any_jvm
def test_each_frame_has_its_source_and_a_line_that_javap_knows(found: Text, jvm: Jvm, classes: Path) -> None:
    frames = {
        frame
        for row in found.tables["CPU SAMPLES"]
        for frame in found.frames[int(row[4])]
        if not re.search(r"\$\$|LambdaForm", frame[0])
    }
    assert any(cls == "java.util.TreeMap" for cls, *_ in frames)
    names = sorted({cls for cls, *_ in frames})
    told = execute([jvm.tool("javap"), "-c", "-l", "-p", "-cp", classes, *names]).stdout.split("Compiled from ")[1:]
    lines = {
        cls: (one.split('"')[1], set(re.findall(r"^ +line (\d+):", one, re.MULTILINE)))
        for cls, one in zip(names, told, strict=True)  # javap shows them in the order in which they are given
    }
    for cls, method, source, line in frames:
        assert source, (cls, method)
        assert source == lines[cls][0]
        known = lines[cls][1] or {"Unknown line"}  # classes that the JDK's build made have none
        assert line == "Native method" or line in known, (cls, method, line)


def test_the_samples_are_on_the_lines_that_took_the_time(found: Text) -> None:
    text = SOURCE.read_text().splitlines()
    (last_of_first,) = [
        number + 1 for number, line in enumerate(text, 1) if line.endswith("// first")
    ]  # where the loop around it ends
    counts = {"first": 0, "second": 0}
    for row in found.tables["CPU SAMPLES"]:
        for _, method, _, line in found.frames[int(row[4])]:
            if method == "work":
                counts["first" if int(line) <= last_of_first else "second"] += int(row[3])
    assert 2 < counts["first"] / counts["second"] < 4.5, counts


def test_the_binary_form_has_lines_and_lineno_n_none(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    data = profiled(jvm, classes, tmp_path / "lines.hprof", "format=b,depth=6").read_bytes()
    at, lines = 31, set()
    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        if tag == STACK_FRAME:
            lines.add(struct.unpack_from(">i", data, at + 9 + 36)[0])
        at += 9 + length
    assert len(lines) > 3
    assert min(lines) >= NATIVE
    without = read(profiled(jvm, classes, tmp_path / "plain.txt", "lineno=n").read_text())
    assert {frame[3] for frames in without.frames.values() for frame in frames} == {"Unknown line"}
    assert all(frame[2] for frames in without.frames.values() for frame in frames), "the sources are there"
