"""Scripts in an editor: all names are there outside a JVM, with their types; they are what is there inside; and whoever
calls one is told."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from classhook import agent, jvmpi
from classhook.agent.event_kinds import CLASSES, KINDS, METHODS, TAGS
from classhook.agent.events import Events
from classhook.extensions.jvmpi import constants, event_fields
from classhook.extensions.jvmpi.event_records import Union
from classhook.extensions.jvmpi.events import EVENTS, NUMBER
from classhook.extensions.jvmpi.functions import FUNCTIONS, MORE
from tests.conftest import on
from tests.events.conftest import Scripted, said

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
CALLED = [one.name for one in FUNCTIONS + MORE if one.name != "NotifyEvent"]

WRONG = """
from classhook import jvmpi
from classhook.agent import Agent, Event

agent = Agent()


@agent.on.method_entry("a.B::c", args=True)  # needs sync=True
def entered(e: Event) -> None:
    print(e.arguments)  # no such attribute


@agent.on.method_enter("a.B::c")  # no such event
def left(e: Event) -> None:
    print(e.this.fields("name"))  # has no parameter


@agent.on.gc_start
def begun(e: str) -> None: ...  # is passed an event


def notify(event: jvmpi.Event) -> None:
    print(event.u.class_load.name, event.u.class_loads)  # two mistakes


jvmpi.NotifyEvents = notify  # no such name
jvmpi.EnableEvent("CLASS_LOAD")  # a number is expected
"""


def checked(*files: Path) -> list[str]:
    """Returns the messages of mypy --strict, but for the last line."""
    line = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        ROOT / "pyproject.toml",
        "--strict",
        "--explicit-package-bases",
        *files,
    ]
    done = subprocess.run(line, capture_output=True, text=True, cwd=EXAMPLES, timeout=400)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()[:-1]


def test_type_checkers_know_what_scripts_use(tmp_path: Path) -> None:
    """No mistake in the examples, and each one in a script that has some."""
    pytest.importorskip("mypy")
    scripts = [path for folder in ("agents", "demos", "jvmpi") for path in sorted((EXAMPLES / folder).glob("*.py"))]
    assert len(scripts) > 20
    (tmp_path / "wrong.py").write_text(WRONG)
    found = checked(*scripts, tmp_path / "wrong.py")
    lines = [n for n, line in enumerate(WRONG.splitlines(), 1) if "  # " in line]
    errors = [line for line in found if " error: " in line]
    assert all("wrong.py:" in line for line in errors), found
    assert sorted({int(line.split(":")[1]) for line in errors}) == sorted(
        {n if "passed" not in WRONG.splitlines()[n - 1] else n - 1 for n in lines}
    ), found
    assert sum("two mistakes" in WRONG.splitlines()[int(line.split(":")[1]) - 1] for line in errors) == 2


@pytest.mark.parametrize("name", CALLED)
def test_a_function_outside_a_jvm(name: str) -> None:
    function = getattr(jvmpi, name)
    assert function.__doc__, name
    arguments = [
        0 for _ in inspect.signature(function).parameters.values() if _.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    with pytest.raises(
        agent.OutsideJvm, match=f"^jvmpi.{name} works only inside a JVM: run the script with `classhook run --agent"
    ):
        function(*arguments)


def test_an_agent_outside_a_jvm() -> None:
    with pytest.raises(agent.OutsideJvm, match=r"^classhook.agent.Agent works only inside a JVM"):
        agent.Agent()
    with pytest.raises(agent.OutsideJvm):
        agent.Event().this  # noqa: B018
    with pytest.raises(AttributeError, match="JVMPI has no `EnableEvents`"):
        jvmpi.EnableEvents  # type: ignore[attr-defined]  # noqa: B018


INSIDE = """
import inspect, json
import classhook_events, classhook_jvmpi
from classhook import jvmpi
from classhook.agent import Event, Object
assert Event is classhook_events.Event and Object is classhook_events.Object
def shape(of):
    own = {name: getattr(of, name) for name in dir(of) if not name.startswith("_") or name in ("__len__", "__getitem__", "__bool__")}
    return {name: str(inspect.signature(it)) if callable(it) and name[0] != "_" else "" for name, it in own.items()}
print("types", json.dumps([shape(Event), shape(Object)]))
print("tables", json.dumps([dir(classhook_events), dir(classhook_jvmpi)]))
print("functions", json.dumps({name: str(inspect.signature(getattr(jvmpi, name))) for name in NAMES}))
print("constants", json.dumps({name: it for name, it in vars(jvmpi).items() if isinstance(it, int) and name[0] != "_"}))
methods = {name: it for name, it in vars(Agent).items() if callable(it) and name[0] != "_"}
print("agent", json.dumps({name: str(inspect.signature(it)) for name, it in methods.items()}))
"""


def parameters(of: str) -> list[str]:
    """The names in a signature, without types."""
    return [name for one in of.strip("()").split(",") if (name := one.split(":")[0].split("=")[0].strip()) != "/"]


def declared(of: type) -> dict[str, str]:
    own = {
        name: it
        for name, it in vars(of).items()
        if not name.startswith("_") or name in ("__len__", "__getitem__", "__bool__")
    }
    return {
        name: str(inspect.signature(it)).partition(" ->")[0] if inspect.isfunction(it) and name[0] != "_" else ""
        for name, it in own.items()
    }


@on(25)
def test_what_is_inside_a_jvm(scripted: Scripted) -> None:
    result = scripted(INSIDE.replace("NAMES", repr(CALLED)), "Shop", "1")
    assert (result.status, result.stderr) == (0, "")
    event, object_ = json.loads(said(result, "types")[0])
    for real, ours in ((event, declared(agent.Event)), (object_, declared(agent.Object))):
        assert real.keys() == ours.keys()
        assert {name: parameters(of) for name, of in real.items()} == {
            name: parameters(of) for name, of in ours.items()
        }
    functions = json.loads(said(result, "functions")[0])
    assert functions == {name: str(inspect.signature(getattr(jvmpi, name))) for name in CALLED}
    assert json.loads(said(result, "constants")[0]) == {
        name: it for name, it in vars(jvmpi).items() if isinstance(it, int) and name[0] != "_"
    }
    own = json.loads(said(result, "agent")[0])
    assert own == {name: str(inspect.signature(getattr(agent.Agent, name))) for name in own}
    tables = json.loads(said(result, "tables")[0])
    for folder, module, table in (("agent", "events", tables[0]), ("extensions/jvmpi", "jvmpi", tables[1])):
        used = asked_of(ROOT / "instrument" / folder, module)
        assert len(used) > 15
        assert used <= set(table), used - set(table)
        if module == "jvmpi":  # and nothing is there that nobody uses
            assert {name for name in table if name[0] != "_"} == used


def asked_of(folder: Path, module: str) -> set[str]:
    """Finds the names that a folder's modules use of one of the embedding library's modules."""
    found = set()
    for file in folder.glob("*.py"):
        tree = ast.parse(file.read_text())
        imports = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "classhook.base.embedded"
        ]
        names = {one.asname or one.name for node in imports for one in node.names if one.name == module}
        used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
        found |= {node.attr for node in used if isinstance(node.value, ast.Name) and node.value.id in names}
    return found


def test_constants_are_those_of_the_tables() -> None:
    numbers = {name.removeprefix("EVENT_"): it for name, it in vars(constants).items() if name.startswith("EVENT_")}
    assert numbers == NUMBER
    assert all(
        it == getattr(constants, f"JVMPI_{name}")
        for name, it in vars(constants).items()
        if name[0].isupper() and name[:6] != "JVMPI_"
    )


def test_what_events_carry_is_declared() -> None:
    """Each member of `event.u`, with the fields of the table; some have more, which the specification does not name."""
    members = get_type_hints(Union, vars(event_fields) | vars(jvmpi) | {"fields": event_fields})
    for kind in EVENTS:
        if kind.member and kind.comes != "never":
            fields = set(get_type_hints(members[kind.member], vars(event_fields) | vars(jvmpi) | IMPORTS)) | set(
                vars(members[kind.member])
            )
            assert set(kind.fields) <= fields, kind.name
    assert members.keys() == {kind.member for kind in EVENTS if kind.member and kind.comes != "never"}


def test_each_event_of_an_agent_has_its_options() -> None:
    for name, kind in KINDS.items():
        has = inspect.signature(getattr(Events, name)).parameters.keys()
        assert getattr(Events, name).__doc__
        assert ("pattern" in has) == (kind.subject in (CLASSES, METHODS)), name
        assert ("tagged" in has) == (kind.subject == TAGS), name
        assert ("over" in has) == kind.takes_time, name
        assert ("stack" in has) == kind.has_stack, name
        assert set(kind.words) <= has, name
        assert "timeout" in has, name


#: Names that only type checkers import.
IMPORTS = {"Iterable": list, "Iterator": list, "Callable": list}
