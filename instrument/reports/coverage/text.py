"""Coverage as text: a line for each source file, the ones with most missed lines first, with these lines; below it the
missed branches in words."""

from __future__ import annotations

from io import StringIO
from typing import TextIO

from rich.console import Console
from rich.text import Text

from classhook.base.names import printable, several, them
from classhook.coverage.counters import BRANCH, INSTRUCTION, KINDS, LINE, Counters, nothing
from classhook.reports.coverage import AnalysedPackage, Whole, Wishes, percentage, ranges_label, tests_text

WORDS = True
WIDE = 100_000
WORDS_SHOWN = 5  # missed branches of a file
STRETCHES_SHOWN = 30  # of missed lines
CELL = 17
WELL, BADLY = 90, 50  # percent, for colours
#: Name, counters, missed lines, missed branches in words.
Row = tuple[str, Counters, list[int], list[tuple[int, str]]]


def piece(part: AnalysedPackage, wishes: Wishes) -> list[Row]:
    """A row for each source file, and for each class without one."""
    package = part.package
    found: list[Row] = []
    nodes = [(name, source.counters, source.lines, source.classes) for name, source in package.sources.items()]
    nodes += [
        (cls.name.rpartition("/")[2], cls.counters, cls.lines, [cls]) for cls in package.classes if not cls.source
    ]
    for other, _ in part.others:
        nodes.append((f"{other.name.rpartition('/')[2]} (another version)", other.counters, other.lines, [other]))
    for name, counters, lines, classes in sorted(nodes, key=lambda node: node[0]):
        if not counters[INSTRUCTION] + counters[INSTRUCTION + 1]:
            continue
        missed = sorted(number for number, four in lines.items() if four[0] and not four[1])
        all_missed = [one for cls in classes for method in cls.methods for one in method.missed]
        words = sorted(
            (one.line, one.words(_line(wishes, package.name, classes[0].source, one.line))) for one in all_missed
        )
        found.append((f"{package.name}/{name}".lstrip("/"), counters, missed, words))
    return found


def _line(wishes: Wishes, package: str, name: str, number: int) -> str:
    """A line of the source, if it is there."""
    if not wishes.sources or not name:
        return ""
    lines = wishes.sources.lines(package, name)
    return lines[number - 1] if 0 < number <= len(lines) else ""


def report(whole: Whole, wishes: Wishes, out: TextIO) -> None:
    """Writes the table."""
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=wishes.terminal,
        width=WIDE,
        highlight=False,
        emoji=False,
        markup=False,
        soft_wrap=True,
    )
    total = whole.counters
    sums = ", ".join(
        f"{kind.lower()} {percentage(total, 2 * i)}" for i, kind in enumerate(KINDS) if total[2 * i] + total[2 * i + 1]
    )
    what, nothing_ = (
        ("Coverage of the methods that match", "none") if wishes.matches else ("Coverage", "no class has code")
    )
    console.print(Text(f"{what}: {sums or nothing_}", "bold"))
    if whole.by_test is not None:
        for line in tests_text.lines(whole.by_test, wishes):
            console.print(Text(line))
    else:
        _files(whole, wishes, console)
    for row in buffer.getvalue().splitlines():
        out.write(row.rstrip(" ") + "\n")


def _files(whole: Whole, wishes: Wishes, console: Console) -> None:
    """A row for each source file, then the changed lines."""
    rows: list[Row] = [row for package in whole.packages for row in package.piece]
    lacking = [row for row in rows if row[1][LINE] or row[1][BRANCH] or row[1][INSTRUCTION]]
    lacking.sort(key=lambda row: (-row[1][LINE], -row[1][BRANCH], row[0]))
    shown = rows if wishes.all else lacking[: wishes.top] if wishes.top else lacking
    width = max([len(printable(row[0])) for row in shown], default=0)
    if shown:
        console.print(Text(f"{'source file':<{width}}  {'lines':>{CELL}}  {'branches':>{CELL}}  missed lines"))
    for name, counters, missed, words in shown:
        cells = "  ".join(f"{_fraction(counters, kind):>{CELL}}" for kind in (LINE, BRANCH))
        console.print(Text(f"{printable(name):<{width}}  {cells}  {_some(missed, wishes.all)}", _colour(counters)))
        most = len(words) if wishes.all else WORDS_SHOWN
        for line, text in words[:most]:
            console.print(Text(printable(f"    {line}: {text}")))
        if len(words) > most:
            more = len(words) - most
            console.print(f"    {several(more, 'more missed branch')}; --all shows {them(more)}")
    if len(shown) < len(lacking):
        more = len(lacking) - len(shown)
        console.print(f"{several(more, 'more source file')} with missed code; --top N or --top 0 shows {them(more)}")
    whole_ones = len(rows) - len(lacking)
    if whole_ones and not wishes.all:
        console.print(f"{several(whole_ones, 'source file')} wholly covered; --all shows {them(whole_ones)}")
    changed = whole.changed
    if wishes.changes is not None:
        covered, lines = (
            sum(len(one.covered) for one in changed),
            sum(len(one.covered) + len(one.missed) for one in changed),
        )
        part = nothing()
        part[LINE : LINE + 2] = [lines - covered, covered]
        console.print(Text(printable(f"Changed lines ({wishes.commits}): {_fraction(part, LINE)} covered"), "bold"))
        for one in changed:
            if one.missed:
                console.print(Text(printable(f"  {one.path}: {ranges_label(one.missed)}")))


def _some(lines: list[int], all_: bool) -> str:
    """The first stretches of these lines."""
    stretches = ranges_label(lines).split(", ")
    more = len(stretches) - STRETCHES_SHOWN
    return (
        ", ".join(stretches)
        if all_ or more <= 0
        else f"{', '.join(stretches[:STRETCHES_SHOWN])} and {several(more, 'more stretch')}"
    )


def _fraction(counters: Counters, kind: int) -> str:
    """`80.0 % 4/5`."""
    total = counters[kind] + counters[kind + 1]
    return f"{percentage(counters, kind)} {counters[kind + 1]}/{total}" if total else "-"


def _colour(counters: Counters) -> str:
    percent = counters[LINE + 1] * 100 // (counters[LINE] + counters[LINE + 1] or 1)
    return "green" if percent >= WELL else "red" if percent < BADLY else "yellow"
