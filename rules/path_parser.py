"""Reads paths to values of a call: `arg0.customer.name`, `this.items[2]`, `com.acme.Config::limit`.

    path       root {`.` field | `[` number | string `]`}
    root       `this` | `arg0` ... | parameter | `result` | `exception` or `thrown` | `thread` | class `::` static field

This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.condition_tokens import Wrong, element_end
from classhook.rules.conditions import ELEMENT, ROOTS, Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ALIASES: Final = {"thrown": "exception"}
MOST_ARGUMENTS: Final = 255


def path(text: str, at: int = 0, locals_: bool = False) -> Path:
    """Reads a path; `locals_`: it may begin at any local variable. Raises Wrong."""
    names = _names(text, at)
    root = names[0] = names[0] if locals_ else ALIASES.get(names[0], names[0])
    if root.startswith("arg") and root[3:].isdigit() and root.isascii():
        if len(root) > 6 or int(root[3:]) >= MOST_ARGUMENTS:
            raise Wrong(at, f"no method has an argument `{root}`", "`arg0` is the first one")
        names[0] = f"arg{int(root[3:])}"
    elif locals_ and "::" in root:
        raise Wrong(
            at,
            "at a line, static fields cannot be read",
            "`this`, a local variable, and fields behind a dot: `total`, `this.id`",
        )
    elif root not in ROOTS and "::" not in root and not locals_ and not _may_be_parameter(names):
        raise Wrong(at, f"unknown name `{root}`", _roots(text))
    if len(names) > 1 and root == "exception" and not locals_ and names[1:] != ["message"]:
        raise Wrong(
            at,
            "only the class of an exception and `exception.message` can be used",
            "`exception` or `exception.message`",
        )
    if len(names) > 1 and root == "thread" and not locals_ and names[1:] != ["length"]:
        raise Wrong(at, "`thread` is the thread's name, a string", '`thread`, as in `thread ~ "worker-*"`')
    return Path(tuple(names))


def element_path(text: str, at: int) -> Path:
    """Reads a path that begins at an element of a collection: `it`, or a field. Raises Wrong."""
    names = _names(text, at)
    root = ALIASES.get(names[0], names[0])
    if "::" in root or root in ROOTS or (root.startswith("arg") and root[3:].isdigit()):
        raise Wrong(at, f"`{names[0]}`: in `any` and `all`, paths begin at the element", "`it`, or a field: `price`")
    return Path(tuple(names if root == ELEMENT else [ELEMENT, *names]))


def _may_be_parameter(names: list[str]) -> bool:
    """True unless it is no name of Java, or that of a class with a field: `com.acme.Config.limit`."""
    plain = names[0].replace("$", "_")
    return plain.isidentifier() and not any([name[0].isupper() for name in names[:-1]])


def _roots(text: str) -> str:
    owner, _, field = text.partition("[")[0].rpartition(".")
    static = f"; a static field is `{owner}::{field}`" if owner else ""
    return (
        "`this`, `arg0`, `arg1`, ..., a parameter's name, `result`, `exception` or `thread`, and fields behind a dot:"
        f" `this.id`{static}"
    )


def _names(text: str, begin: int) -> list[str]:
    """The root, and the fields and elements. Raises Wrong."""
    owner, colons, rest = text.partition("::") if '"' not in text.partition("::")[0] else ("", "", text)
    rest = rest if colons else text
    names = [""]
    at = 0
    while at < len(rest):
        if rest[at] == "[":
            end = element_end(rest, at)
            names.append(rest[at:end])
            at = end
            if rest[at : at + 1] == ".":
                names.append("")
                at += 1
            elif at < len(rest) and rest[at] != "[":
                raise Wrong(begin, "the name of a field needs a dot before it", "a path such as `arg0[2].name`")
        elif rest[at] == ".":
            names.append("")
            at += 1
        else:
            names[-1] += rest[at]
            at += 1
    if colons:
        if not all(owner.split(".")) or "::" in rest or not names[0]:
            raise Wrong(begin, "a static field has the form `Class::field`", "a path such as `com.acme.Config::limit`")
        names[0] = f"{owner}::{names[0]}"
    if not all(names):
        raise Wrong(begin, "the name of a field is missing next to a dot", "a path such as `arg0.customer.name`")
    return names
