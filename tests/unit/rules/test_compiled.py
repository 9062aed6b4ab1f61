"""The compiled form: it means the same, C can read it, damage is detected, and reading it imports almost nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.native.building import tree
from classhook.rules.compiled import digest, dumps, loads
from classhook.rules.errors import RuleError
from classhook.rules.parse import load
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import METHOD_FLAGS, ClassPattern, MethodPattern, Rule, Target, TypePattern

ROOT = Path(__file__).parents[3]

names = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='!+[](),:@"'), min_size=1, max_size=8)
class_patterns = st.builds(ClassPattern, names, st.booleans(), st.booleans())
parameters = st.none() | st.lists(names | st.just("..") | names.map(lambda name: name + "[]"), max_size=3).map(tuple)
methods = st.builds(MethodPattern, names, st.lists(names, max_size=2).map(tuple), parameters)
modifiers = st.lists(st.tuples(st.booleans(), st.sampled_from(sorted(METHOD_FLAGS))), max_size=3).map(tuple)
targets = st.builds(Target, class_patterns, st.none() | methods, modifiers, st.lists(names, max_size=2).map(tuple))
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
rules = st.builds(
    Rule,
    kind=st.sampled_from(["time", "count", "count calls", "alloc"]),
    text=texts,
    origin=texts,
    line=st.integers(1, 10**6),
    name=st.none() | texts,
    targets=st.lists(targets, max_size=3).map(tuple),
    types=st.lists(st.builds(TypePattern, names, st.integers(0, 3), st.booleans()), max_size=3).map(tuple),
    called=st.lists(
        st.builds(
            Target,
            st.builds(ClassPattern, names, st.just(False), st.booleans()),
            st.builds(MethodPattern, names, st.just(()), parameters),
        ),
        max_size=2,
    ).map(tuple),
    excepts=st.lists(targets, max_size=2).map(tuple),
    sources=st.lists(st.sampled_from(["a.jar", "**/x y/**", "/a\tb"]), max_size=2).map(tuple),
    clauses=st.lists(st.sampled_from([("sample", "1/3"), ("slowest", "5")]), max_size=2).map(tuple),
)


def sealed(body: str) -> str:
    return f"{body}end\t{zlib.crc32(body.encode()):08x}\n"


@given(st.lists(rules, max_size=4))
def test_what_is_written_is_read(written: list[Rule]) -> None:
    text = dumps(RuleSet(written))
    ruleset = loads(text)
    assert ruleset.rules == tuple(written)
    assert dumps(ruleset) == text
    assert "\r" not in text


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("time com.acme.**::*", ["time|com/acme/**"]),
        ("count **.Orders::get*", ["not-jdk|**/Orders"]),
        ("count jdk:**::get*", ["jdk|**|=get*"]),
        ("time a.Service+::*", ["time subtypes|a/Service"]),
        ("time **.Service+::*, a.$B::c", ["time subtypes not-jdk|**/Service", "time|a/$B"]),
        ("alloc byte[]", ["not-jdk|**"]),
        ("count calls java.util.List+::add", ["not-jdk|**|=add"]),
        ("time  calls a.B::m, c.D::* in e.**, f.G::h", ["time|e/**|=a/B|=m", "time|e/**|=c/D", "time|f/G"]),
        ("time calls a.*::m in e.**", ["time|e/**|=m"]),
        ("count writes a.B.f in e.**", ["|e/**|=f"]),
        ("count **::get", ["not-jdk|**|=get"]),
        ("count **::get(int, a.B[], .., c.*): d.E", ["not-jdk|**|=get|=(**[La/B;**)**|=(**)Ld/E;"]),
        ("count **::<init>", ["not-jdk|**|=<init>"]),
        ("count a.**::get", ["|a/**"]),
        ("count @a.X @Y a.**::@Z get", ["|a/**|=@a/X|=@**/Y|=@**/Z"]),
        ("count a.B::@Z *", ["|a/B"]),
        ("alloc a.B, c.**, d.E[], f.G+, * in e.**", ["|e/**|=a/B", "|e/**|=c/**", "|e/**"]),
        ("time a.**::* except a.gen.**, **.*Stub", ["time|a/**|a/gen/**|**/*Stub"]),
        ("time a.**::* except b.*::*, c.*::*(..)", ["time|a/**|b/*|c/*"]),
        ("time a.**::* except b.*::m, @X c.*, public d.*, e.F+, jdk:f.*, g.*::*(int)", ["time|a/**"]),
        ("time a.\U00020000b*\U00020001c.D::*", ["time|a/*b**c/D"]),
        ("time a.**::* except a.\U00020000", ["time|a/**"]),
        ("time a.\u00e9::x, a.\u00e9::y", ["time|a/\u00e9"]),
        ('time a.**::* from x.jar, "/a b/**" except a.gen.**', ["time|a/**|a/gen/**|@**/x.jar|@/a b/**"]),
    ],
)
def test_filter_lines_for_c(rule: str, lines: list[str]) -> None:
    text = dumps(load([], [rule]))
    assert text.startswith("classhook-rules 9 1\nfilter\t")
    found = [
        line.removeprefix("filter\t").replace("\t", "|") for line in text.split("\n") if line.startswith("filter\t")
    ]
    assert [line for line in found if "renamed not-jdk" not in line] == lines


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("time a.Service::*", []),
        ("time a.Service+::*, jdk:b.*+::c", ["weaves|a/Service", "weaves|b/*"]),
        ("count a.**::* except e.F+, e.G::m", ["weaves|e/F"]),
        ("count **+::m", []),
        ("alloc a.B+, c.D+[], e.F in g.H+", ["weaves|g/H", "reports|a/B", "reports|c/D"]),
    ],
)
def test_supertypes_for_c(rule: str, lines: list[str]) -> None:
    found = [
        line.removeprefix("supertype\t").replace("\t", "|")
        for line in dumps(load([], [rule])).split("\n")
        if line.startswith("supertype\t")
    ]
    assert found == lines


@pytest.mark.parametrize(
    ("rule", "globs"),
    [
        ("count a.B::f-g", "B$Companion B$DefaultImpls B$Trait$Helper B$ B/*Kt B/*$package$ B/*$package B$f_g"),
        ("count a.B::`f?`", "B$Companion B$DefaultImpls B$Trait$Helper B$ B/*Kt B/*$package$ B/*$package B$f_QMARK_"),
        ("count a.B*::f", "B*/*Kt B*/*$package$ B*/*$package"),
        (
            "count a.B-c::*",
            "B-c$Companion B-c$DefaultImpls B-c$Trait$Helper B-c$ B-c/*Kt B-c/*$package$ B-c/*$package B_c$*",
        ),
        ("count a.B**::f", ""),
        ("count **::f", ""),
        ("count jdk:a.B::f", ""),
        ("cover a.B", ""),
        ("count a.B:12", ""),
    ],
)
def test_filter_lines_of_classes_whose_methods_are_written_otherwise(rule: str, globs: str) -> None:
    lines = [line.split("\t") for line in dumps(load([], [rule])).split("\n")]
    assert [line[2] for line in lines if line[0] == "filter" and "renamed" in line[1]] == [
        f"a/{glob}" for glob in globs.split()
    ]


def test_rules_of_another_format_are_to_be_compiled_again() -> None:
    body = dumps(load([], ["time a.B::c"])).rpartition("end\t")[0].replace("classhook-rules 9", "classhook-rules 7")
    with pytest.raises(RuleError, match=r"compiled by another version of classhook \(format 7\)"):
        loads(sealed(body))


def test_the_frame_of_the_file() -> None:
    text = dumps(load([], ['time a.B::c as "t\tb\\n"', "count a.B::d"]))
    body, _, checksum = text.rpartition("end\t")
    assert text.split("\n")[0] == "classhook-rules 9 2"
    assert checksum == f"{zlib.crc32(body.encode()):08x}\n"
    assert 'rule\ttime\t\tt\\tb\\\\n\t-e\t1\ttime a.B::c as "t\\tb\\\\n"' in text.split("\n")
    assert digest(load([], ["time a.B::c"])) == hashlib.sha256(dumps(load([], ["time a.B::c"])).encode()).hexdigest()


def test_every_damaged_byte_is_noticed() -> None:
    text = dumps(load([], ["time public a.B::c(int)", "alloc byte[] in a.B"]))
    for at in range(len(text)):
        for damaged in (text[:at] + "~" + text[at + 1 :], text[:at], text[:at] + text[at + 1 :]):
            with pytest.raises(RuleError):
                loads(damaged, "b.chr")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not compiled rules"),
        ("time a.B::c\n", "not compiled rules"),
        (sealed("classhook-rules 8 0\nwhatever\n"), "format 8"),
        ("classhook-rules", "format ?"),
        (sealed("classhook-rules 9 1\n"), "damaged"),
        (sealed("classhook-rules 9 x\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\tdance\t\to\t1\tt\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\tx\tt\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\t\\x\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\tt\\\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\tt\ntarget\tdefault\t\ta.B\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\tt\nquestion\n"), "damaged"),
        (sealed("classhook-rules 9 1\ntype\t*\nrule\ttime\t\to\t1\tt\n"), "damaged"),
        (sealed("classhook-rules 9 1\nrule\ttime\t\to\t1\tt\ntarget\t\t\ta.B\t\n"), "damaged"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_the_file_name(text: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        loads(text, "b.chr")
    assert str(caught.value).startswith("b.chr")
    assert message in caught.value.message


def test_a_damaged_file_given_as_rules(tmp_path: Path) -> None:
    path = tmp_path / "b.chr"
    path.write_text(dumps(load([], ["time a.B::c"]))[:-3])
    with pytest.raises(RuleError, match="damaged"):
        load([path])


def test_in_the_jvm_next_to_nothing_is_imported() -> None:
    text = dumps(load([], ["time a.**::get*(int, ..)", "alloc byte[], * in **.x*"]))
    program = f"""
import sys
before = set(sys.modules)
sys.path.insert(0, {str(tree.TREE)!r})
from classhook.rules import compiled
from classhook.rules.words import METHODS, TYPES, WORDS, Word
WORDS |= {{"time": Word("time", METHODS), "alloc": Word("alloc", TYPES)}}
ruleset = compiled.loads({text!r})
none = lambda: frozenset()
assert ruleset.bind("a.B", False, none, none).match_method(1, "getX", "(I)V", none).wanted == (("time", (0,)),)
assert ruleset.match_type(1, "byte[]")
print(*sorted(set(sys.modules) - before))
"""
    run = subprocess.run([sys.executable, "-S", "-I", "-c", program], capture_output=True, text=True, check=True)
    imported = set(run.stdout.split())
    compiled = {"classhook.native", "classhook.native.hotpath__mypyc", "warnings"}  # imported by mypyc's modules
    others = {name for name in imported if not name.startswith(("classhook.rules", "importlib"))}
    assert others <= {"zlib", "__future__", "classhook"} | compiled
    assert imported & {f"classhook.rules.{name}" for name in ("parse", "suggest", "explain", "build")} == set()


def test_importing_the_package_does_not_import_lark() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(tree.TREE)!r}); import classhook.rules; print('lark' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
