"""Small programs, each with ways to change what a static field refers to (changers.txt).

A line `### name: FIELD=method,other;FIELD2=...` says which methods must be known to change which field; `a|b`: one of
these; a name that ends in `$`: a lambda of the method; `@`: the method itself, not a lambda of it; that begins with `-`:
a method that must not be among them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.static_state import StaticState
from tests import compiling
from tests.conftest import FindJvm

IMPORTS = (
    "import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.util.stream.*;"
    " import java.util.concurrent.locks.*; import java.util.function.*;"
)
LIBRARY = """package lib;

import java.util.List;

public class Beans {
    public Beans() {}
    public Beans(List<String> list) {}
    public void go() {}
    public static void copyProperties(Object to, Object from) {}
    public void put(String one) {}
    public List<String> list() { return null; }
    public static void fill(List<String> list) {}
}
"""
LONG = 400  # calls in a chain, more than Python has frames for
CHAIN = " ".join(f"static List<String> m{i}() {{ return m{i + 1}(); }}" for i in range(LONG))
PROGRAMS = {
    head.partition(":")[0]: (head.partition(":")[2].strip(), body)
    for head, _, body in (
        part.partition("\n")
        for part in re.split(r"^### ", Path(__file__).with_name("changers.txt").read_text(), flags=re.M)[1:]
    )
} | {
    "long_chain": (
        "F=bad",
        f"class A {{ static final List<String> F = new ArrayList<>(); {CHAIN} static void bad() {{ m0().add(null); }}"
        f" static List<String> m{LONG}() {{ return F; }} }}",
    ),
    "long_types": (
        "F=bad",
        " ".join(f"class N{i} {{ N{i + 1} next = new N{i + 1}(); }}" for i in range(LONG))
        + f" class N{LONG} {{ int n; void bad() {{ n++; }} }} class A {{ static final N0 F = new N0(); }}",
    ),
}


@pytest.fixture(scope="module")
def compiled(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changers")
    sources = {"lib": LIBRARY} | {name: f"package {name}; {IMPORTS}\n{body}" for name, (_, body) in PROGRAMS.items()}
    files = []
    for name, text in sources.items():
        (folder / "src" / name).mkdir(parents=True)
        file = folder / "src" / name / ("Beans.java" if name == "lib" else "Program.java")
        file.write_text(text)
        files.append(file)
    compiling.javac(find_jvm(17).tool("javac"), "-nowarn", "-d", folder / "classes", *files)
    return folder / "classes"


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_method_that_changes_a_field_is_known(compiled: Path, name: str) -> None:
    classes = read_program([compiled / name]).classes
    names = sorted((facts.name, member) for facts in classes.values() for member in facts.methods)
    known: dict[str, set[str]] = {}
    for (_, field), numbers in StaticState(classes, Hierarchy(classes), names).changers.items():
        known.setdefault(field, set()).update(names[i][1].partition("(")[0] for i in numbers)
    for field, _, methods in (one.partition("=") for one in PROGRAMS[name][0].split(";")):
        for method in methods.split(","):
            there = any(_is_one(one, method.removeprefix("-")) for one in known[field])
            assert there != method.startswith("-"), (field, method, sorted(known[field]))


def _is_one(method: str, wanted: str) -> bool:
    if wanted.endswith("@"):
        return method == wanted[:-1]
    return any(
        method.startswith(one) if one.endswith("$") else method == one or method.startswith(f"lambda${one}$")
        for one in wanted.split("|")
    )
