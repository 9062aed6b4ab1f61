"""The state of the screen, and how keys change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from classhook.base.errors import UsageError
from classhook.live.observe.top.cells import GRAPH, titled
from classhook.live.observe.top.numbers import NESTED, Line, Look, Watch, sections
from classhook.model.rows import Key
from classhook.reports.callers_and_callees import Around, around
from classhook.reports.filters import matcher
from classhook.reports.groups import GROUPS
from classhook.rules.errors import RuleError
from classhook.tables.columns import spelled
from classhook.tables.table import Section

NEXT_GROUP = ["", *GROUPS]
FIRST_RATES = 3  # columns before the course


@dataclass(slots=True)
class State:
    """`kind`: of the rows, empty for the first there are; `sort`: a column, empty for the main one's rate; `selected`:
    the row's key, None for the first one; `typing`: a pattern that is not finished; `says`: a message until the next
    key."""

    watch: Watch = field(default_factory=Watch)
    kind: str = ""
    sort: str = ""
    pattern: str = ""
    group: str = ""
    selected: Key | None = None
    opened: bool = False
    help: bool = False
    calls: bool = False  # the watched ones are shown
    paused: bool = False
    quit: bool = False
    typing: str | None = None
    says: str = ""
    wants_tree: bool = False  # the next look needs the tree of calls
    wants_reset: bool = False  # of the data
    page: int = 10  # rows of a page
    _around: tuple[Look, Key, Around | None] | None = None

    @property
    def section(self) -> Section | None:
        """The kind of rows that is shown."""
        kinds = self.watch.kinds()
        kind = self.kind if self.kind in kinds else next(iter(kinds), "")
        return next((section for section in sections() if section.kind == kind), None)

    def columns(self) -> list[str]:
        """All columns in the order in which they are given room, the graph of the course (GRAPH) among them."""
        section = self.section
        if section is None:
            return []
        names = [
            column.name for column in self.watch.with_values(section) if not (self.group and column.name in NESTED)
        ]
        main = [section.main.name]
        rates = [f"{name}/s" for name in names]
        levels = [] if self.group else self.watch.levels(section)
        sums = [name for name in names if name not in main]
        return [*rates[:FIRST_RATES], GRAPH, *main, *levels, *rates[FIRST_RATES:], *sums]

    def headings(self) -> dict[str, str]:
        """The headings of the columns with figures, with the columns' names."""
        section = self.section
        return {titled(section, name): name for name in self.columns() if name != GRAPH} if section else {}

    def sort_by(self, word: str) -> bool:
        """Sorts by the column with this heading or name, and says whether there is one."""
        names = {spelled(one): name for heading, name in self.headings().items() for one in (name, heading)}
        self.sort = names.get(spelled(word), "")
        return bool(self.sort)

    @property
    def order(self) -> str:
        """The column that rows are sorted by."""
        section = self.section
        usual = f"{section.main.name}/s" if section else ""
        return self.sort if self.sort in self.columns() else usual

    def lines(self) -> list[Line]:
        """The rows, in their order."""
        section = self.section
        if section is None:
            return []
        found = self.watch.lines(section, matcher([self.pattern]) if self.pattern else None, self.group)
        main, order = section.main.name, self.order
        by_main = order.partition("/s")[0] == main
        return sorted(
            found, key=lambda line: (by_main and line.uncertain, -line.value(order), -line.value(main), line.key)
        )

    def place(self, lines: list[Line]) -> int:
        """The selected row's place; the first one's if there is none, or it is gone."""
        return next((i for i, line in enumerate(lines) if line.key == self.selected), 0)

    def around(self, line: Line) -> Around | None:
        """Callers and callees of a row, by the last look."""
        look = self.watch.now
        if look is None:
            return None
        if self._around is None or self._around[0] is not look or self._around[1] != line.key:
            self._around = (look, line.key, around(look.snapshot, line.key))
        return self._around[2]

    # ---- keys

    def press(self, key: str) -> None:
        """Does what a key asks for."""
        self.says = ""
        if self.typing is not None:
            self._type(key)
        elif self.help:
            self.help = False
        elif key in KEYS:
            KEYS[key](self)
        elif key.isdigit() and 1 <= int(key) <= len(self.watch.kinds()):
            self._show(list(self.watch.kinds())[int(key) - 1])

    def _type(self, key: str) -> None:
        assert self.typing is not None
        if key == "enter":
            pattern, self.typing = self.typing.strip(), None
            try:
                self.filter(pattern)
            except (UsageError, RuleError) as error:
                self.says = str(error).splitlines()[0]
        elif key == "escape":
            self.typing = None
        elif key == "backspace":
            self.typing = self.typing[:-1]
        elif len(key) == 1 and key.isprintable():
            self.typing += key

    def filter(self, pattern: str) -> None:
        """Shows what matches a pattern, or has such a part in its name. Raises UsageError, RuleError."""
        if pattern:
            matcher([pattern])
        self.pattern = pattern

    def _show(self, kind: str) -> None:
        self.kind, self.selected, self.opened, self.calls = kind, None, False, False

    def _show_calls(self) -> None:
        self.calls = not self.calls

    def _next_kind(self) -> None:
        kinds = list(self.watch.kinds())
        section = self.section
        if section is not None:
            self._show(kinds[(kinds.index(section.kind) + 1) % len(kinds)])

    def _sort(self, by: int) -> None:
        columns = [name for name in self.columns() if name != GRAPH]
        if columns:
            self.sort = columns[(columns.index(self.order) + by) % len(columns)]

    def _move(self, by: int) -> None:
        lines = self.lines()
        if lines:
            self.selected = lines[max(0, min(len(lines) - 1, self.place(lines) + by))].key

    def _open(self) -> None:
        lines = self.lines()
        if lines and not self.opened and not self.group:
            self.selected = lines[self.place(lines)].key
            self.opened = self.wants_tree = True
        elif self.group:
            self.says = "groups have no callers; press g until methods are shown"
        else:
            self.opened = False

    def _next_group(self) -> None:
        self.group = NEXT_GROUP[(NEXT_GROUP.index(self.group) + 1) % len(NEXT_GROUP)]
        self.selected, self.opened = None, False

    def _close(self) -> None:
        if self.opened or self.calls:
            self.opened = self.calls = False
        else:
            self.pattern = ""

    def _reset(self) -> None:
        self.watch.reset()
        self.says = "sums on this screen begin at zero; R resets the data for reports, too"

    def _reset_data(self) -> None:
        self.wants_reset = True

    def _pause(self) -> None:
        self.paused = not self.paused

    def _help(self) -> None:
        self.help = True

    def _ask(self) -> None:
        self.typing = ""

    def _quit(self) -> None:
        self.quit = True


KEYS: dict[str, Callable[[State], None]] = {
    "q": State._quit,
    "\x03": State._quit,
    "?": State._help,
    "h": State._help,
    "p": State._pause,
    " ": State._pause,
    "r": State._reset,
    "R": State._reset_data,
    "/": State._ask,
    "g": State._next_group,
    "w": State._show_calls,
    "tab": State._next_kind,
    "enter": State._open,
    "escape": State._close,
    "backspace": State._close,
    "s": lambda state: state._sort(1),
    "S": lambda state: state._sort(-1),
    ">": lambda state: state._sort(1),
    "<": lambda state: state._sort(-1),
    "down": lambda state: state._move(1),
    "j": lambda state: state._move(1),
    "up": lambda state: state._move(-1),
    "k": lambda state: state._move(-1),
    "pagedown": lambda state: state._move(state.page),
    "pageup": lambda state: state._move(-state.page),
    "home": lambda state: state._move(-(1 << 30)),
    "end": lambda state: state._move(1 << 30),
}

#: Keys, and what they do.
HELP = (
    ("↑ ↓ PgUp PgDn Home End", "choose a row"),
    ("Enter", "its callers and callees, a histogram; Esc closes it"),
    ("Tab, 1 2 3 ...", "other rows: timed methods, allocation sites, ..."),
    ("w", "watched calls, the newest first; w or Esc goes back"),
    ("s S", "sort by the next column, by the one before"),
    ("/", "filter: a pattern, or a part of a name; Esc removes it"),
    ("g", "add rows up by class, package, name, rule, source file"),
    ("p, space", "pause: keep what is on the screen"),
    ("r", "reset: sums begin at zero, on this screen"),
    ("R", "reset the data: reports begin at zero, too"),
    ("q", "quit; the program goes on"),
)
