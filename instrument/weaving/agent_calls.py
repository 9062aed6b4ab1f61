"""The functions that the agent calls inside the JVM: load the rules once, then weave class after class.

Whatever goes wrong with a class, it runs unchanged and the table says why. (If only one measure fails, the weaver
leaves out that measure.) Import only what weaving needs: every millisecond delays the program's start.
"""

from __future__ import annotations

import gc
import sys
from time import monotonic

from classhook.classfile.pool import decode_utf8
from classhook.probes import probe_table, reasons
from classhook.probes.measure import Timeout
from classhook.probes.records import ClassRecord, SkipRecord
from classhook.weaving.class_weaver import Woven
from classhook.weaving.weave import weave, why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.ruleset import RuleSet as Rules

# enum ch_status in native/weaver/embed.h
LEFT, WOVEN, SKIPPED, SUPPORT = range(4)


class Result:
    """The result for C: struct ch_woven. `lasting`: the same class would give the same result again."""

    __slots__ = ("data", "integers_at", "lasting", "meta", "slots", "status")

    def __init__(
        self, status: int, meta: bytes = b"", data: bytes | None = None, slots: int = 0, integers_at: int = 0
    ) -> None:
        self.status = status
        self.lasting = True
        self.meta = meta
        self.data = data
        self.slots = slots
        self.integers_at = integers_at


NOTHING = Result(LEFT)
_rules: Rules | None = None
_timeout = 10.0
_stacks = _contexts = False


def load(text: bytes, timeout: float) -> int:
    """Loads the compiled rules; 1 if they are valid. `timeout`: seconds that one class may take."""
    global _rules, _timeout, _stacks, _contexts
    from classhook.measures import rules_of
    from classhook.rules.errors import RuleError
    from classhook.rules.ruleset import RuleSet
    from classhook.rules.words import WORDS

    gc.set_threshold(100_000)  # weaving makes hardly any cycles, and a collection delays an application thread
    try:
        _rules = rules_of(text.decode()) if text else RuleSet([])
    except (RuleError, UnicodeDecodeError) as error:
        say(str(error))
        return 0
    _timeout = timeout
    # as ch_wanted.time and ch_wanted.contexts in native/classes/filter.c
    needs = {WORDS[rule.kind].needs for rule in _rules.rules} if _rules.rules else {"time"}
    _stacks = not needs.isdisjoint(("time", "context"))
    _contexts = "context" in needs
    return 1


def transform(name: bytes, data: bytes, in_jdk: bool, supertypes: bytes = b"", source: bytes = b"") -> Result:
    """Weaves the class; never raises. `name`: internal form, for messages about a class that cannot be read;
    `supertypes`: internal names, each ended by a zero byte; `source`: the path of the jar or directory that it comes
    from."""
    rules = _rules
    if rules is None:
        return NOTHING
    start = monotonic()

    def check_time(share: float = 1.0) -> None:
        if monotonic() - start > share * _timeout:
            raise Timeout(f"more than {share * _timeout:g} s")

    try:
        known = frozenset([decode_utf8(one, 0).replace("/", ".") for one in supertypes.split(b"\0")[:-1]])
        place = source.decode("utf-8", "surrogateescape")
        woven = weave(data, rules, in_jdk, check_time, _stacks, _contexts, supertypes=known, source=place)
        return result_of(woven)
    except Exception as error:  # a defect of classhook must not affect the program
        return _skipped(name, *why_not(error))


def result_of(woven: Woven) -> Result:
    """The result in the form for C."""
    if not woven.matched and woven.data is None:
        return NOTHING
    meta = probe_table.encode(woven.table)
    if woven.data is None:
        return Result(SKIPPED, meta)
    return Result(
        WOVEN if woven.matched else SUPPORT, meta if woven.matched else b"", woven.data, woven.slots, woven.integers_at
    )


def _skipped(name: bytes, reason: str, detail: str) -> Result:
    text = name.decode("utf-8", "replace").replace("/", ".")
    result = Result(SKIPPED, probe_table.encode([ClassRecord(text, ""), SkipRecord("", "", reason, detail)]))
    result.lasting = reason == reasons.MALFORMED
    return result


def compile_rules(path: bytes, text: bytes) -> bytes | str:
    """Rule text as compiled rules, or why it is wrong. `path`: where it comes from, for messages."""
    try:
        import classhook.measures.every  # noqa: F401  # registers the words of rules
        from classhook.rules.compiled import dumps
        from classhook.rules.errors import RuleError
        from classhook.rules.parse import load_bytes
        from classhook.rules.stock_rules import real

        try:
            name = path.decode("utf-8", "surrogateescape")
            return dumps(load_bytes(text, name, path=real(name))).encode()
        except RuleError as error:
            return harmless(str(error))
    except Exception as error:
        return harmless(f"the rules cannot be compiled here: {type(error).__name__}: {error}")


def rules_without(rule: bytes, rules: bytes) -> bytes | str:
    """The compiled rules without this one, which is given as it is in them; or why that cannot be done."""
    try:
        from classhook.live.rule_changes import without
        from classhook.rules.escapes import unescape

        return without(unescape(rule.decode()), rules.decode()).encode()
    except Exception as error:
        return harmless(f"a rule cannot be removed here: {reasons.defect(error)}")


def scripts(request: bytes, rules: bytes) -> bytes | str:
    """Does what the request says with scripts of handlers; returns the compiled rules with their own, or other text, or
    the reason of a failure."""
    try:
        from classhook.agent import script

        return script.answer(request.decode("utf-8", "surrogateescape"), rules)
    except Exception as error:
        return harmless(f"scripts cannot be run here: {reasons.defect(error)}")


def harmless(text: str) -> str:
    """A message without control characters."""
    from classhook.base import terminal

    return terminal.harmless(text)


def say(text: str) -> None:
    """Prints one message to the program's stderr."""
    from classhook.base import terminal

    terminal.say(text)
    sys.stderr.flush()
