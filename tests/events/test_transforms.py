"""Transformers: bytes in, bytes out, after our own probes are in; what is wrong leaves the class as it was."""

from __future__ import annotations

from tests.events.conftest import Scripted, notes, said


def test_a_class_is_changed_and_counted(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.transform("Shop")
def louder(cls):
    print("class", cls.name, cls.reader().super_name, b"ClasshookTracker" in cls.data)
    return cls.data.replace(b"hello ", b"HELLO ")

@agent.transform("Sho*")
def again(cls):
    if cls.name == "Shop": return bytearray(cls.data.replace(b"HELLO ", b"Hello "))

@agent.transform("**")
def all(cls): print("jdk" if cls.name.startswith("java.lang.") else "other", cls.name)
""",
        "Shop", "4",
        rules=("count Shop::greet",),
    )  # fmt: skip
    assert said(result, "class") == ["Shop java/lang/Object True"]
    assert "Hello w\u00f6rld 3 1 5" in result.stdout
    assert "Shop$Order" in said(result, "other")
    assert said(result, "jdk") == []
    assert result.method("Shop::greet")["calls"] == 3
    assert notes(result) == []


def test_what_is_no_class_is_refused(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.transform("Shop")
def text(cls): return "text"
@agent.transform("Shop")
def damaged(cls): return cls.data[:-7]
@agent.transform("Shop")
def another(cls): return cls.data.replace(b"Shop", b"Shot")
@agent.transform("Shop")
def raises(cls): return cls.missing
@agent.transform("Shop", timeout=0.2)
def endless(cls):
    while True: pass
""",
        "Shop", "4",
    )  # fmt: skip
    assert (result.status, "hello w\u00f6rld 3 1 5" in result.stdout) == (0, True)
    found = "\n".join(notes(result))
    for expected in (
        "`text` (handlers.py:4) raised an exception: TypeError: a transformer returns bytes or None, not str",
        "ClassFormatError", "ValueError: a transformer of Shop returned the class Shot", "no attribute 'missing'", "HandlerTimeout",
    ):  # fmt: skip
        assert expected in found
