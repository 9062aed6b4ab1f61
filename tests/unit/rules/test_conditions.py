"""Conditions of `watch` and what it shows: the parser, and conditions as code at a method's entry."""

from __future__ import annotations

import pytest

from classhook.measures.watch.agent_words import prefix
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.rules import compiled
from classhook.rules.calculation_parser import number
from classhook.rules.condition_parser import condition, shown
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Calculation, Comparison, Elements, Group, Literal, Path, paths_in, pattern_parts
from classhook.rules.errors import RuleError
from classhook.rules.parse import parse_text
from classhook.rules.path_parser import path
from classhook.rules.ruleset import RuleSet


def test_precedence_and_parentheses() -> None:
    first, second, third = (Comparison(Path((name,)), "==", Literal(True)) for name in ("arg0", "arg1", "arg2"))
    assert condition("arg0 || arg1 && arg2") == Group("||", (first, Group("&&", (second, third))))
    assert condition("(arg0 || arg1) && arg2") == Group("&&", (Group("||", (first, second)), third))
    assert condition("((arg0))") == first


def test_a_negation_reaches_the_comparisons() -> None:
    assert condition('!(arg0 > 1 && (arg1 == "x" || !arg2))') == condition('arg0 <= 1 || (arg1 != "x" && arg2)')
    assert (
        condition("!arg0") == condition("arg0 == false") == condition("arg0 != true")
    )  # null is neither true nor false
    assert condition("!!arg0") == condition("arg0")


def test_constants() -> None:
    values = {
        "100": 100,
        "-5": -5,
        "0x1F": 31,
        "1_000": 1000,
        "7L": 7,
        "2.5": 2.5,
        "1e3": 1000.0,
        "'x'": "x",
        "null": None,
        '"a\\"b\\\\\\u20ac\\n"': 'a"b\\€\n',
    }
    for text, value in values.items():
        found = condition(f"arg0 == {text}")
        assert isinstance(found, Comparison)
        assert found.right == Literal(value), text
    assert condition("100 < this.a.b") == Comparison(Path(("this", "a", "b")), ">", Literal(100))


def test_what_is_shown() -> None:
    found = shown("this.id, args, result, stack 4, arg0.customer.name")
    assert [str(path) for path in found.paths] == ["this.id", "result", "arg0.customer.name"]
    assert (found.args, found.frames) == (1, 4)


def test_elements_types_and_sets() -> None:
    assert condition("arg0 in {1, 2}") == condition("arg0 == 1 || arg0 == 2")
    assert condition("!(arg0 in {1, 2})") == condition("arg0 != 1 && arg0 != 2")
    assert condition('thrown.message ~ "x*"') == Comparison(Path(("exception", "message")), "~", Literal("x*"))
    assert condition("!(arg0 instanceof a.B$C)") == Comparison(Path(("arg0",)), "!instanceof", Literal("a.B$C"))
    for text, names in {
        'arg0["a.b]"].c[2][3]': ("arg0", '["a.b]"]', "c", "[2]", "[3]"),
        "a.b.C::limit.length": ("a.b.C::limit", "length"),
        "C$D::x[1]": ("C$D::x", "[1]"),
        "thread.length": ("thread", "length"),
    }.items():
        found = condition(f"{text} == 1")
        assert isinstance(found, Comparison)
        assert (found.left.names, str(found.left)) == (names, text)


def test_calculations() -> None:
    first, second = Path(("arg0",)), Path(("arg1",))
    difference = Calculation("-", second, first)
    assert condition("arg1-arg0>-100") == Comparison(difference, ">", Literal(-100))
    assert condition("(arg1 - arg0) > 100 * 2 + 1") == condition("201 < arg1 - arg0")
    assert condition("(arg1 - arg0 > 1)") == condition("arg1 - arg0 > 1")
    assert condition("((arg1) - arg0) * 2 == arg0") == Comparison(Calculation("*", difference, Literal(2)), "==", first)
    assert condition("arg0 - arg1 - 1 == 0") == condition("(arg0 - arg1) - 1 == 0")
    assert condition("arg0 % 3 in {1, 2}") == condition("arg0 % 3 == 1 || arg0 % 3 == 2")
    for text in ("arg0 - (arg1 - this.a.b)", "(arg0 + 1) * 2 / arg1", "arg0 - arg1 * 2 - 1.5", "arg0[1] % 10"):
        assert str(number(text)) == text
    assert number("arg0 * (4611686018427387904 * 2)") == number("arg0 * -9223372036854775808"), "as longs of Java"
    assert number("arg0 + 7 / 2") == number("arg0 + 3.5")


def test_elements() -> None:
    dear = Comparison(Path(("it", "price")), ">", Literal(100))
    items = Path(("arg0", "items"))
    assert condition("any(arg0.items, price > 100)") == Elements("any", items, dear)
    assert condition("!any(arg0.items, it.price <= 100)") == Elements("all", items, dear)
    assert condition('any(arg0.items, any(tags, it == "x"))') == Elements(
        "any", items, Elements("any", Path(("it", "tags")), Comparison(Path(("it",)), "==", Literal("x")))
    )
    assert condition("any > 3") == Comparison(Path(("any",)), ">", Literal(3)), "a parameter of this name"
    assert paths_in(condition("all(arg0.items, price > 1) && arg1 > 2")) == [items, Path(("arg1",))]
    assert prefix(condition("any(arg0.items, price > 100 && it != null)")) == "E a0.items & > e.price i100 != e n"
    assert prefix(condition("!any(this.a, it)")) == "A t.a == e b0"


def test_patterns() -> None:
    assert {text: pattern_parts(text) for text in ("a*b", "*", "", "a\\*b*", "\\\\*", "c\\d", "x\\")} == {
        "a*b": ["a", "b"],
        "*": ["", ""],
        "": [""],
        "a\\*b*": ["a*b", ""],
        "\\\\*": ["\\", ""],
        "c\\d": ["c\\d"],
        "x\\": ["x\\"],
    }


def test_the_agents_form_of_what_it_decides() -> None:
    assert prefix(condition('arg0.list["é"].x % 7 == 3')) == "== % a0.list.[s00e9.x i7 i3"
    assert prefix(condition("arg1 - 2 * arg0 > this.a / 2.5")) == "> - a1 * i2 a0 / t.a d2.5"
    assert prefix(condition('a.b.C::d[1] ~ "x*"')) == "~ Sa/b/C.d.[i1 s0078ffff"
    assert prefix(condition("!(thrown instanceof a.b.C$D)")) == "T x a/b/C$D"
    assert prefix(condition('!(thread ~ "*")')) == "^ h sffff"


WRONG = {
    'arg0 startsWith "x"': (5, "unexpected `startsWith`"),
    'arg0.startsWith("x")': (0, "conditions call no methods"),
    "arg0 ~ arg1": (7, "a pattern is a string"),
    '"x*" ~ arg0': (0, "needs a path before it"),
    "arg0 % 0 == 1": (7, "remainder needs a whole number"),
    "arg0 % 2": (0, "a number alone"),
    "arg0 + 1": (0, "a number alone"),
    "arg0 % arg1 == 0": (7, "remainder needs a whole number"),
    "2.5 % 2 == arg0": (0, "a remainder is that of a whole number"),
    "arg0 / 0 > 1": (7, "division by zero"),
    "arg0 - true > 1": (7, "`-` needs numbers"),
    'arg0 + "x" == "yx"': (7, "`+` needs numbers"),
    'arg0 + 1 == "x"': (12, "`arg0 + 1` is a number"),
    "arg0 + 1 in {2, null}": (16, "`arg0 + 1` is a number"),
    'arg0 + 1 ~ "x"': (0, "needs a path before it"),
    "arg0 + ": (7, "ends too early"),
    "any(arg0)": (8, "needs a condition on the elements"),
    "any(1, it > 1)": (4, "needs a collection"),
    "any(arg0, it)x": (13, "unexpected `x`"),
    "any(arg0, price > 1": (3, "not closed"),
    "all(arg0, it > arg1)": (15, "begin at the element"),
    "all(arg0, this.x > 1)": (10, "begin at the element"),
    "all(arg0, a.B::c > 1)": (10, "begin at the element"),
    "any(arg0, it > 1) == true": (18, "unexpected `==`"),
    "some(arg0, it > 1)": (0, "conditions call no methods"),
    "(arg0 + 1": (1, "a number alone"),
    "(arg0 + 1) * (arg0 > 1": (19, "unexpected `>`"),
    "2 * (arg0": (4, "not closed"),
    "(arg0 > 1) == true": (6, "unexpected `>`"),
    "(arg0 + 1 arg1) > 2": (10, "unexpected `arg1`"),
    " + ".join(["arg0"] * 66) + " > 1": (453, "too many"),
    "(" * 40 + "arg0 + 1" + ")" * 40 + " > 1": (31, "nested"),
    "arg0 in 1": (8, "needs constants in braces"),
    "arg0 in {1, arg1}": (12, "only constants"),
    "arg0 in {1": (8, "not closed"),
    "arg0 instanceof 3": (16, "name of a class"),
    "arg0[-1] == 1": (4, "an element needs a number"),
    "arg0[] == 1": (4, "an element needs a number"),
    "arg0[x] == 1": (4, "an element needs a number"),
    "arg0[99999999999] == 1": (4, "so many elements"),
    "arg0[1]x == 1": (0, "needs a dot"),
    "thread.name == 1": (0, "the thread's name"),
    "com.acme.Config.limit == 1": (0, "unknown name `com`"),
    "::limit == 1": (0, "unexpected `:`"),
    "a.B:: == 1": (0, "form `Class::field`"),
    "a.B::c::d == 1": (0, "form `Class::field`"),
    "arg0 in {" + ", ".join("1" * 65) + "}": (201, "too many"),
    "arg0 >": (6, "ends too early"),
    "arg0 = 1": (5, "unexpected `=`"),
    "(arg0": (0, "not closed"),
    "arg0)": (4, "unexpected `)`"),
    "1 == 2": (0, "constants"),
    "Foo.bar > 1": (0, "unknown name `Foo`"),
    'arg0 == "x': (8, "not closed"),
    'arg0 < "x"': (7, "compares numbers"),
    "arg0 & arg1": (5, "unexpected `&`"),
    "arg0 == 99999999999999999999": (8, "beyond"),
    "this..x": (0, "missing"),
    "true": (0, "constant alone"),
    "arg999": (0, "no method"),
    "1x == arg0": (0, "not a number"),
    'arg0 == "\\q"': (9, "unknown escape"),
    "exception.cause": (0, "exception.message"),
    "!" * 40 + "arg0": (32, "nested"),
    "arg0 arg1": (5, "unexpected `arg1`"),
    " || ".join(["arg0"] * 65): (512, "too many"),
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_say_where(text: str) -> None:
    with pytest.raises(Wrong) as wrong:
        condition(text)
    at, message = WRONG[text]
    assert message in wrong.value.message
    assert (wrong.value.at, bool(wrong.value.expected)) == (at, True)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("watch A::b when arg0 >", 23, "ends too early"),
        ("watch A::b show args,", 22, "unexpected"),
        ("watch A::b show stack 0", 23, "how many callers"),
        ("watch A::b(int) when arg1 > 2", 22, "no argument `arg1`"),
        ("watch A::b() show arg0", 19, "no argument `arg0`"),
        ("watch A::b mask a/b", 17, "is not a name"),
        ("watch A::b first 0", 18, "cannot be kept"),
        ("watch A::b first 5 every 1s", 20, "exclude"),
        ("profile A::b when arg0 > 1", 14, "is for `context`"),
        ("count A::b by arg0 when arg0 > 1", 20, "exclude"),
        ("count A::b when arg0 > 3 below C::d", 26, "exclude"),
        ("count A::b when arg0 > 3 by arg0", 26, "exclude"),
        ("when A::b", 1, "no rule begins with"),
        ("count A::b by arg0, result", 15, "is known when the call ends"),
        ("count A::b by exception.message", 15, "is a class"),
        ("time A::b by result", 14, "before there is `result`"),
        ("count A::b when arg0 >", 23, "ends too early"),
    ],
)
def test_mistakes_in_rules(text: str, column: int, message: str) -> None:
    with pytest.raises(RuleError) as error:
        parse_text(text, "t.rules")
    assert message in error.value.message
    assert (error.value.column, bool(error.value.expected)) == (column, True)


def test_rules_keep_their_clauses_when_compiled() -> None:
    clauses = (
        'when arg0 > 100 && this.state == "N  EW # show" show args, this.id, stack 4 over 10ms every 1s mask password,'
        " **.token"
    )
    text = f'watch com.acme.Orders::place(..), A::b {clauses} as "x"'
    (rule,) = parse_text(text, "-e")
    assert rule.clause("when") == 'arg0 > 100 && this.state == "N  EW # show"'
    assert (rule.clause("show"), rule.clause("mask"), rule.clause("every"), rule.name) == (
        "args, this.id, stack 4",
        "password, **.token",
        "1s",
        "x",
    )
    assert compiled.loads(compiled.dumps(RuleSet([rule]))).rules[0] == rule


def test_the_agents_form() -> None:
    text = 'arg0 > 100 && (this.state == "N" || result == null || arg1.x <= -2.5)'
    assert prefix(condition(text)) == "& > a0 i100 | == t.state s004e | == r n <= a1.x d-2.5"


PATHS = ("arg0", "arg0.id", "arg1", "this.id", "this.next.token", "result", "exception.message")


def method(*names: str) -> WatchedMethod:
    """One whose arguments have these names."""
    made = WatchedMethod.__new__(WatchedMethod)
    made.names = list(names)
    return made


@pytest.mark.parametrize(
    ("masks", "hidden"),
    [
        ("password", "arg1"),
        ("arg0", "arg0 arg0.id"),
        ("arg*", "arg0 arg0.id arg1"),
        ("args", "arg0 arg0.id arg1"),
        ("user", "arg0 arg0.id"),
        ("id", "arg0.id this.id"),
        ("user.id", "arg0.id"),
        ("arg0.id", "arg0.id"),
        ("this.id", "this.id"),
        ("this", "this.id this.next.token"),
        ("**.token", "this.next.token"),
        ("this.*", "this.id this.next.token"),
        ("next", "this.next.token"),
        ("result", "result"),
        ("exception", "exception.message"),
        ("message", "exception.message"),
        ("exception.message", "exception.message"),
        ("nothing", ""),
        ("*", " ".join(PATHS)),
        ("**", " ".join(PATHS)),
    ],
)
def test_a_mask_hides_what_it_names_and_what_is_behind(masks: str, hidden: str) -> None:
    assert " ".join(text for text in PATHS if method("user", "password").hides(path(text), [masks])) == hidden


@pytest.mark.parametrize("names", [(), ("", ""), ("user", ""), ("user",)])
def test_any_mask_may_mean_an_argument_whose_name_is_unknown(names: tuple[str, ...]) -> None:
    one = method(*names)
    assert one.hides(path("arg1"), ["password"])
    assert one.hides(path("arg1.id"), ["arg0", "exception"])
    assert one.hides(path("arg0"), ["password"]) == (names[:1] != ("user",))
    assert not one.hides(path("arg1"), ["arg0"])
    assert not one.hides(path("arg1"), [])
    assert not one.hides(path("this.id"), ["password"])
