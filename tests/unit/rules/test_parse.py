"""Rule text and its error messages: statements, positions, carets and expectations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classhook.rules import compiled
from classhook.rules.errors import RuleError, RuleErrors
from classhook.rules.parse import check_text, load, parse_text
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import ClassPattern, MethodPattern, Rule, Target, TypePattern
from classhook.rules.words import WORDS, Sampler

STOCK = sorted((Path(__file__).parents[3] / "rules" / "stock").glob("*.rules"))


def parse(text: str) -> Rule:
    (rule,) = parse_text(text, "t.rules")
    return rule


def test_everything_that_a_rule_can_say() -> None:
    text = (
        "  time public !static @a.Path jdk:com.acme.Orders+::@GET place*(int, .., java.lang.String[][]),\n"
        '  B::<init>()   except   **.*Stub, a.B::x   as "place  an # order"  # why'
    )
    rule = parse(text)
    assert rule == Rule(
        kind="time",
        text=(
            "time public !static @a.Path jdk:com.acme.Orders+::@GET place*(int, .., java.lang.String[][]), "
            'B::<init>() except **.*Stub, a.B::x as "place  an # order"'
        ),
        origin="t.rules",
        line=1,
        name="place  an # order",
        targets=(
            Target(
                ClassPattern("com.acme.Orders", jdk=True, subtypes=True),
                MethodPattern("place*", ("GET",), ("int", "..", "java.lang.String[][]")),
                ((False, "public"), (True, "static")),
                ("a.Path",),
            ),
            Target(ClassPattern("B"), MethodPattern("<init>", parameters=())),
        ),
        excepts=(Target(ClassPattern("**.*Stub")), Target(ClassPattern("a.B"), MethodPattern("x"))),
    )


def test_alloc() -> None:
    rule = parse("alloc java.util.Map, byte[][], * in com.acme.**::load*, x.Y")
    assert rule.types == (TypePattern("java.util.Map"), TypePattern("byte", 2), TypePattern("*"))
    assert rule.targets == (
        Target(ClassPattern("com.acme.**"), MethodPattern("load*")),
        Target(ClassPattern("x.Y")),
    )
    assert parse("alloc *").targets == (Target(ClassPattern("**")),)


@pytest.mark.parametrize(
    ("clauses", "kept"),
    [
        ("slowest 20", "show args, result, stack 4 slowest 20"),
        ("slowest 5 sample 1/20", "show args, result, stack 4 slowest 5"),
        ("tree slowest 20 mask password, **.token", "show args, result, stack 4 slowest 20 mask password, **.token"),
        ("mask a, b slowest 7", "show args, result, stack 4 slowest 7 mask a, b"),
    ],
)
@pytest.mark.parametrize("name", ["", ' as "a tree mask"'])
def test_the_slowest_calls_of_a_rule_that_times_are_another_rule(clauses: str, kept: str, name: str) -> None:
    about = "a.Tree::slowest, b.**::* from tree.jar except b.Mask"
    timed, watched = parse_text(f"time {about} {clauses}{name}", "t.rules")
    assert timed.kind == "time"
    assert watched.text == f"watch {about} {kept}{name}"
    (written,) = parse_text(watched.text, "t.rules")
    assert (written.targets, written.excepts, written.sources, set(written.clauses), written.name) == (
        watched.targets,
        watched.excepts,
        watched.sources,
        set(watched.clauses),
        watched.name,
    )


def test_masks_are_for_calls_that_are_kept() -> None:
    with pytest.raises(RuleError, match="`mask` is about the calls that are kept"):
        parse("time a.B::c mask password")


@pytest.mark.parametrize(
    "text",
    [
        "time in::as",
        "time time::count(..)",
        "alloc inner, in in in",
        "count as.except.in::alloc",
        "time public.native.A::static",
        "time publicity::m",
        "time jdk::m",
        "time a.B :: m ( int , .. )",
        "time a.\u6f22\u5b57$1::\u00e9t\u00e9",
        "time a.B::value-impl",
        'count a.B::c as"x"',
        "count a.B::`c  # \" d`, e.F::`don't`",
        "watch a.B::c when arg0 == '`'",
        'count a.B::c as "in `one"',
    ],
)
def test_names_may_look_like_words_of_the_language(text: str) -> None:
    assert parse(text).text == text


def test_lines_go_on_behind_a_comma_or_a_parenthesis() -> None:
    text = "# first\n\ntime a.B::c(  # open\n  int,\n  # a comment between\n  long)\r\n\ncount a.B::d\n"
    first, second = parse_text(text, "t.rules")
    assert (first.line, first.text) == (3, "time a.B::c( int, long)")
    assert (second.line, second.text) == (8, "count a.B::d")


# A text, line and column of the mistake, and parts of the message and of what is expected.
MISTAKES = [
    (
        "count a.B::c from caller d.E::f",
        1,
        26,
        "`from` is followed by where classes come from",
        "`count calls a.B::c in d.E::f` for",
    ),
    ("time from a.B::c from d.E::f to a.B::g by arg0", 1, 23, "where classes", "`time calls a.B::c in d.E::f` for"),
    ("time a.B::c from d.E::f by arg0", 1, 18, "where classes come from", "`time calls a.B::c in d.E::f` for"),
    ("tiem a.B::c", 1, 1, "no rule begins with `tiem`; did you mean `time`?", "`count`"),
    ("Time a.B::c", 1, 1, "did you mean `time`?", "`alloc`"),
    ("42 a.B::c", 1, 1, "no rule begins with `42`", "`time`"),
    ("time", 1, 5, "ends too early", "a class pattern (`com.acme.**`)"),
    ("count calls", 1, 12, "ends too early", "a class pattern (`com.acme.**`)"),
    ("count calls in a.b", 1, 13, "the called methods are missing", "then `in`"),
    ("time calls @X a.B::m in c", 1, 12, "not their modifiers, annotations or modules", "`java.util.List+::add`"),
    ("count calls public a.B::m", 1, 13, "not their modifiers, annotations or modules", "`java.util.List+::add`"),
    ("count calls a.B::m, jdk:c.D::m", 1, 21, "not their modifiers, annotations or modules", "`java.util.List+::add`"),
    ("time calls a.B+ in c.**", 1, 17, "a method is missing", "`a.B+::*`"),
    ("time calls a.B::m in c.** by arg0", 1, 27, "`by` is for", "no `by` here"),
    ("value a.B::m", 1, 13, "says which number", "`of` and the number"),
    ("value a.B::m of", 1, 16, "ends too early", "a number (`arg0`"),
    ("value a.B::m of this", 1, 17, "`this` is an object", "`this.size`"),
    ("value a.B::m of exception", 1, 17, "an exception has no number", "`arg0`"),
    ("value a.B::m of arg0 top 3", 1, 26, "`top` is about keys", "`by arg0`"),
    ("count a.B::m of arg0", 1, 14, "`of` is for `value`", "no `of` here"),
    ("count a.B::m below c.D", 1, 23, "a method is missing", "`::method`"),
    ("time a.B::m below", 1, 18, "ends too early", "`com.acme.Checkout::pay`"),
    ("time a.B::m tree below c.D::e", 1, 18, "exclude each other", "only one of them"),
    ("profile a.B::m below c.D::e", 1, 16, "`below` is for", "no `below` here"),
    ("profile calls a.B::m", 1, 9, "no rule `profile calls`", "count calls"),
    ("count throw a.B", 1, 7, "no rule `count throw`", "`count throws`"),
    ("time a.B::m by arg0 sample 1/10", 1, 21, "`by` and `sample` exclude each other", "only one"),
    ("time com.acme.Orders.place(..)", 1, 21, "separated by `::`", "`com.acme.Orders::place`"),
    ("time com.acme.Orders.place", 1, 21, "separated by `::`", "`com.acme.Orders::place`"),
    ("time com.acme.Orders place", 1, 22, "separated by `::`", "`com.acme.Orders::place`"),
    ("time com.acme.Orders", 1, 21, "a method is missing", "`::method`"),
    ("time com.acme.Orders+", 1, 22, "a method is missing", "`::method`"),
    ("time com.acme.**  # all", 1, 17, "a method is missing", "`::method`"),
    ("time com.acme.Orders#place", 1, 21, "`#` begins a comment", "`::`"),
    ("time com.acme.Orders:place", 1, 21, "one colon", "`::`"),
    ("time shop.** sample 1/9", 1, 14, "a method is missing", "`shop.**::*`"),
    (
        "time shop.**::* budget 5%",
        1,
        17,
        "the clause `budget` is gone: `profile` measures better",
        "or `time TARGET sample 1/100`",
    ),
    ("profile shop.** budget 0.5%", 1, 17, "the clause `budget` is gone", "`profile TARGET`"),
    ("time a.B::c,\n  d.E::f sample 1/2 budget 5% tree", 2, 21, "the clause `budget` is gone", "`profile TARGET`"),
    ("time a.B::c budget", 1, 13, "unexpected `budget`", "`sample`"),
    ("time shop.** except a.C", 1, 14, "a method is missing", "`shop.**::*`"),
    (
        "time * shop.Stock::find",
        1,
        6,
        "`*` before the class: the type of the result is behind the method",
        "`shop.Stock::...: *`",
    ),
    (
        "time java.lang.String a.B::c(int)",
        1,
        6,
        "the type of the result is behind the method",
        "`a.B::...: java.lang.String`",
    ),
    ("watch a.B::c show", 1, 18, "ends too early", "names (`args, result`)"),
    ("watch a.B::c when", 1, 18, "ends too early", "a condition (`arg0 > 100`)"),
    ("alloc byte[] mask", 1, 18, "ends too early", "an expression"),  # `alloc` has no such clause
    ('watch a.B::c when arg0 == "x', 1, 27, "the quote that opens here is not closed", '`"` at the end of the text'),
    (
        "watch a.B::c when arg0 == 'x show args",
        1,
        27,
        "the quote that opens here is not closed",
        "`'` at the end of the text",
    ),
    ("time publik a.B::c", 1, 6, "no modifier `publik`; did you mean `public`?", "`static`|static"),
    ("time public !statik a.B::c", 1, 14, "no modifier `statik`; did you mean `static`?", "static"),
    (
        "time void a.B::c()",
        1,
        6,
        "`void` before the class: the type of the result is behind the method",
        "`a.B::...: void`",
    ),
    ("time public !public a.B::c", 1, 14, "both `public` and `!public`", "one of them"),
    ("time a.B::c(int", 1, 12, "is not closed", "`)`"),
    ("time a.B::c(", 1, 12, "is not closed", "`)`"),
    ("time a.B::c(int))", 1, 17, "no parenthesis is open", "end of the line"),
    ("time a.B::c)", 1, 12, "no parenthesis is open", "end of the line"),
    ("time a.B::c(int int)", 1, 17, "unexpected `int`", "`,` or `)`"),
    ("time a.B::c(String...)", 1, 19, "variable number", "`[]`"),
    ("time a.B::c(..[])", 1, 15, "no dimensions", "`*[]`"),
    ("time a.B::`c as", 1, 11, "backquote that opens here is not closed", "behind the method's name"),
    ("time a.B::`c d(int,\ntime a.B::c", 1, 11, "backquote that opens here is not closed", "behind the method's name"),
    ("time a.B::c,\n  d.E::`` by arg0", 2, 8, "no name in these backquotes", "between them"),
    ('time a.B::c as "foo', 1, 16, "quote that opens here is not closed", '`"`'),
    ("time a.B::c as foo", 1, 16, "must be in quotes", '`"foo"`'),
    ('time a.B::c as ""', 1, 16, "name is empty", "in quotes"),
    ('time a.B::c as "a" as "b"', 1, 20, "unexpected `as`", "the end of the line"),
    ("time com/acme/X::y", 1, 9, "dots", "`com.acme.X`"),
    ("time a.B::c(Ljava/lang/String;)", 1, 30, "descriptor", "dots"),
    ("time a..B::c", 1, 7, "segment", "a name"),
    ("time .B::c", 1, 6, "segment", "a name"),
    ("time a.***::c", 1, 8, "`***`", "`**`"),
    ("time a.B?::c", 1, 9, "`?`", "`*`"),
    ("time a.B<T>::c", 1, 9, "type arguments", "alone"),
    ("time a.B::get**", 1, 14, "crosses dots", "`*`"),
    ("time a.B::<int>", 1, 11, "no such initializer", "`<init>`"),
    ("count shop.core::place-order!", 1, 29, "with `!` in it needs backquotes", "`` `place-order!` ``"),
    ("count shop.core::+", 1, 18, "with `+` in it needs backquotes", "`` `+` ``"),
    ("count shop.core::->Item", 1, 18, "needs backquotes", "`` `->Item` ``"),
    ("count shop.core::empty?", 1, 23, "`?` is not a wildcard", "in backquotes"),
    ("count writes load.Load::failed", 1, 23, "behind a dot, not behind `::`", "`load.Load.failed`"),
    ("alloc HashMap of load.**", 1, 15, "`of` is for `value`, not for `alloc`", "`in`"),
    ("context a.B::c by arg0 onwards", 1, 24, "did you mean `onward`?", "`onward`"),
    ("watch a.B::c when arg0 > 3 shwo args", 1, 28, "did you mean `show`?", "`show`"),
    ("context a.B::c by arg0, thread", 1, 25, "does not tell calls of a method apart", "`arg0`"),
    ("context a.B::c by stack 4", 1, 19, "unknown name `stack 4`", "`arg0`, a parameter's name"),
    ("value a.B::c of len(arg0)", 1, 17, "`len(`: rules call no methods", "`arg0.length`"),
    ("value a.B::c of arg0.size()", 1, 17, "rules call no methods", "`arg0.length`"),
    ("value a.B::c of arg0 +", 1, 23, "ends too early", "`result.length`"),
    ("value a.B::c of arg0 - 'x'", 1, 24, "`-` needs numbers", "a path or a number on both sides"),
    ("value a.B::c of arg0 * this", 1, 24, "`this` is an object", "`this.size`"),
    ("value a.B::c of arg0 - com.acme.Limits::most", 1, 24, "is not a value of the call", "`result.length`"),
    ("time a.B::get.x", 1, 14, "cannot contain `.`", "a name"),
    ("time a.B::get;", 1, 14, "cannot contain `;`", "a name"),
    ("time a.B::", 1, 11, "ends too early", "a method name (`get*`)"),
    ("time a.B::c except", 1, 19, "ends too early", "a class pattern"),
    ("time a.B::c in d", 1, 13, "unexpected `in`", "`except`"),
    ("alloc int", 1, 7, "not the type of an object", "`int[]`"),
    ("alloc int+[]", 1, 10, "has no subtypes", "`int[]`"),
    ("alloc in a.B", 1, 7, "the types are missing", "`byte[]`"),
    ("alloc a.B::c", 1, 10, "begins with types", "`alloc * in ...`"),
    ("alloc byte[ in a.B", 1, 11, "unexpected `[`", "`[]`"),
    (
        "cpu com.acme.Foo",
        1,
        5,
        "`cpu` is about the whole process, and has no targets",
        "`every`, `depth`, `lines`, `threads`, `as` or the end of the line",
    ),
    ("cpu except a.**", 1, 5, "has no targets", "`profile`"),
    ("cpu 10ms", 1, 5, "unexpected `10ms`", "`every`"),
    ("cpu every 10us", 1, 11, "samples cannot be taken at this interval", "from `1ms` to `1s`"),
    ("cpu every 4KB", 1, 11, "`4KB` is not a value for `every`", "a duration (`10ms`)"),
    ("alloc byte[] every 10ms", 1, 20, "`10ms` is not a value for `every`", "a size (`4KB`)"),
    (
        "alloc byte[] every 1025MB",
        1,
        20,
        "objects cannot be sampled at this interval",
        "from `0`, which is each object, to `1024MB`",
    ),
    ("alloc byte[] every x", 1, 20, "unexpected `x`", "a size (`4KB`)"),
    ("alloc byte[] stack 0", 1, 20, "a stack with this number of frames cannot be recorded", "from `1` to `256`"),
    ("alloc byte[] live live", 1, 19, "already set by `live`", "only one of them"),
    ("time a.B::c live", 1, 13, "`live` is for `alloc`, not for `time`", "no `live` here"),
    ("cpu depth 0", 1, 11, "no sample has this number of frames", "from `1` to `1024`"),
    ("cpu depth 1025", 1, 11, "no sample has this number of frames", "from `1` to `1024`"),
    ("cpu depth many", 1, 11, "unexpected `many`", "a number (`64`)"),
    ("cover a.** hits hits", 1, 17, "already set by `hits`", "only one of them"),
    ("cover a.** hits 3", 1, 17, "unexpected `3`", "`exact`"),
    ("cover", 1, 6, "ends too early", "a class pattern"),
    ("count a.**::* exact", 1, 15, "`exact` is for `cover`, not for `count`", "no `exact` here"),
    ("cpu sample 1/10", 1, 5, "`sample` is for `time`, not for `cpu`", "no `sample` here"),
    ("time a.B::c depth 8", 1, 13, "`depth` is for `cpu`, not for `time`", "no `depth` here"),
    ("look a.**", 1, 1, "no rule begins with `look`", "`time`"),
    ("time a.**::* tree sample 1/2", 1, 19, "`sample` and `tree` exclude each other", "only one of them"),
    ("time a.**::* sample 1/2 tree", 1, 25, "`tree` and `sample` exclude each other", "only one of them"),
    ("time a.**::* tree tree", 1, 19, "already set by `tree`", "only one of them"),
    ("count a.**::* tree", 1, 15, "`tree` is for `time`, not for `count`", "no `tree` here"),
    ("time a.B::c\u00a0(..)", 1, 12, "no-break space (U+00A0)", "blanks"),
    ("time a\x00.B::c", 1, 7, "control character (U+0000)", "blanks"),
    ("time a\udc80.B::c", 1, 7, "half of a character (U+DC80)", "visible characters"),
    ("time a.B::c,\ntime d.E::f", 1, 12, "the line ends in `,`", "end of the line"),
    ("time a.B::c(\n  int,\n  a/b)", 3, 4, "dots", "`a.b`"),
    ("# one\n\n  time a.B::c(int,\n", 3, 14, "not closed", "a type"),
]


def test_words_that_the_agent_writes_are_not_offered() -> None:
    for text in ("look a.**", "evnt a.B::c", "cpu com.acme.Foo"):
        with pytest.raises(RuleError) as caught:
            parse_text(text, "t.rules")
        assert "`time`" in caught.value.expected
        assert "`event`" not in str(caught.value)


@pytest.mark.parametrize(("text", "line", "column", "message", "expected"), MISTAKES)
def test_mistakes_are_told_where_and_how(text: str, line: int, column: int, message: str, expected: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_text(text, "t.rules")
    error = caught.value
    assert (error.origin, error.line, error.column) == ("t.rules", line, column), str(error)
    assert message in error.message
    assert any(words in error.expected for words in expected.split("|")), error.expected
    head, source, caret, last = str(error).split("\n")
    assert head == f"t.rules:{line}:{column}: {error.message}"
    assert caret.index("^") == 4 + column - 1
    assert source[4:5] == text.split("\n")[line - 1][0]
    assert last == f"    expected: {error.expected}"


def test_a_program_without_measures_knows_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classhook.rules.parse.WORDS", {})
    with pytest.raises(RuntimeError, match=r"import classhook\.measures"):
        parse("time a.B::c")


def test_no_word_of_the_parser_reaches_the_user() -> None:
    for text, *_ in MISTAKES:
        _, (error, *_) = check_text(text, "t.rules")
        for word in ("RPAR", "LPAR", "CLASS", "METHOD", "COLONS", "Token", "$END", "terminal", "_"):
            assert word not in str(error)


def test_the_caret_stands_below_the_mistake_behind_tabs_and_wide_characters() -> None:
    with pytest.raises(RuleError) as caught:
        parse_text("\ttime\t\u6f22\u5b57.B::c(!)", "t.rules")
    assert str(caught.value).split("\n")[2] == "    \t    \t          ^"


def test_all_mistakes_of_a_text_are_told() -> None:
    text = 'tiem a.B::c\ntime a.B::ok\nalloc int\ntime a.B::c as "x,\ncount a.B::ok\n'
    found, errors = check_text(text, "t.rules")
    assert [rule.line for rule in found] == [2, 5]
    assert [error.line for error in errors] == [1, 3, 4]
    with pytest.raises(RuleErrors) as caught:
        parse_text(text, "t.rules")
    assert caught.value.line == 1
    assert [line for line in str(caught.value).split("\n") if line.startswith("t.rules:")] == [
        f"t.rules:{error.line}:{error.column}: {error.message}" for error in errors
    ]


def test_a_long_list_of_mistakes_ends() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_text("time a.B:c\n" * 1320, "t.rules")
    lines = str(caught.value).split("\n")
    assert len([line for line in lines if line.startswith("t.rules:")]) == 20
    assert lines[-1] == "and 1,300 more"


@pytest.mark.parametrize(
    ("text", "offered", "refused"),
    [
        ("time a.B::c sample 1/2 x", ["`as`"], ["`sample`", "`tree`"]),
        ("cpu every 1s x", ["`depth`", "`lines`", "`as`"], ["`every`"]),
        ('time a.B::c "x', ["`as`", "`from`"], ['`"`']),
        ("time a.B::c[]", ["`(`"], ["dimension"]),
        ("alloc a.B in c.D::e[", ["`except`"], ["dimension"]),
        ("time a.B::c from x y", ["`except`"], ["`from`"]),
    ],
)
def test_only_what_is_accepted_is_offered(text: str, offered: list[str], refused: list[str]) -> None:
    with pytest.raises(RuleError) as caught:
        parse_text(text, "t")
    assert [word for word in offered if word not in caught.value.expected] == []
    assert [word for word in refused if word in caught.value.expected] == []


def test_load_takes_files_then_texts(tmp_path: Path) -> None:
    text, ready = tmp_path / "a.rules", tmp_path / "b.chr"
    text.write_bytes("\ufefftime a.B::\u00e9\r\n# end".encode())
    ready.write_text(compiled.dumps(load([], ["count c.D::*"])), encoding="utf-8", newline="")
    ruleset = load([ready, str(text)], ["alloc *"])
    assert [(rule.kind, rule.origin, rule.line) for rule in ruleset.rules] == [
        ("count", "-e", 1),
        ("time", str(text), 1),
        ("alloc", "-e", 1),
    ]
    assert load([text]).rules == ruleset.rules[1:2]


def test_load_tells_the_mistakes_of_all_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("time a.B\n")
    with pytest.raises(RuleErrors) as caught:
        load([path, tmp_path / "missing.rules"], ["tiem x", "time a.B::c"])
    assert [error.origin for error in caught.value.errors] == [str(path), str(tmp_path / "missing.rules"), "-e"]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_a_file_without_rules(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.rules"
    path.write_bytes(content)
    with pytest.raises(RuleError, match=r"no rules in .*a\.rules"):
        load([path])


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_bytes(b"time a.B::c\ntime a.\xe9::c\n")
    with pytest.raises(RuleError) as caught:
        load([path])
    assert str(caught.value).startswith(f"{path}:2: byte 19 (0xe9) is not UTF-8")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path, "cannot read the rules: Is a directory"),
        (tmp_path / "no", "no such file"),
        ("a\0b", "cannot read the rules: embedded null"),
    ):
        with pytest.raises(RuleError) as caught:
            load([path])
        assert str(caught.value).startswith(f"{path}: {reason}")
        assert "^" not in str(caught.value)


@pytest.mark.parametrize("path", STOCK, ids=lambda path: path.name)
def test_stock_rules_are_right(path: Path) -> None:
    assert load([path]).rules
    assert re.fullmatch(r"# .{20,130}\.", path.read_text().partition("\n")[0]), (
        "a sentence, which `classhook rules` shows"
    )
    assert f"-r {path.stem} " in path.read_text(), "how to run it"


def test_stock_rules_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jdbc").mkdir()
    for path in STOCK:
        for name in (path.name, path.stem, Path(path.stem)):
            assert [rule.text for rule in load([name]).rules] == [rule.text for rule in load([path]).rules]
    assert {rule.origin for rule in load(["jdbc.rules"]).rules} == {"stock rules jdbc"}
    Path("jdbc.rules").write_text("count a.B::own")
    assert [rule.text for rule in load(["jdbc.rules"]).rules] == ["count a.B::own"]
    assert len(load(["jdbc"]).rules) > 1
    Path("h2").symlink_to("gone")
    for name in ("h2", "./javac", "jdbx", f"{tmp_path}/servlets.rules"):
        with pytest.raises(
            RuleError,
            match=(
                f"^{name}: no such file; FILE may also be the name of stock rules:"
                f" {', '.join(path.stem for path in STOCK)}$"
            ),
        ):
            load([name])


def test_coverage_is_of_places_and_its_clauses_have_no_values() -> None:
    (rule,) = parse_text('cover a.**, public b.C::d* except a.gen.** exact hits as "x"', "here")
    assert [str(target.class_pattern) for target in rule.targets] == ["a.**", "b.C"]
    assert [bool(rule.clause(word)) for word in ("hits", "exact", "tree")] == [True, True, False]
    assert compiled.loads(compiled.dumps(RuleSet([rule]))).rules == (rule,)


def test_objects_are_sampled_where_a_clause_asks_for_it() -> None:
    samples = WORDS["alloc"].samples
    assert samples is not None
    texts = (
        "alloc byte[]",
        "alloc byte[] live",
        "alloc byte[] in a.** except a.b.** stack 9 every 4KB",
        "alloc byte[] every 0 live",
    )
    assert [samples(parse(text)) for text in texts] == [
        None,
        Sampler("objects", every_bytes=512 << 10, frames=4, live=1, threads=0),
        Sampler("objects", every_bytes=4 << 10, frames=9, live=0, threads=0),
        Sampler("objects", every_bytes=0, frames=4, live=1, threads=0),
    ]
    assert [
        line
        for text in texts
        for line in compiled.dumps(RuleSet([parse(text)])).splitlines()
        if line.startswith("sampler\t")
    ] == [
        "sampler\tobjects\tevery_bytes=524288\tframes=4\tlive=1\tthreads=0",
        "sampler\tobjects\tevery_bytes=4096\tframes=9\tlive=0\tthreads=0",
        "sampler\tobjects\tevery_bytes=0\tframes=4\tlive=1\tthreads=0",
    ]


def test_a_rule_about_the_process_says_how_often_and_how_deep() -> None:
    samples = WORDS["cpu"].samples
    assert samples is not None
    assert [samples(parse(text)) for text in ("cpu", "cpu every 2ms", 'cpu depth 8 every 1s lines as "x"')] == [
        Sampler("cpu", period_us=10_000, frames=1024, lines=0, threads=0),
        Sampler("cpu", period_us=2_000, frames=1024, lines=0, threads=0),
        Sampler("cpu", period_us=1_000_000, frames=8, lines=1, threads=0),
    ]


def test_one_rule_about_the_process_is_enough(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("count a.B::c\ncpu every 20ms\n")
    assert len(load([tmp_path / "one"])) == 2
    with pytest.raises(RuleError, match=r"a second rule `cpu`; the first is .*one:2: `cpu every 20ms`") as caught:
        load([tmp_path / "one"], ["cpu"])
    assert (caught.value.origin, caught.value.line) == ("-e", 1)
