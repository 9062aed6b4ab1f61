"""Changes of the program since a recording, as far as they can alter the outcome of tests.

1. A method whose body changed: whatever depends on it. Its class's static initialiser is a method, too.
2. A class whose shape changed (supertypes, fields, annotations, methods that others can call): whatever touches the
   class or a subtype, since a new override changes who is called. A class that is gone likewise.
3. A new class: only code that changed as well can name it, unless it is found by its name or its annotations: then
   anything may. The name may be put together of texts.
4. A file that tests are known to have opened: these. Another one beside the classes, or a build file: anything may
   depend on it. Documentation and sources, among other files, do not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from classhook.base.names import several
from classhook.base.object_streams import STREAMS
from classhook.extensions.selection.checkout import is_for_build
from classhook.extensions.selection.facts import CLINIT, ClassFacts
from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.observed import MethodName
from classhook.extensions.selection.opened import BESIDE, CHANGED, GONE, NEW, concerned
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.recording import KnownClass, Recording
from classhook.extensions.selection.test_classes import is_test, tests_in

#: Files that nothing runs or reads, if no class mentions their names. Sources count as the classes that they are
#: compiled to.
SOURCES = ("*.java", "*.kt", "*.kts", "*.scala", "*.groovy", "*.clj", "*.aj")
DOCUMENTS = (
    *("*.md", "*.adoc", "*.rst", "LICENSE*", "NOTICE*", "CHANGELOG*", "README*", "CODEOWNERS", "OWNERS", "AUTHORS*"),
    *(".gitignore", ".gitattributes", ".editorconfig", ".mailmap", "*.iml"),
)
HIDDEN = (".github/", ".gitlab/", ".idea/", ".vscode/", ".circleci/", "docs/")
#: In texts that javac puts together: what is filled in (java.lang.invoke.StringConcatFactory).
PART = "\1"
LEAST_END = 4  # letters
#: Texts that build tools write at each build: versions, times, the commit.
BUILT = ("META-INF/MANIFEST.MF", "META-INF/build-info.properties", "git.properties")


@dataclass(slots=True)
class Changes:
    """`bodies`: methods whose code changed; `shapes`: classes of which more than that did, each with what it was;
    `files`: those that tests opened, by name, with what became of them; `anything`: why every test may be altered."""

    bodies: dict[MethodName, str] = field(default_factory=dict)
    shapes: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    anything: list[str] = field(default_factory=list)

    @property
    def methods(self) -> set[tuple[str, str]]:
        """Classes and names of the methods whose code changed."""
        return {(owner, member.partition("(")[0]) for owner, member in self.bodies}


def compare(recording: Recording, program: Program, hierarchy: Hierarchy, strings: frozenset[str]) -> Changes:
    """The classes and files of the recording with those of now. `strings`: all that the program's classes have as
    constants."""
    changes = Changes()
    named = _named_by_known(recording, program, hierarchy)
    for name, facts in program.classes.items():
        known = recording.classes.get(name)
        if known is None:
            if not tests_in(name, program.classes, hierarchy) and (
                why := _found_without_code(name, facts, named, strings)
            ):
                changes.anything.append(f"class {dotted(name)} is new, and {why}")
        else:
            _compare_class(changes, name, known, facts)
    for name, known in recording.classes.items():
        if name not in program.classes:
            changes.shapes[name] = "is gone"
            if known.annotated:
                changes.anything.append(f"class {dotted(name)}, which has annotations, is gone")
    _compare_files(changes, recording, program.files)
    _class_files(changes, recording, program)
    return changes


def _class_files(changes: Changes, recording: Recording, program: Program) -> None:
    """The class files that tests read, and folders that they listed and that have other files than before."""
    altered = {*changes.shapes, *(owner for owner, _ in changes.bodies)} & program.classes.keys()
    for name in altered | (program.classes.keys() ^ recording.classes.keys()):
        what = NEW if name not in recording.classes else GONE if name not in program.classes else CHANGED
        file = f"{BESIDE}{name}.class"
        if concerned(recording.opened, file, what):
            changes.files[file] = what


def dotted(name: str) -> str:
    return name.replace("/", ".")


def method_text(name: MethodName) -> str:
    """`com.acme.Orders.place`, or `the static initialiser of com.acme.Orders`."""
    if name[1] == CLINIT:
        return f"the static initialiser of {dotted(name[0])}"
    return f"{dotted(name[0])}.{name[1].partition('(')[0]}"


def _compare_class(changes: Changes, name: str, known: KnownClass, facts: ClassFacts) -> None:
    if known.shape != facts.shape:
        changes.shapes[name] = "changed its supertypes, fields or annotations"
        if known.annotated != facts.is_annotated:
            changes.anything.append(
                f"class {dotted(name)} has annotations by which it may be found, and had none, or the other way round"
            )
    for member, method in facts.methods.items():
        before = known.methods.get(member)
        if before is None:
            changes.bodies[name, member] = "is new"
            if _is_found(member, method.is_hidden) and not is_test(method):
                changes.shapes.setdefault(name, f"has a new method {member.partition('(')[0]}")
        elif before[0] != method.signature:
            changes.shapes.setdefault(name, f"declares {member.partition('(')[0]} differently")
        elif before[1] != method.body:
            changes.bodies[name, member] = "changed"
    for member, (_, _, hidden) in known.methods.items():
        if member not in facts.methods:
            changes.bodies[name, member] = "is gone"
            if _is_found(member, hidden):
                changes.shapes.setdefault(name, f"has no method {member.partition('(')[0]} any more")


def _is_found(member: str, is_hidden: bool) -> bool:
    """True if other code may call a method that is new, or is gone; object streams do, also if it is private."""
    return not is_hidden or member.partition("(")[0] in STREAMS


def _named_by_known(recording: Recording, program: Program, hierarchy: Hierarchy) -> set[str]:
    """The classes that the recording's classes or tests name, or new ones which these name."""
    todo = [name for name in program.classes if name in recording.classes or tests_in(name, program.classes, hierarchy)]
    found = set[str]()
    while todo:
        named = (program.classes[todo.pop()].classes & program.classes.keys()) - found
        found |= named
        todo += [name for name in named if name not in recording.classes]
    return found


def _found_without_code(name: str, facts: ClassFacts, named: set[str], strings: frozenset[str]) -> str:
    """The reason why unchanged code may find a new class; empty if it cannot. `named`: by code."""
    binary = dotted(name)
    if facts.is_annotated:
        return "has annotations by which it may be found"
    if name not in named:
        return "no class names it: it may be found by its name"
    parts = binary.split(".")
    prefixes = {".".join(parts[:i]) + "." for i in range(2, len(parts))}
    if not strings.isdisjoint({binary, name, *prefixes, *(one.replace(".", "/") for one in prefixes)}):
        return "a class has its name, or a part of it, as text"
    if any(PART in one and (_makes(one, binary) or _makes(one, name)) for one in strings):
        return "a class may put its name together"
    return ""


def _makes(recipe: str, name: str) -> bool:
    """True if a text of which parts are filled in may become the name; its beginning or its end must tell more than a
    package does."""
    first, *_, last = recipe.split(PART)
    return name.startswith(first) and name.endswith(last) and ("." in first or "/" in first or len(last) >= LEAST_END)


def _compare_files(changes: Changes, recording: Recording, now: dict[str, str]) -> None:
    before, unknown = recording.files, []
    for path in sorted(before.keys() | now.keys()):
        if before.get(path) != now.get(path):
            name, what = BESIDE + path.rstrip("+"), NEW if path not in before else GONE if path not in now else CHANGED
            if concerned(recording.opened, name, what):
                changes.files[name] = what
            elif not is_build_information(path):
                unknown.append(path)
    if unknown:
        more = f" and {several(len(unknown) - 1, 'other file')}" if len(unknown) > 1 else ""
        changes.anything.append(f"{unknown[0]}{more} beside the classes changed")


def is_build_information(path: str) -> bool:
    """Files that build tools write themselves."""
    return (
        path.startswith("META-INF/maven/")
        or path in BUILT
        or path.endswith((".kotlin_module", "/compile.lst", ".tasty"))
    )


def files_that_count(paths: Iterable[str], strings: frozenset[str]) -> list[str]:
    """The changed files outside of the classes' folders that tests may depend on."""
    names = "\0".join(strings)
    return sorted(path for path in paths if counts(path, names))


def is_source(path: str) -> bool:
    return any(fnmatchcase(path.rpartition("/")[2], pattern) for pattern in SOURCES) and not is_for_build(path)


def counts(path: str, names: str) -> bool:
    """True if a test may depend on a file. `names`: all texts of the program."""
    name = path.rpartition("/")[2]
    if is_source(path):
        return False
    harmless = path.startswith(HIDDEN) or any(fnmatchcase(name, pattern) for pattern in DOCUMENTS)
    return not harmless or name in names
