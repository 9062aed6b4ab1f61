"""Selected tests as text, for build tools, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from classhook.base.names import parameter_names, time_label
from classhook.extensions.selection.deciding import Kind, Selection
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.hierarchy import Hierarchy

#: The output that selects nothing: build tools run all tests if they are given no names.
NONE_SUREFIRE, NONE_BAZEL, NONE_JUNIT = "none/selected", "--test_filter=^$", "--select-package=none.selected"


@dataclass(frozen=True, slots=True)
class Shown:
    """The data that a form shows. `why`: with reasons; `complaints`: what is missing."""

    selection: Selection
    classes: dict[str, ClassFacts]
    why: bool = False


def summary(selection: Selection) -> str:
    """`412 of 3,180 selected: 38 changed themselves, 371 reach changed code, 3 always.`"""
    counts = {kind: selection.count(kind) for kind in Kind}
    words = {
        Kind.CHANGED: "changed themselves",
        Kind.REACHES: "reach changed code",
        Kind.READS: "read changed files",
        Kind.ALWAYS: "always",
        Kind.ANYTHING: "because anything may have changed",
    }
    parts = [f"{counts[kind]:,} {text}" for kind, text in words.items() if counts[kind]]
    said = f"{len(selection.reasons):,} of {len(selection.known):,} selected"
    return f"{said}: {', '.join(parts)}." if parts else f"{said}."


def text(shown: Shown) -> str:
    selection = shown.selection
    lines = [summary(selection)]
    spent, total = (sum(selection.known[name] for name in names) for names in (selection.reasons, selection.known))
    if spent:
        lines[0] += f" They took {time_label(spent).strip()} of {time_label(total).strip()}."
    lines += [f"all: {why}" for why in selection.anything]
    for name in selection.ordered():
        lines.append(f"  {name}: {selection.reasons[name].text}" if shown.why else f"  {name}")
    return "\n".join(lines) + "\n"


def by_class(selection: Selection) -> dict[str, list[str]]:
    """The methods of selected tests by class, in the order in which they should run."""
    found: dict[str, list[str]] = {}
    for name in selection.ordered():
        class_name, _, method = name.partition("#")
        found.setdefault(class_name, []).append(method)
    return found


def surefire(shown: Shown) -> str:
    """Lines for -Dsurefire.includesFile. Nested classes run with all of their outer class: Surefire finds tests by the
    outer class's file."""
    lines: dict[str, list[str]] = {}
    whole: set[str] = set()
    for class_name, methods in by_class(shown.selection).items():
        outer, _, inner = class_name.replace(".", "/").partition("$")
        if inner or not all(method.isidentifier() for method in methods):
            whole.add(outer)
        else:
            lines.setdefault(outer, []).extend(sorted(methods))
    said = [f"{name}\n{name}$*" for name in sorted(whole)]
    said += [f"{name}#{'+'.join(methods)}" for name, methods in sorted(lines.items()) if name not in whole]
    return "\n".join(said or [NONE_SUREFIRE]) + "\n"


def gradle(shown: Shown) -> str:
    """Arguments behind `gradle test`: `--tests com.acme.OrdersTest.places`; without any test, the task is left out."""
    said = []
    for class_name, methods in by_class(shown.selection).items():
        said += [f"--tests {class_name}.{_plain(method)}" if method else f"--tests {class_name}" for method in methods]
    return "\n".join(said or ["-x test"]) + "\n"


def _plain(method: str) -> str:
    """A method's name, with an asterisk for what a shell or Gradle would take for something else."""
    return "".join(char if char.isalnum() or char in "_$" else "*" for char in method)


def bazel(shown: Shown) -> str:
    """An argument of `bazel test`: a regular expression, which JUnit's runner there finds in CLASS#METHOD, and in
    CLASS#METHOD[PARAMETERS]."""
    said = []
    if shown.selection.reasons and not shown.selection.left_out:
        return "--test_filter=.\n"  # all of them, in fewer characters than a command line may have
    for class_name, methods in by_class(shown.selection).items():
        names = "|".join(re.escape(method) if method else ".*" for method in methods)
        said.append(f"{re.escape(class_name)}#({names})")
    return f"--test_filter=^({'|'.join(said)})($|\\[)\n" if said else NONE_BAZEL + "\n"


def junit(shown: Shown) -> str:
    """Arguments of JUnit's console launcher, one in a line, as a file of arguments has them."""
    hierarchy = Hierarchy(shown.classes)
    said = []
    for class_name, methods in by_class(shown.selection).items():
        for method in methods:
            found = signatures(shown.classes, hierarchy, class_name.replace(".", "/"), method)
            said += [f"--select-method={class_name}#{one}" for one in found] or [f"--select-class={class_name}"]
    return "\n".join(dict.fromkeys(said or [NONE_JUNIT])) + "\n"


def signatures(classes: dict[str, ClassFacts], hierarchy: Hierarchy, owner: str, name: str) -> list[str]:
    """The methods of this name, with their parameters, of a class and its supertypes."""
    found = []
    for one in (owner, *hierarchy.above(owner)):
        for member, facts in classes[one].methods.items() if one in classes else ():
            if member.partition("(")[0] == name and facts.annotations:
                parameters = parameter_names(member[len(name) :], qualified=True)
                found.append(f"{name}({','.join(parameters)})" if parameters else name)
    return list(dict.fromkeys(found))


def as_json(shown: Shown) -> str:
    selection = shown.selection
    content = {
        "selected": len(selection.reasons),
        "known": len(selection.known),
        "share_of_time": round(selection.share_of_time, 4),
        "all": selection.anything,
        "tests": [
            {
                "name": name,
                "kind": selection.reasons[name].kind.name.lower(),
                "why": selection.reasons[name].text,
                "duration_ns": selection.known.get(name, 0),
            }
            for name in selection.ordered()
        ],
        "left_out": sorted(selection.known.keys() - selection.reasons.keys()),
    }
    return json.dumps(content, indent=1) + "\n"


FORMS: dict[str, Callable[[Shown], str]] = {
    "text": text,
    "surefire": surefire,
    "gradle": gradle,
    "bazel": bazel,
    "junit": junit,
    "json": as_json,
}
