"""Names of packages, classes and their members, as proposals."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

from classhook.base.names import parameter_names
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.lines import line_numbers
from classhook.classfile.reader import ClassFile, Method
from classhook.extensions.servers.editor.known_classes import KnownClasses
from classhook.extensions.servers.editor.matches import matched
from classhook.extensions.servers.editor.proposals import Proposal
from classhook.measures.watch.method_types import ACC_STATIC as STATIC
from classhook.measures.watch.method_types import readable
from classhook.rules.patterns import result_type
from classhook.rules.syntax import ClassPattern, MethodPattern, Rule, Target

MOST_ALIKE = 200  # classes whose simple name begins so
MOST_CLASSES = 50  # that a pattern stands for, whose members are proposed
MOST_SCANNED = 2_000  # classes, for the annotations that they have
SYNTHETIC = 0x1000


def class_names(known: KnownClasses, partial: str) -> Iterator[Proposal]:
    """Packages and classes whose next segment completes the name; for a name without a package, also classes whose
    simple name begins so."""
    for names in (known.sorted_names, known.jdk_names):
        yield from _segments(names, partial)
    if partial and "." not in partial:
        alike = (name for name in known.sorted_names if name.rpartition(".")[2].startswith(partial) and "." in name)
        for name in islice(alike, MOST_ALIKE):
            package, _, simple = name.rpartition(".")
            yield Proposal(simple, name, "class", package, simple)


def _segments(names: Sequence[str], partial: str) -> Iterator[Proposal]:
    at, size = bisect_left(names, partial), len(partial)
    while at < len(names) and names[at].startswith(partial):
        name = names[at]
        dot = name.find(".", size)
        if dot < 0:
            yield Proposal(name, name, "class")
            at += 1
        else:
            yield Proposal(name[:dot], name[:dot], "package")
            at = bisect_left(names, name[:dot] + "/", at)  # the character behind the dot


def methods(known: KnownClasses, glob: str, subtypes: bool = False) -> Iterator[Proposal]:
    """The methods of the classes that a pattern matches: each name, and each of its forms if there are several."""
    yield Proposal("*", "*", "method", "every method", sort="0")
    everything = Rule("count", "", "", 0, targets=(Target(ClassPattern(glob, subtypes=subtypes), MethodPattern("*")),))
    forms: dict[str, dict[str, str]] = {}
    for facts, found in matched(everything, known, most=MOST_CLASSES):
        for one in found:
            if not one.flags & SYNTHETIC:
                forms.setdefault(one.name, {}).setdefault(one.descriptor, facts.name)
    for name in sorted(forms):
        descriptors = sorted(forms[name])
        first = descriptors[0]
        yield Proposal(name, name, "method", _form(first) if len(descriptors) == 1 else f"{len(descriptors)} methods")
        for descriptor in descriptors if len(descriptors) > 1 else ():
            text = f"{name}({', '.join(parameter_names(descriptor, qualified=True))})"
            yield Proposal(text, text, "method", _form(descriptor))


def _form(descriptor: str) -> str:
    return f"({', '.join(parameter_names(descriptor))}): {result_type(descriptor).rpartition('.')[2]}"


def fields(known: KnownClasses, owner: str, static: bool = False) -> Iterator[Proposal]:
    """The fields that a class declares, as rules name them; `static`: only the static ones, without the class."""
    for facts in known.named(owner) if owner else ():
        for name, (descriptor, flags) in sorted(facts.fields.items()):
            if static and flags & STATIC:
                yield Proposal(name, name, "field", readable(descriptor))
            elif not static:
                yield Proposal(f"{owner}.{name}", f"{owner}.{name}", "field", readable(descriptor))


def annotation_names(known: KnownClasses) -> Iterator[Proposal]:
    """The annotations of the classes and methods that are looked at first."""
    names: set[str] = set()
    for facts in islice(known.every(), MOST_SCANNED):
        names |= facts.annotations.union(*(method.annotations for method in facts.methods))
    for name in sorted(names):
        package, _, simple = name.rpartition(".")
        yield Proposal(simple, simple, "class", package)
        yield Proposal(name, name, "class")


def method_lines(known: KnownClasses, owner: str) -> Iterator[Proposal]:
    """The first line of each method, and its last one."""
    for cf in [one for name in (owner, *_nested(known, owner)) for one in known.class_files(name)]:
        for method, code in coded(cf):
            lines = sorted(set(line_numbers(code).values()))
            if lines and not method.access_flags & SYNTHETIC:
                label = f"{method.name}({', '.join(parameter_names(method.descriptor))})"
                yield Proposal(str(lines[0]), str(lines[0]), "value", f"{label} begins", sort=f"{lines[0]:05}")
                if len(lines) > 1:
                    yield Proposal(
                        f"{lines[0]}-{lines[-1]}",
                        f"{lines[0]}-{lines[-1]}",
                        "value",
                        f"all of {label}",
                        sort=f"{lines[0]:05}",
                    )


def _nested(known: KnownClasses, owner: str) -> list[str]:
    names = known.sorted_names
    return list(names[bisect_left(names, owner + "$") : bisect_left(names, owner + "%")])


def coded(cf: ClassFile) -> Iterator[tuple[Method, Code]]:
    """The methods that have code which can be read."""
    for method in cf.methods:
        if method.code_at:
            try:
                yield method, Code.parse(cf.data, method.code_at, cf.pool)
            except ClassFormatError:
                continue
