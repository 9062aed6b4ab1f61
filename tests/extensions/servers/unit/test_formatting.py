"""The canonical layout: what it looks like, that it means the same, and that it is not changed again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.rules import compiled, stock_rules
from classhook.rules.formatting import change, formatted
from classhook.rules.parse import check_text, parse_text
from classhook.rules.ruleset import RuleSet

QUOTED_OR_BLANKS = re.compile(r"""("[^"]*"|'[^']*')|\s+""")


def meaning(text: str) -> list[object]:
    """Returns what the rules of a text say; blanks in expressions do not matter."""
    found: list[object] = []
    for rule in check_text(text, "x")[0]:
        clauses = [(word, QUOTED_OR_BLANKS.sub(lambda blank: blank[1] or "", value)) for word, value in rule.clauses]
        found.append((rule.kind, rule.name, rule.targets, rule.types, rule.called, rule.excepts, rule.sources, clauses))
    return found


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("  time   a.B :: c ( int ,.. ) : int", "time a.B::c(int, ..): int"),
        ("count  calls a.B + ::c in ! static @ D jdk: x.Y", "count calls a.B+::c in !static @D jdk:x.Y"),
        ("alloc byte[] ,java.util.Map+[]", "alloc byte[], java.util.Map+[]"),
        ('time a.B::c by  arg0 ,this.x as  "x  y"# why', 'time a.B::c by arg0 ,this.x   as "x  y"  # why'),
        ("watch a.B : 12-14 when x  == 'a  b'", "watch a.B:12-14 when x == 'a  b'"),
        ("time a.B::c,\nd.E::f,\n   # more\n   g.H::i", "time a.B::c,\n     d.E::f,\n     # more\n     g.H::i"),
        (
            'time a.B::c tree as "1"\ncount a.Longer::c as "2"',
            'time a.B::c         tree as "1"\ncount a.Longer::c   as "2"',
        ),
        (f'time a.B::c as "1"\ntime a.{"B" * 40}::c as "2"', f'time a.B::c   as "1"\ntime a.{"B" * 40}::c   as "2"'),
        (
            "count  a.B :: `c  # d` ,e.F::`g  ,`  below  a.B::`c  d`# why",
            "count a.B::`c  # d`, e.F::`g  ,` below a.B::`c  d`  # why",
        ),
        ("# one  \n\n\n  # two\n\ncount a.B::c\n\n\n", "# one\n\n\n# two\n\ncount a.B::c"),
        ("  bad   rule  ::\ncount  a.B::c", "  bad   rule  ::\ncount a.B::c"),
        ("count  a.B::c\r\n# x\r\n", "count a.B::c\r\n# x\r"),
        ("", ""),
    ],
)
def test_the_layout(written: str, laid_out: str) -> None:
    assert formatted(written) == laid_out + "\n" * bool(laid_out)


@pytest.mark.parametrize("name", stock_rules.names())
def test_stock_rules_that_were_spoilt_are_laid_out_as_before(name: str) -> None:
    text = stock_rules.text(name)
    wide = [
        line if line.startswith("#") else QUOTED_OR_BLANKS.sub(lambda found: found[1] or "    ", line) + " "
        for line in text.split("\n")
    ]
    spoilt = "\n".join(wide)
    assert meaning(spoilt) == meaning(text)
    assert formatted(spoilt) == formatted(text)
    assert meaning(formatted(text)) == meaning(text)


def test_compiled_rules_stay() -> None:
    text = compiled.dumps(RuleSet(parse_text("count a.B::c", "x")))
    assert formatted(text) == text


def test_only_what_differs_is_changed() -> None:
    assert change("# a\ncount a.B::c\n  count a.B::d\n# b\n") == (2, 3, "count a.B::d\n")
    assert change("count a.B::c") == (0, 1, "count a.B::c\n")
    assert change("count a.B::c\n") is None


BLANKS = st.sampled_from([" ", "  ", "\t", "   "])
TARGETS = st.sampled_from(
    [
        "a.B::c",
        "public !static a.B::<init>(int, ..)",
        "@X a.**::@Y get*(): int[]",
        "jdk:a.{B,C}+::d",
        "**::*",
        "a.B::`c  #  d`",
    ]
)
CLAUSES = st.sampled_from(
    [
        "",
        "tree",
        "sample 1/100",
        "by arg0, this.x",
        'when arg0 == "a  #\'b" && this.x["k"] > 3',
        "show args, stack 4",
        "except a.**",
        "from **/x.jar",
    ]
)
NAMES = st.sampled_from(["", ' as "one"', ' as "a  # name"'])
COMMENTS = st.sampled_from(["", "# c", "  #  d "])


@st.composite
def files(draw: st.DrawFn) -> str:
    """Files with statements, good and bad, comments and blank lines."""
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["time", "count", "watch", "count  calls", "alloc", "", "x"]))
        targets = draw(st.lists(TARGETS, min_size=1, max_size=3))
        joined = draw(st.sampled_from([",", " , ", ",\n", ", # more\n\t# and\n "])).join(targets)
        clause, name = draw(CLAUSES), draw(NAMES)
        words = [word for word in (kind, joined, clause) if word]
        lines.append(draw(st.sampled_from(["", " "])) + draw(BLANKS).join(words) + name + draw(COMMENTS))
        lines += draw(st.lists(st.sampled_from(["", "# note", "   "]), max_size=2))
    return "\n".join(lines)


@given(files())
def test_the_layout_means_the_same(text: str) -> None:
    once = formatted(text)
    assert meaning(once) == meaning(text)
    assert formatted(once) == once
    assert [line.strip() for line in re.findall(r"# (?:c|more|and|note)$", once, re.M)] == re.findall(
        r"# (?:c|more|and|note)(?=$|\n)", text
    )
    assert len(check_text(once, "x")[1]) == len(check_text(text, "x")[1])


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_whatever_is_in_a_file(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once
