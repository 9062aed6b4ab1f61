"""The text of docs/reference/surface.txt, which `python -m tools.generated` writes: the names that versions 1.x keep, a
line for each. A test compares it with the product: what is gone breaks a promise, what is new has to be written."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import classhook
import classhook.measures.every  # registers the words of rules
from classhook.agent.agent import Agent
from classhook.agent.event_kinds import KINDS
from classhook.cli import parser_for
from classhook.commands.groups import COMMANDS, WITHIN
from classhook.reports.forms import CHANGES, COVERAGE, FORMS, TABLES, TREES
from classhook.rules.words import WORDS

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "reference" / "surface.txt"
#: By what a form shows: its command.
SHOWS = {TABLES: "report", TREES: "report", COVERAGE: "coverage", CHANGES: "diff"}
SCHEMA = TOP / "instrument" / "reports" / "schema.json"


def surface() -> list[str]:
    """All names, in the order of the file."""
    return sorted({*commands(), *rules(), *rows(), *python(), *scripts()})


def commands() -> Iterator[str]:
    """`command report`, `option report --top`, `form report html`."""
    yield from (f"form {SHOWS[form.shows]} {form.name}" for form in FORMS)
    lines = [(name,) for name in COMMANDS if name not in WITHIN]
    lines += [(name, within) for name, names in WITHIN.items() for within in names]
    for words in lines:
        yield from _command(" ".join(words), _parser(*words))


def _parser(*words: str) -> argparse.ArgumentParser:
    found = parser_for(*words)
    for word in words:
        found = _within(found)[word]
    return found


def _within(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands within a command."""
    return {
        name: one
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, one in action.choices.items()
    }


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"command {name}"
    for action in parser._actions:
        for option in action.option_strings:
            yield f"option {name} {option}"
        if "--format" in action.option_strings:
            yield from (f"form {name} {one}" for one in action.choices or ())
    for within, one in _within(parser).items():
        yield from _command(f"{name} {within}", one)


def rules() -> Iterator[str]:
    """`rule time`, `clause time tree`, `stock jdbc`."""
    for text, word in WORDS.items():
        if word.about:  # one that users write
            yield f"rule {text}"
            yield from (f"clause {text} {clause.word}" for clause in word.clauses)
    yield from (f"stock {file.stem}" for file in (TOP / "rules" / "stock").glob("*.rules"))


def rows() -> Iterator[str]:
    """The keys of the report as JSON: `json methods`, `row timed calls`."""
    schema = json.loads(SCHEMA.read_text())
    yield from (f"json {key}" for key in schema["properties"])
    for kind, one in schema["$defs"].items():
        yield from (f"row {kind} {key}" for key in one.get("properties", ()))


def python() -> Iterator[str]:
    """`python run(command)`, `python Result.rows`."""
    for name, module in classhook.PUBLIC.items():
        value = getattr(importlib.import_module(f"classhook.{module}"), name)
        yield from _signature(f"python {name}", value)
        if inspect.isclass(value):
            yield from _members(f"python {name}", value)


def scripts() -> Iterator[str]:
    """The names for scripts with handlers: `agent insert`, `agent every(seconds)`, `event method_exit value`."""
    yield from _members("agent", Agent, " ")
    for name, kind in KINDS.items():
        yield f"event {name}"
        yield from (f"event {name} {word}" for word in kind.words)


def _members(before: str, value: type, between: str = ".") -> Iterator[str]:
    own = {name for one in value.__mro__ if one.__module__.startswith("classhook.") for name in vars(one)}
    for name, member in inspect.getmembers(value):
        if name in own and not name.startswith("_"):
            yield from _signature(f"{before}{between}{name}", member)


def _signature(before: str, value: object) -> Iterator[str]:
    yield before
    if inspect.isfunction(value):
        names = [name for name in inspect.signature(value).parameters if name != "self" and name[0] != "_"]
        yield from (f"{before}({name})" for name in names)


def page() -> str:
    return "\n".join(surface()) + "\n"
