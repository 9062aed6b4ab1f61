"""Transformers: bytes in, bytes out, after our own probes are in; what is wrong leaves the class as it was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm
from tests.events.conftest import HEAD, Scripted, notes, report, said
from tests.live.conftest import classhook


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
        "Shop",
        "4",
        rules=("count Shop::greet",),
    )
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
        "Shop",
        "4",
    )
    assert (result.status, "hello w\u00f6rld 3 1 5" in result.stdout) == (0, True)
    found = "\n".join(notes(result))
    for expected in (
        "`text` (handlers.py:4) raised an exception: TypeError: a transformer returns bytes or None, not str",
        "ClassFormatError",
        "ValueError: a transformer of Shop returned the class Shot",
        "no attribute 'missing'",
        "HandlerTimeout",
    ):
        assert expected in found


#: Exchanges the first byte of that value in a method's code.
SPOILED = """
def spoiled(cls, name, was, by):
    method = next(m for m in cls.reader().methods if m.name == name)
    data = bytearray(cls.data)
    data[data.index(was, method.code_at + 14, method.code_end)] = by
    return bytes(data)
"""


def test_what_the_verifier_refuses_does_not_reach_the_program(scripted: Scripted) -> None:
    result = scripted(
        SPOILED
        + """
@agent.transform("Shop")
def wrong(cls): return spoiled(cls, "greet", 0xb0, 0xb1)
@agent.transform("Shop$Order")
def right(cls): return cls.data.replace(b"Order ", b"order ")
@agent.on.method_entry("Shop::greet")
def greeted(e): print("greeted", e.method)
""",
        "Shop",
        "4",
        rules=("count Shop::greet",),
    )
    assert (result.status, "hello w\u00f6rld 3 1 5" in result.stdout) == (0, True)
    assert "VerifyError" not in result.stdout
    (note,) = notes(result)
    assert note.startswith(
        "the transformer `wrong` (handlers.py:10): Shop runs unchanged, since the JVM refuses the transformed class:"
        " VerifyError: "
    )
    assert note.endswith("Method expects a return value: Shop.greet(Ljava/lang/String;)Ljava/lang/String; @18: return")
    assert note in result.stderr.replace("classhook: ", "")
    assert len(said(result, "greeted")) == 3
    assert result.method("Shop::greet")["calls"] == 3


def test_a_class_of_another_shape_is_defined_so(scripted: Scripted) -> None:
    """The JVM cannot exchange the flags of a class."""
    result = scripted(
        """
from classhook.agent.class_shape import fields
@agent.transform("Shop$Order")
def closed(cls):
    print("fields", *(f"{name.decode()}:{type.decode()}:{flags}" for name, type, flags in fields(cls.reader())))
    data, at = bytearray(cls.data), cls.reader().pool.end_at
    data[at + 1] |= 0x10
    return bytes(data)
@agent.on.method_entry("Shop::place", args=True, sync=True)
def placing(e):
    print("flags", e.args[0].cls)
""",
        "Shop",
        "4",
        rules=("count Shop$Order::*",),
    )
    assert (result.status, "hello w\u00f6rld 3 1 5" in result.stdout) == (0, True)
    assert len(said(result, "flags")) == 4
    assert said(result, "fields") == ["id:I:16 state:Ljava/lang/String;:16 prices:[D:16 next:LShop$Order;:0"]
    assert notes(result) == []


@pytest.mark.parametrize("refused", [False, True], ids=["right", "wrong"])
def test_a_class_that_is_loaded_is_changed_until_detaching(
    jvm: Jvm, classes: Path, tmp_path: Path, refused: bool
) -> None:
    """The program adds up what `deepOf` returns; 0 here, unless the JVM's verifier refuses that."""
    (tmp_path / "handlers.py").write_text(
        HEAD
        + SPOILED
        + f"""
@agent.transform("Abused")
def nothing(cls): return {'spoiled(cls, "work", 0xac, 0xb1)' if refused else 'spoiled(cls, "deepOf", 4, 3)'}
last = None
@agent.on.method_entry("Abused::work", args=True, sync=True)
def work(e):
    global last
    last = e.args[0]
@agent.command("last")
def said(): return last
"""
    )
    with subprocess.Popen(
        [jvm.java, "-cp", classes, "Abused", "load", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        pid = str(process.pid)
        assert (
            classhook("attach", "--now", pid, "--agent", tmp_path / "handlers.py", "-o", tmp_path / "data").status == 0
        )
        assert classhook("ctl", pid, "last").stdout == ("1\n" if refused else "0\n")
        assert classhook(*(["ctl", pid, "detach"] if refused else ["detach", pid])).status == 0
        out, _ = process.communicate("\n", timeout=PATIENCE)
    assert (process.returncode, out) == (0, "still working\n")
    found = [note for process in report(tmp_path / "data")["processes"] for note in process.get("notes", [])]
    assert (
        any("Abused runs unchanged, since the JVM refuses" in note and "VerifyError" in note for note in found)
        == refused
    )
