"""Untrusted text (names in jars, paths, content of data files) cannot send control sequences to a terminal."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

import pytest

from classhook.native._layout import ffi
from tests.cli.conftest import Classhook

RULE = ("-e", "count **::*")
ESCAPE = "\x1b[31m"
SHOWN = r"\x1b[31m"


@pytest.mark.parametrize("command", [["weave", "-o", "out"], ["check"]])
def test_names_in_a_jar(classhook: Classhook, classes: Path, tmp_path: Path, command: list[str]) -> None:
    with zipfile.ZipFile(tmp_path / f"{ESCAPE}.jar", "w") as jar:
        jar.writestr(f"{ESCAPE}\nleft.class", b"\xca\xfe\xba\xbe and no more")
        jar.writestr("p/Work.class", (classes / "p" / "Work.class").read_bytes())
    done = classhook(*command, *RULE, f"{ESCAPE}.jar")
    assert done.status == 1
    said = done.out + done.err
    assert SHOWN + r"\nleft.class" in said
    assert "\x1b" not in said


def test_what_a_data_file_says(classhook: Classhook, data: Path) -> None:
    (file,) = data.glob("*.classhook")
    content = bytearray(file.read_bytes())
    for field in ("jvm", "command"):
        at = ffi.offsetof("struct ch_header", field)
        content[at : at + 8] = f"{ESCAPE}\n{field[0]}\0".encode()
    file.write_bytes(content)
    (data / f"{ESCAPE}.classhook").touch()
    for more in (), ("-f", "json"):
        done = classhook("report", *more, "data")
        assert done.status == 1
        assert f"{SHOWN}.classhook: empty" in done.out + done.err
        assert "\x1b" not in done.out + done.err
    assert rf"JVM {SHOWN}\nj" in classhook("report", "data").out


@pytest.mark.parametrize(
    "line",
    [
        ["report"],
        ["self", "agent"],
        ["check", *RULE],
        ["run", *RULE, "--"],
        ["self", "cache", "--cache"],
        ["check", "-r"],
    ],
)
def test_paths_and_arguments(classhook: Classhook, line: list[str]) -> None:
    done = classhook(*line, ESCAPE)
    assert done.status in (2, 127)
    assert SHOWN in done.err
    assert "\x1b" not in done.err


def test_all_is_said_in_one_place() -> None:
    for file in sorted((Path(__file__).parents[2] / "instrument").rglob("*.py")):
        calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
        raw = [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]
        assert not raw or file.name in ("terminal.py", "cli.py", "agent.py"), (
            file
        )  # a version; a path printed for use by a shell
