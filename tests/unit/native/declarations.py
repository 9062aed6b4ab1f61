"""Declarations of the agent's headers, as cffi can parse them: the compiler's preprocessor reads the headers, and what a
test names is taken from there, with the types that it needs."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from classhook.native.building import build

#: Types of JNI and JVMTI, whose content no test asks for.
OF_JVMS = "".join(f"typedef struct {name} {name};" for name in ("JNIEnv", "JavaVM", "jvmtiEnv")) + "".join(
    f"typedef void *{name};" for name in ("jclass", "jmethodID", "jobject", "jstring", "jthread")
)
LEFT_OUT = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\b_Noreturn\b|\b__thread\b|\b_Atomic\b")
PLACE = re.compile(r'# \d+ "([^"]*)"')
NAME = re.compile(r"\b(?:ch|CH)_\w+")
TYPE = re.compile(r"(?:struct|union|enum) (\w+) \{")
CONSTANT = re.compile(r"^extern const ")  # which cffi would have as a number
WITHOUT_CONTENT = re.compile(r"(?:struct|union|enum) \w+;")
OTHER = re.compile(r"\b(\w+) ?[(\[;]")


def declarations(headers: Sequence[str], flags: Sequence[str], names: Iterable[str]) -> str:
    """The declarations of `names` and of all that they name, in the headers' order."""
    text = "".join(f'#include "{header}"\n' for header in headers)
    line = [build.compiler(), *flags, "-E", "-xc", "-"]
    done = subprocess.run(line, input=text, capture_output=True, text=True, check=True)
    every = list(dict.fromkeys(statements(own_lines(done.stdout))))
    made = defaultdict[str, list[str]](list)  # a type and a function may have the same name
    for one in every:
        for name in names_of(one):
            made[name].append(one)
    wanted, left = set[str](), set(names) & made.keys()
    while left:
        wanted |= left
        left = set(NAME.findall(" ".join(one for name in left for one in made[name]))) & made.keys() - wanted
    return "\n".join([OF_JVMS, *(one for one in every if wanted & set(names_of(one)))])


def own_lines(preprocessed: str) -> str:
    """The text that comes from the agent's headers."""
    own, lines = False, []
    for line in preprocessed.splitlines():
        if place := PLACE.match(line):
            own = Path(place[1]).resolve().is_relative_to(build.HERE)
        elif own:
            lines.append(line)
    return LEFT_OUT.sub("", "\n".join(lines))


def statements(text: str) -> Iterator[str]:
    """The declarations of a header, without functions that are defined there."""
    depth = start = 0
    for at, letter in enumerate(text):
        depth += (letter in "{(") - (letter in "})")
        if depth or letter not in ";}":
            continue
        one = text[start : at + 1].strip()
        if letter == ";":
            yield " ".join(CONSTANT.sub("extern ", one).split())
        elif not re.search(r"\)\s*\{", one):
            continue  # of a type, whose declaration goes on
        start = at + 1


def names_of(declaration: str) -> list[str]:
    """Returns the names that a declaration declares: one name, or the constants of an enum without a name."""
    if declaration.startswith("enum {"):
        return NAME.findall(declaration)
    found = TYPE.match(declaration) or OTHER.search(declaration)
    return [found[1]] if found and not WITHOUT_CONTENT.fullmatch(declaration) else []
