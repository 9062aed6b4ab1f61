"""Rules that were parsed before are taken from the cache, and are the same; what does not fit is parsed again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.base.files import opened_folder
from classhook.rules import parse
from classhook.rules.compiled import dumps
from classhook.rules.errors import RuleError
from classhook.store.cache import parsed_rules as parsed

RULES = ["cover com.acme.** except com.acme.gen.** hits", "time java.util.List+::get(int) sample 1/20"]


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """count(): the number of times that rules were parsed."""
    calls: list[object] = []
    load = parse.load

    def counted(*given: object) -> object:
        calls.append(given)
        return load(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(parse, "load", counted)
    return lambda: len(calls)


def test_rules_are_parsed_once(tmp_path: Path, count: Callable[[], int]) -> None:
    file = tmp_path / "a.rules"
    file.write_text("count **::*\n")
    found = [parsed.load(tmp_path / "cache", [str(file)], RULES) for _ in range(3)]
    assert count() == 1
    assert {dumps(one) for one in found} == {dumps(parse.load([str(file)], RULES))}
    file.write_text("count **::get*\n")
    assert parsed.load(tmp_path / "cache", [str(file)], RULES).rules[0].text == "count **::get*"


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"classhook-rules 4 1\nend\t0\n"])
def test_what_is_damaged_is_parsed_again(damage: bytes, tmp_path: Path, count: Callable[[], int]) -> None:
    rules = parsed.load(tmp_path, [], RULES)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(damage)
    assert dumps(parsed.load(tmp_path, [], RULES)) == dumps(rules)
    assert dumps(parsed.load(tmp_path, [], RULES)) == dumps(rules)
    assert count() == 2  # and is whole again


def test_mistakes_are_told_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(RuleError, match="none: no such file"):
            parsed.load(tmp_path, [str(tmp_path / "none")], [])
        with pytest.raises(RuleError, match="-e:1:"):
            parsed.load(tmp_path, [], ["cover"])
    assert not list(tmp_path.iterdir())


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"count **::*")
    os.close(writing)
    assert len(parsed.load(tmp_path, [f"/dev/fd/{reading}"], [])) == 1
    os.close(reading)


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert len(parsed.load(tmp_path / "cache", [], RULES)) == 2


def test_the_oldest_go(tmp_path: Path) -> None:
    for number in range(5):
        parsed.load(tmp_path, [], [f"count a.B::c{number}"])
    with opened_folder(tmp_path) as folder:
        parsed.prune(folder, most=2)
    assert len(list(tmp_path.iterdir())) == 2


def test_only_the_measures_of_the_rules_are_imported(tmp_path: Path) -> None:
    parsed.load(tmp_path, [], ["count com.acme.**::*"])
    code = (
        "import sys; from pathlib import Path; from classhook.store.cache.parsed_rules import load;"
        f" load(Path({str(tmp_path)!r}), [], ['count com.acme.**::*']); print(*sys.modules)"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "classhook.measures.count" in modules
    assert not {"classhook.measures.watch", "classhook.measures.cover", "classhook.rules.parse", "lark"} & {*modules}
