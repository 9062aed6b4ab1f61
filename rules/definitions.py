"""Lines of a rule file that are no rules, and parameters:

    let min = 10ms              the value of `${min}` behind this line
    use jdbc, ../slow.rules     the rules of other files: stock rules, or a path from this file on

1. A value is text: it takes the place of `${min}` before a statement is parsed, also in quotes, not in backquotes.
2. The first that there is counts: the command's (`-D min=20ms`), that of a file which uses this one, the file's own,
   that of a file which this one uses.
3. A file is taken in once, however often it is used. One that would use itself is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from os.path import lexists
from pathlib import Path

from classhook.rules import compiled, stock_rules
from classhook.rules.statements import Mistake, Replaced, Statement, split

#: The largest size of a file of rules, also in the agent (native/agent.c); a device might never end.
MOST_BYTES = 16 << 20
LET, USE = "let", "use"
NAME = re.compile(r"[A-Za-z_]\w*")
PARAMETER = re.compile(r"`[^`\n]*`|\$\{([A-Za-z_]\w*)\}")
_LET = re.compile(r"(\s*let\s+)([^\s=]*)(\s*)(=?)\s*(.*)", re.DOTALL)
_USED = re.compile(r'"([^"]*)"|[^\s,"]+')


class NoValue(Mistake):
    """A parameter without a value, which a command may give."""


class Values:
    """The values of a file's parameters. `given`: the command's; `around`: those of the files that use it; `used`:
    those of the files that it uses."""

    def __init__(self, given: Mapping[str, str], around: Mapping[str, str] | None = None) -> None:
        self.given = given
        self.around = around or {}
        self.own: dict[str, str] = {}
        self.used: dict[str, str] = {}

    @property
    def every(self) -> dict[str, str]:
        return {**self.used, **self.own, **self.around, **self.given}

    def within(self) -> Values:
        """The values for a file that this one uses."""
        return Values(self.given, {**self.own, **self.around})


@dataclass
class Files:
    """The files that a command reads. `given`: its values of parameters; `parameters`: those that the files have, with
    their values; `open`: the files that are being read, each used by the one before it; `taken`: those that were read
    because others use them, and their values; `named`: the same for those that the command names."""

    given: Mapping[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    open: list[Path] = field(default_factory=list)
    taken: dict[Path, dict[str, str]] = field(default_factory=dict)
    named: dict[Path, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """A statement with the values of its parameters in it. `wrong`: its mistake; `is_rule`: it is no definition;
    `is_own`: it is in the text itself, not in a file that this uses."""

    statement: Statement
    wrong: Mistake | None = None
    is_rule: bool = True
    is_own: bool = True


def lines(
    text: str, origin: str, files: Files, path: Path | None = None, values: Values | None = None
) -> Iterator[Line]:
    """The statements of a text and of the files that it uses, in order. `path`: the file that has the text."""
    values = values or Values(files.given)
    for written in split(text, origin):
        word = (written.text.split(None, 1) or [""])[0]
        statement, wrong = written, None
        try:
            statement = _with_values(written, values, files)
            if word == LET:
                _let(statement, values, files)
        except Mistake as mistake:
            wrong = mistake
        if word != USE or wrong is not None:
            yield Line(statement, wrong, is_rule=word not in (LET, USE))
            continue
        try:
            found = [_found(name, at, path) for name, at in used_by(statement)]
        except Mistake as mistake:
            yield Line(statement, mistake, is_rule=False)
            continue
        yield Line(statement, is_rule=False)
        for file, at in found:
            yield from _taken_in(statement, file, at, files, values)


def _taken_in(statement: Statement, file: Path, at: int, files: Files, values: Values) -> Iterator[Line]:
    """The statements of a used file, unless they were taken in before."""
    if file in files.open:
        circle = " uses ".join(one.name for one in [*files.open[files.open.index(file) :], file])
        yield Line(statement, Mistake(at, f"a circle: {circle}", "files that do not use each other"), is_rule=False)
        return
    if file not in files.taken and file not in files.named:
        try:
            text = text_of(file)
        except Mistake as mistake:
            yield Line(statement, Mistake(at, f"{file}: {mistake}", mistake.expected), is_rule=False)
            return
        within = values.within()
        files.open.append(file)
        for line in lines(text, stock_rules.origin(file), files, file, within):
            yield replace(line, is_own=False)
        files.open.pop()
        files.taken[file] = {**within.used, **within.own}
    values.used |= files.taken.get(file) or files.named.get(file, {})


def text_of(file: Path) -> str:
    """The text of a rule file. Raises Mistake."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Mistake(0, f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8", "rules in UTF-8") from None
    except OSError as error:
        raise Mistake(0, f"cannot read the rules: {error.strerror}", "a file of rules") from None
    if len(data) > MOST_BYTES:
        raise Mistake(0, "the rules are larger than 16 MiB", "a file of rules")
    if text.startswith(compiled.MAGIC):
        raise Mistake(0, "compiled rules cannot be used by others", "a file with the text of rules")
    return text


def _found(name: str, at: int, path: Path | None) -> tuple[Path, int]:
    """The file that `use` names: stock rules, or a path from the file on. Raises Mistake."""
    beside = (path.parent if path is not None else Path()) / name
    if lexists(beside) and not beside.is_dir():
        return stock_rules.real(beside), at
    if stock := stock_rules.known(name):
        return stock_rules.real(stock_rules.FOLDER / (stock + stock_rules.SUFFIX)), at
    raise Mistake(
        at, f"no such file: {beside}", f"a file, or the name of stock rules: {', '.join(stock_rules.names())}"
    )


def used_files(text: str, path: Path) -> list[Path]:
    """The files that a text names behind `use`. Raises ValueError if a parameter has a part of a name."""
    found = []
    for statement in split(text, ""):
        if statement.text.split(None, 1)[:1] == [USE]:
            try:
                found += [_found(name, at, path)[0] for name, at in used_by(statement)]
            except Mistake as mistake:
                raise ValueError(str(mistake)) from None
    return found


def used_by(statement: Statement) -> list[tuple[str, int]]:
    """The names behind `use`, and where they are. Raises Mistake."""
    begin = statement.text.index(USE) + len(USE)
    found = [(one[1] or one.group(), one.start()) for one in _USED.finditer(statement.text, begin)]
    rest = _USED.sub("", statement.text[begin:])
    if not found or rest.replace(",", "").strip() or rest.count(",") != len(found) - 1:
        expected = "the names of files or stock rules, with commas between them: `use jdbc, slow.rules`"
        raise Mistake(begin if not found else found[-1][1], "`use` takes in files of rules", expected)
    return found


def _let(statement: Statement, values: Values, files: Files) -> None:
    """Gives a name its value. Raises Mistake."""
    parts = _LET.match(statement.text)
    before, name, blank, equals, value = parts.groups() if parts else (statement.text, "", "", "", "")
    if not NAME.fullmatch(name):
        raise Mistake(len(before), f"`{name}` is not a name" if name else "the name is missing", "`let min = 10ms`")
    if not equals or not value.strip():
        raise Mistake(len(before + name + blank + equals), f"`{name}` needs a value", f"`let {name} = 10ms`")
    if name in values.own:
        raise Mistake(len(before), f"`{name}` has a value already: `{values.own[name]}`", "another name")
    values.own[name] = value.strip()
    files.parameters[name] = values.every[name]


def _with_values(statement: Statement, values: Values, files: Files) -> Statement:
    """The statement with the values of its parameters. Raises NoValue."""
    text, at = "", 0
    replaced = []
    for found in PARAMETER.finditer(statement.text):
        name = found[1]
        if name is None:
            continue
        known = values.every
        if name not in known:
            raise NoValue(found.start(), f"the parameter `{name}` has no value", _how(name, known))
        files.parameters.setdefault(name, known[name])
        text += statement.text[at : found.start()]
        replaced.append(Replaced(len(text), len(text) + len(known[name]), found.start(), found.end()))
        text += known[name]
        at = found.end()
    if not replaced:
        return statement
    return replace(statement, text=text + statement.text[at:], written=statement.text, replaced=tuple(replaced))


def _how(name: str, known: Mapping[str, str]) -> str:
    there = ", ".join(f"`{one}`" for one in sorted(known))
    others = f"; the parameters that have one: {there}" if there else ""
    return f"`-D {name}=...` with the command, or a line `let {name} = ...` before this one{others}"
