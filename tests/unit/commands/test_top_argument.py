"""The meaning of the argument of `classhook top`: the same, whatever files and JVMs exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.base.errors import UsageError
from classhook.commands import top
from classhook.live import jvms


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """In an empty folder, on a machine without JVMs: the names of those that are looked for."""
    names: list[str] = []

    def named(name: str) -> jvms.Jvm:
        names.append(name)
        raise UsageError(f"{name}: no such JVM")

    monkeypatch.setattr(jvms, "named", named)
    monkeypatch.chdir(tmp_path)
    return names


@pytest.mark.parametrize("what", ["./data", "/tmp", ".", "..", "sub/1-2.classhook", "1-2.classhook", "classhook-data"])
@pytest.mark.parametrize("exists", [True, False])
def test_data(asked: list[str], what: str, exists: bool) -> None:
    if exists:
        Path("sub").mkdir()
        if not Path(what).exists():
            Path(what).mkdir()
        assert top.where(what) == Path(what)
    elif not Path(what).exists():
        with pytest.raises(UsageError, match="no such file or directory"):
            top.where(what)
    assert asked == []


@pytest.mark.parametrize("what", ["4711", "data", "com.acme.Main", "app.jar"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_jvm(asked: list[str], what: str, exists: bool) -> None:
    if exists:
        Path(what).mkdir()
    with pytest.raises(UsageError) as error:
        top.where(what)
    assert asked == [what]
    assert str(error.value) == f"{what}: no such JVM" + f"; for the data of this name: classhook top ./{what}" * exists
