"""Faults that scripts inject: exceptions, delays, and other results."""

from __future__ import annotations

import time

import pytest

from tests.events.conftest import Scripted, notes, said

VERIFIED = ("-Xverify:all", "-Xlog:verification=off")


def told(scripted: Scripted, script: str) -> dict[str, str]:
    """Runs the program with a script; returns the outcome of each of its calls."""
    result = scripted(script, "Faults", options=VERIFIED)
    assert (result.status, result.stderr) == (0, ""), result.stderr
    assert notes(result) == []
    return dict(line.split(" ", 1) for line in result.stdout.splitlines())


@pytest.mark.core
def test_methods_throw(scripted: Scripted) -> None:
    found = told(
        scripted,
        """
agent.insert.throws("Faults::number", "java.lang.IllegalStateException", message="no stock", when="arg0 > 5 && this.state == 'new'")
agent.insert.throws("Faults::text", "Faults$Open", when="arg0 == null")
agent.insert.throws("Faults::<init>(int)", "java.lang.OutOfMemoryError", when="arg0 == 7")
agent.insert.throws("Faults::{nothing,list}", "java.sql.SQLException")
""",
    )
    assert found["number"], found["number9"] == ("5", "java.lang.IllegalStateException: no stock at number")
    assert (found["text"], found["textnull"]) == ("own", "Faults$Open at text")
    assert found["size"] == "java.lang.OutOfMemoryError at <init>"
    assert found["nothing"] == "java.sql.SQLException at nothing"
    assert found["list"] == "java.sql.SQLException at list"


def test_methods_return_something_else(scripted: Scripted) -> None:
    values = {
        "number": -70000,
        "wide": 1 << 40,
        "real": 2.5,
        "truth": False,
        "letter": "z",
        "small": -3,
        "single": 0.5,
        "text": "other",
        "boxed": 12,
        "any": 7,
        "list": None,
        "nothing": None,
    }
    found = told(
        scripted, "".join(f'agent.insert.returns("Faults::{name}", {value!r})\n' for name, value in values.items())
    )
    as_java = {"truth": "false", "list": "null", "nothing": "null"}
    assert {name: found[name] for name in values} == {
        name: as_java.get(name, str(value)) for name, value in values.items()
    }


def test_methods_wait(scripted: Scripted) -> None:
    """An interrupt ends it, and is left to the program."""
    begin = time.monotonic()
    found = told(
        scripted,
        'agent.insert.delays("Faults::{wide,real}", 30_000, when="arg0 == 1")\nagent.insert.delays("Faults::truth", 700)',
    )
    assert time.monotonic() - begin > 0.7
    assert (found["wide"], found["truth"], found["interrupted"]) == ("5", "true", "true false")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ('throws("Faults::any", "java.lang.String")', "java.lang.String is no exception: <init>()V"),
        ('throws("Faults::any", "Faults$Broken", message="x")', "Faults$Broken is not public"),
        ('throws("Faults::any", "nowhere.Broken")', "nowhere.Broken is not found by its class loader"),
        ('throws("Faults::any", "java.lang.Error", when="result == 3")', "`result == 3` compares more than arguments"),
        ('throws("Faults::wide", "java.lang.Error", when="arg3 == 3")', "has no argument arg3"),
        ('returns("Faults::number", "text")', "it returns int, and 'text' is none"),
        ('returns("Faults::small", 200)', "it returns byte, and 200 is none"),
        ('returns("Faults::list", "text")', "it returns List, and 'text' is none"),
        ('returns("Faults::<init>(int)", None)', "a constructor cannot return"),
    ],
)
def test_what_does_not_fit_is_left_out(scripted: Scripted, call: str, why: str) -> None:
    result = scripted(f"agent.insert.{call}", "Faults", options=VERIFIED)
    assert "any any" in result.stdout.splitlines()
    assert any(why in note for note in notes(result)), notes(result)


@pytest.mark.parametrize(
    "call",
    [
        'throws("Faults::any", "no class")',
        'throws("Faults::any", "java.lang.Error", when="arg0 >")',
        'delays("Faults::any", -1)',
        'delays("Faults::any", 1.5)',
        'returns("Faults::any", [])',
    ],
)
def test_mistakes_are_told_at_once(scripted: Scripted, call: str) -> None:
    result = scripted(f"try: agent.insert.{call}\nexcept ValueError as e: print('refused', e)", "Faults")
    assert len(said(result, "refused")) == 1


def test_faults_come_and_go(scripted: Scripted) -> None:
    """Another one is added to a class that is loaded, and removed again."""
    result = scripted(
        """
wide = agent.insert.returns("Faults::wide", 6)
calls = 0
@agent.on.method_entry("Faults::all", sync=True)
def all(e):
    global calls, truth
    calls += 1
    if calls == 3:
        wide.remove()
        truth = agent.insert.returns("Faults::truth", False)
    if calls == 15: truth.remove()
""",
        "Faults",
        "30",
        options=VERIFIED,
    )
    assert notes(result) == []
    wide, truth = said(result, "wide"), said(result, "truth")
    assert (wide, truth) == (sorted(wide, reverse=True), truth), (wide, truth)
    assert (wide[0], wide[-1], "false" in truth) == ("6", "5", True)
