"""What `classhook report` does for coverage: its arguments, and from data files to a report of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from instrument.coverage.execfile import BadExecFile, ExecFile, Session, read
from instrument.data.covered import Covered, covered
from instrument.data.file import DataError, DataFile, read_file
from instrument.data.rows import Process, Snapshot
from instrument.errors import Failure, UsageError
from instrument.reports.coverage import FORMATS, Format, Whole, Wishes, load
from instrument.reports.coverage.thresholds import NEW, parse, shortfalls

if TYPE_CHECKING:
    from classfile.reader import ClassFile
    from instrument.reports.coverage.versions import Classes
    from rules.syntax import Rule

#: Formats that also show what is not coverage.
SHARED = ("json", "text", "csv", "html")
#: Those of them that show either coverage or all else.
EITHER = ("csv", "html")
ONLY = frozenset(FORMATS) - frozenset(SHARED)
BINARY = frozenset({"jacoco-exec"})
NONE = ("no coverage was recorded; a rule such as 'cover com.acme.**' does: classhook run -e 'cover com.acme.**' -- mvn test "
        "(data files of JaCoCo are read, too: classhook report -f html --classes target/classes jacoco.exec)")  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of coverage to those of `report`."""
    group = parser.add_argument_group("coverage", "for text and json if coverage was recorded, and for\n" + ", ".join(sorted(ONLY)))
    group.add_argument("--classes", metavar="[GROUP=]JAR|DIR", action="append", default=[], help="also these classes, even if never loaded")
    group.add_argument("--only", action="store_true", help="count only the classes in --classes (not tests or generated classes)")
    group.add_argument("--sources", metavar="DIR|JAR", action="append", default=[], type=Path, help="where sources are; a folder above them will do")
    group.add_argument("--diff", metavar="GIT-RANGE", help="also look at the lines that commits changed, such as origin/main...HEAD; "
                       "with a directory of data: see above")
    group.add_argument("--fail-under", metavar="NAME=P,...", help="exit with 1 if coverage is lower, such as line=80,branch=70,new=90")
    group.add_argument("--strict", action="store_true", help="leave out branches that can never be reached, even where JaCoCo counts them")
    group.add_argument("--title", metavar="TEXT", default="", help="the report's title (default: the program; in jacoco-xml, csv: classhook)")


@dataclass(slots=True)
class Request:
    """What is asked for, checked before anything is read."""

    name: str  # of the format
    wishes: Wishes
    least: dict[str, float] = field(default_factory=dict)
    classes: list[tuple[str, Path]] = field(default_factory=list)  # with their groups
    only: bool = False  # no others count

    @property
    def format(self) -> Format:
        """Imported only if there is something to report."""
        return load(self.name)


def request(args: argparse.Namespace) -> Request:
    """Reads the arguments. Raises UsageError."""
    from instrument.reports.coverage.changes import read as changes
    from instrument.reports.coverage.sources import Sources

    least = parse(args.fail_under) if args.fail_under is not None else {}
    if NEW in least and not args.diff:
        raise UsageError("--fail-under new=... is about changed lines: say which with --diff, such as --diff origin/main...HEAD")
    if args.only and not args.classes:
        raise UsageError("--only counts the classes of --classes and no others: name them, such as --classes target/classes")
    if args.format == "github" and not args.diff:
        raise UsageError("-f github annotates changed lines: say which with --diff, such as --diff origin/main...HEAD")
    wishes = Wishes(args.title, args.all, 0 if args.all else args.top, not args.output and sys.stdout.isatty(), args.strict)
    wishes.sources = Sources(args.sources) if args.sources else None
    if args.diff is not None:
        wishes.changes = changes(args.diff)
        wishes.diff = args.diff
    return Request(args.format if args.format in FORMATS else "text", wishes, least, [_grouped(text) for text in args.classes], args.only)


def _grouped(text: str) -> tuple[str, Path]:
    """`core=core/target/classes` as a group and a path; a path that exists may contain `=`."""
    group, equals, path = text.partition("=")
    return (group, Path(path)) if equals and not Path(text).exists() else ("", Path(text))


def is_about(args: argparse.Namespace) -> bool:
    """Whether only coverage can be meant."""
    return args.format in ONLY or bool(args.classes or args.only or args.sources or args.diff is not None or args.fail_under is not None)


def examined(asked: Request, files: list[Path], snapshot: Snapshot, jacoco: list[Path], needed: bool) -> Whole | None:
    """The coverage in data files, and in those of JaCoCo. None if there is none; raises Failure if it is needed.

    `snapshot`: what else the data files tell.
    """
    from instrument.reports.coverage.analysis import analysed
    from instrument.reports.coverage.asked import Asked
    from instrument.reports.coverage.versions import Classes, versions

    notes: list[str] = []
    rules = snapshot.parsed_rules.values()
    classes = Classes(asked.classes, _covered_by(rules), Asked(rules))
    ran = _ran(files, classes, notes)
    lacks_said = bool(notes)
    executed = _executed(jacoco, notes)
    if not ran and not executed:
        if needed:
            raise Failure("\n".join([*notes, NONE]))
        return None
    if executed and not asked.classes:
        raise UsageError("data files of JaCoCo hold no classes: give those that ran with --classes JAR|DIR")
    whole = analysed(versions(ran, executed, classes, lacks_said, asked.only), asked.format, asked.wishes)
    if len({one.counts for one in ran if any(one.hits)}) > 1:
        whole.notes.append("some of this was recorded with `hits`, some without: lines of the latter have no counts")
    whole.notes[:0] = notes
    whole.complete = whole.complete and not notes
    whole.processes, whole.files = snapshot.processes, [str(path) for path in jacoco]
    whole.sessions = [session for file in executed for session in file.sessions]
    if ran:
        whole.sessions += map(_session, snapshot.processes)
    return whole


def _covered_by(rules: Iterable[Rule]) -> Callable[[ClassFile], bool]:
    """Whether one of these rules covers a class; all are covered if none of the rules is about coverage."""
    from instrument.weaving.plan import match
    from rules.ruleset import RuleSet

    asking = RuleSet([rule for rule in rules if rule.kind == "cover"])

    def covers(cf: ClassFile) -> bool:
        plan = match(cf, cf.name.replace("/", "."), asking, False)
        return plan is not None and bool(plan.methods)

    return covers if asking.rules else lambda _: True


def _ran(files: list[Path], classes: Classes, notes: list[str]) -> list[Covered]:
    """What the data files tell, and what more there is to say of them."""
    opened: list[DataFile] = []
    for path in files:
        with suppress(DataError):  # said when it was read for all else
            opened.append(read_file(path))
    before = [len(file.notes) for file in opened]
    known = {sha256(data).hexdigest(): data for data in classes.by_name.values()}
    found = covered(opened, known)
    for file, count in zip(opened, before, strict=True):
        notes += file.notes[count:]
    return found


def _executed(paths: list[Path], notes: list[str]) -> list[ExecFile]:
    """JaCoCo's data files; those that cannot be read become notes."""
    found = []
    for path in paths:
        try:
            found.append(read(path.read_bytes()))
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from None
        except BadExecFile as error:
            notes.append(f"{path}: {error}; nothing of it is in the report")
    return found


def _session(process: Process) -> Session:
    start = process.start_unix_ns // 1_000_000
    return Session(f"{process.pid}-{start:x}", start, start + process.duration_ns // 1_000_000)


def too_low(whole: Whole | None, asked: Request) -> list[str]:
    """What falls short of --fail-under."""
    return shortfalls(whole, asked.least) if whole is not None else []


__all__ = ["BINARY", "FORMATS", "Request", "add_arguments", "examined", "is_about", "request", "too_low"]
