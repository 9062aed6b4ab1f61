"""Classes, methods and allocations that rules match; expectations are written in the notation of rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from classhook.rules.parse import parse_text
from classhook.rules.ruleset import BoundRules, MethodMatch, RuleSet

PUBLIC, PRIVATE, STATIC, SYNTHETIC = 0x1, 0x2, 0x8, 0x1000


def rules(*lines: str) -> RuleSet:
    return RuleSet(parse_text("\n".join(lines), "t.rules"))


def names(*found: str) -> Callable[[], frozenset[str]]:
    return lambda: frozenset(found)


def never() -> frozenset[str]:
    raise AssertionError("this was not to be asked")


def bind(
    ruleset: RuleSet,
    name: str,
    in_jdk: bool = False,
    supertypes: Callable[[], frozenset[str]] = never,
    annotations: Callable[[], frozenset[str]] = never,
) -> BoundRules | None:
    return ruleset.bind(name, in_jdk, supertypes, annotations)


def match(
    ruleset: RuleSet,
    method: str,
    flags: int = PUBLIC,
    descriptor: str = "()V",
    annotations: Callable[[], frozenset[str]] = never,
) -> MethodMatch | None:
    class_name, _, name = method.partition("::")
    bound = bind(ruleset, class_name)
    return bound.match_method(flags, name, descriptor, annotations) if bound else None


@pytest.mark.parametrize(
    ("pattern", "name", "in_jdk", "expected"),
    [
        ("**", "a.B", False, True),
        ("**", "java.util.Map", True, False),
        ("*", "B", True, False),
        ("**.Map", "java.util.Map", True, False),
        ("**.Map", "java.util.Map", False, False),
        ("**", "jdk.internal.reflect.GeneratedMethodAccessor1", False, False),
        ("**", "jdk.internal", False, True),
        ("**", "javax.inject.Inject", False, True),
        ("java.util.**", "java.util.Map", True, True),
        ("java.util.**", "java.util.Map", False, True),
        ("jdk:**", "java.util.Map", True, True),
        ("jdk:**", "a.B", False, False),
        ("jdk:java.util.*", "java.util.Map", True, True),
        ("jdk:java.util.*", "java.util.Map", False, True),
        ("jdk:**.*", "com.sun.proxy.Proxy", False, False),
        ("jdk:java.util.*", "java.lang.String", True, False),
    ],
)
def test_reach_into_the_jdk(pattern: str, name: str, in_jdk: bool, expected: bool) -> None:
    ruleset = rules(f"time {pattern}::*")
    assert (bind(ruleset, name, in_jdk) is not None) is expected


def test_time_wins_over_count_and_the_first_rule_names_the_row() -> None:
    ruleset = rules("alloc * in a.**", "count a.B::get*", "time a.**::*", "time a.B::*", "alloc int[] in a.B::set*")
    got = match(ruleset, "a.B::getX")
    assert got is not None
    assert (got.wanted, got.rules) == ((("time", (1, 2, 3)), ("alloc", (0,))), (0, 1, 2, 3))
    got = match(ruleset, "a.B::set")
    assert got is not None
    assert (got.wanted, got.rules) == ((("time", (2, 3)), ("alloc", (0, 4))), (0, 2, 3, 4))


def test_a_count_alone_and_an_alloc_alone() -> None:
    ruleset = rules("count a.B::get", "alloc * in a.B")
    got, other = match(ruleset, "a.B::get"), match(ruleset, "a.B::set")
    assert got is not None
    assert got.wanted == (("count", (0,)), ("alloc", (1,)))
    assert other is not None
    assert other.wanted == (("alloc", (1,)),)


@pytest.mark.parametrize(
    ("called", "owner", "name", "descriptor", "supertypes", "expected"),
    [
        ("a.List::add", "a.List", "add", "(I)V", (), True),
        ("a.List::add", "a.Linked", "add", "(I)V", ("a.List",), False),
        ("a.List+::add", "a.Linked", "add", "(I)V", ("a.List",), True),
        ("a.List+::add", "a.Linked", "add", "(I)V", (), False),
        ("a.List::add(long)", "a.List", "add", "(I)V", (), False),
        ("a.List::*", "a.List", "<init>", "()V", (), True),
        ("a.List::a*", "a.List", "<init>", "()V", (), False),
        ("**::clone", "int[]", "clone", "()Ljava/lang/Object;", (), True),
        ("java.**::*, a.List::get", "a.List", "get", "()V", (), True),
    ],
)
def test_calls_by_what_the_instruction_names(
    called: str, owner: str, name: str, descriptor: str, supertypes: tuple[str, ...], expected: bool
) -> None:
    ruleset = rules(f"count calls {called} in b.**")
    assert ruleset.match_call(0, owner, name, descriptor, supertypes) is expected
    assert ruleset.may_match_call(0, owner, name, descriptor) is ("+" in called)


def test_a_call_is_timed_if_any_rule_says_so() -> None:
    ruleset = rules("count calls a.B::m in c.**", "time c.D::m", "time calls a.B::m in c.**")
    got = match(ruleset, "c.D::m")
    assert got is not None
    assert got.wanted == (("time calls", (0, 2)), ("time", (1,)))


def test_nothing_matches() -> None:
    ruleset = rules("time a.B::get")
    assert bind(ruleset, "a.C") is None
    assert match(ruleset, "a.B::set") is None


@pytest.mark.parametrize(
    ("modifiers", "flags", "expected"),
    [
        ("public", PUBLIC, True),
        ("public", PRIVATE, False),
        ("public !static", PUBLIC, True),
        ("public !static", PUBLIC | STATIC, False),
        ("!synthetic", PUBLIC | SYNTHETIC, False),
        ("public static", PUBLIC, False),
        ("bridge", 0x40, True),
        ("varargs", 0x80, True),
        ("strictfp", 0x800, True),
        ("synchronized", 0x20, True),
        ("abstract", 0x400, True),
        ("native", 0x100, True),
        ("final", 0x10, True),
        ("protected", 0x4, True),
    ],
)
def test_modifiers(modifiers: str, flags: int, expected: bool) -> None:
    assert (match(rules(f"time {modifiers} a.B::*"), "a.B::m", flags) is not None) is expected


def test_arguments_choose_among_overloads() -> None:
    ruleset = rules("count com.acme.Db::query(java.lang.String, ..)")
    assert match(ruleset, "com.acme.Db::query", descriptor="(Ljava/lang/String;I)V")
    assert not match(ruleset, "com.acme.Db::query", descriptor="(I)V")


def test_subtypes() -> None:
    ruleset = rules("count a.Service+::*")
    assert ruleset.for_class("x.Y", False) == [0]
    assert bind(ruleset, "x.Y", supertypes=names("java.lang.Object", "a.Service"))
    assert not bind(ruleset, "x.Y", supertypes=names("java.lang.Object"))
    assert bind(ruleset, "a.Service"), "the type itself matches without asking for its supertypes"
    assert bind(ruleset, "java.X", in_jdk=True, supertypes=names("a.Service"))
    assert not bind(rules("count **.Service+::*"), "java.X", in_jdk=True)


def test_annotations_of_class_and_method() -> None:
    ruleset = rules("count @a.Path x.**::*", "time x.**::@GET *")
    bound = bind(ruleset, "x.Y", annotations=names("a.Path"))
    assert bound is not None
    assert bound.rules == (0, 1)
    got = bound.match_method(PUBLIC, "m", "()V", names("rs.GET"))
    assert got is not None
    assert (got.wanted, got.rules) == ((("time", (0, 1)),), (0, 1))
    got = bound.match_method(PUBLIC, "m", "()V", names())
    assert got is not None
    assert (got.wanted, got.rules) == ((("count", (0,)),), (0,))
    unannotated = bind(ruleset, "x.Y", annotations=names())
    assert unannotated is not None
    assert unannotated.rules == (1,)


def test_what_costs_is_asked_once() -> None:
    asked: list[str] = []

    def ask(what: str) -> Callable[[], frozenset[str]]:
        def answer() -> frozenset[str]:
            asked.append(what)
            return frozenset({"a.S"})

        return answer

    ruleset = rules("time a.S+::@S *", "count a.S+::@S *", "count @S x.*::*", "time @S x.**::*")
    bound = bind(ruleset, "x.Y", supertypes=ask("super"), annotations=ask("class"))
    assert bound is not None
    bound.match_method(PUBLIC, "m", "()V", ask("method"))
    assert asked == ["super", "class", "method"]


def test_a_name_that_does_not_match_asks_nothing() -> None:
    ruleset = rules("time @S x.**::*", "time x.**::@S get*")
    assert match(rules("time x.**::@S get*"), "x.Y::set") is None
    assert bind(ruleset, "y.Z") is None


@pytest.mark.parametrize(
    ("excepts", "method", "expected"),
    [
        ("a.gen.**", "a.gen.B::m", False),
        ("a.gen.**", "a.B::m", True),
        ("a.gen.**, **.*Stub", "a.MyStub::m", False),
        ("a.B::get*", "a.B::getX", False),
        ("a.B::get*", "a.B::m", True),
        ("a.B::<*>", "a.B::<init>", False),
        ("private **", "a.B::m", True),
        ("public **", "a.B::m", False),
        ("a.B::m(int)", "a.B::m", True),
        ("a.B::*", "a.B::m", False),
    ],
)
def test_exceptions(excepts: str, method: str, expected: bool) -> None:
    for rule in (f"time a.**::* except {excepts}", f"alloc * in a.** except {excepts}"):
        assert (match(rules(rule), method) is not None) is expected


def test_an_exception_narrows_in_the_jdk_too() -> None:
    assert not bind(rules("time java.util.**::* except **.*Map"), "java.util.HashMap", in_jdk=True)
    assert not bind(rules("time java.util.**::* except **.Map+"), "java.util.X", True, names("java.util.Map"))
    assert not bind(rules("time ja.**::* except @Generated **"), "ja.X", annotations=names("javax.Generated"))


@pytest.mark.parametrize(
    ("types", "name", "expected"),
    [
        ("java.util.HashMap, byte[]", "java.util.HashMap", True),
        ("java.util.HashMap, byte[]", "byte[]", True),
        ("java.util.HashMap, byte[]", "byte[][]", False),
        ("*", "byte[][]", True),
        ("*[]", "a.B[]", True),
        ("*[]", "a.B", False),
        ("java.util.*", "java.util.HashMap", True),
        ("**.*Map", "java.util.HashMap", True),
    ],
)
def test_types(types: str, name: str, expected: bool) -> None:
    ruleset = rules("time a.B::*", f"alloc {types} in a.**")
    assert ruleset.match_type(1, name) is expected


@pytest.mark.parametrize(
    ("types", "name", "expected"),
    [
        ("a.Map+", "a.Map", True),
        ("a.Map+", "b.Hash", True),
        ("a.Map+", "b.Hash[]", False),
        ("a.Map+[]", "b.Hash[]", True),
        ("a.Map", "b.Hash", False),
        ("a.Set+", "b.Hash", False),
    ],
)
def test_types_by_their_supertypes(types: str, name: str, expected: bool) -> None:
    ruleset = rules("time a.B::*", f"alloc {types} in a.**")
    assert ruleset.match_type(1, name, frozenset({"a.Map", "java.lang.Object"})) is expected
    assert ruleset.may_match_type(1, "x.Y") is (types in ("a.Map+", "a.Set+"))
    assert not ruleset.may_match_type(1, "int[]")


def test_alloc_without_a_place_is_everywhere_but_in_the_jdk() -> None:
    assert bind(rules("alloc byte[]"), "a.B")
    assert not bind(rules("alloc byte[]"), "java.util.B", in_jdk=True)
