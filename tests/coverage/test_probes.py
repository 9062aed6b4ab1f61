"""Probes that are woven at the places that `place` gives, in programs that run: JaCoCo's counters, exact counts, calls
that throw."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.coverage.analysis import Options, analyze, as_jacoco
from classhook.coverage.bundle import bundle
from classhook.coverage.class_id import class_id
from classhook.coverage.counters import METHOD, ClassCoverage
from classhook.coverage.execfile import ExecFile, Executed, read, write
from classhook.coverage.hit_counts import united
from classhook.coverage.placement import BLOCKS, ENTRY, EXACT, FULL, STARTS
from classhook.probes.records import CoverRecord, SkipRecord
from classhook.rules.parse import parse_text
from classhook.rules.ruleset import RuleSet
from classhook.weaving.weave import weave
from tests.conftest import FindJvm, Jvm, execute
from tests.coverage.conftest import Compile, Oracle, assert_equal, nodes_of
from tests.coverage.test_against_jacoco import PROGRAMS
from tests.coverage.woven import run
from tests.rare.assembler import assemble

Hits = dict[str, tuple[bytes, list[int]]]


@pytest.mark.parametrize("program", ["javac17", "ecj-8", "javac25-21"])
def test_woven_probes_give_what_jacocos_agent_gives(
    program: str, compile_java: Compile, find_jvm: FindJvm, jdk: Jvm, oracle: Oracle, agent: Path, tmp_path: Path
) -> None:
    folder, compiler, options, release = PROGRAMS[program]
    classes = compile_java(folder, compiler, *options)
    main = folder.capitalize()
    data = tmp_path / "jacoco.exec"
    assert (
        execute([find_jvm(release).java, f"-javaagent:{agent}=destfile={data}", "-ea", "-cp", classes, main]).status
        == 0
    )
    hits = run(classes, main, FULL, find_jvm(release), jdk, tmp_path)

    loaded = {one.name: one.probes for one in read(data.read_bytes()).classes.values()}
    assert {name: as_jacoco(content, own) for name, (content, own) in hits.items() if any(own)} == loaded
    file = ExecFile()
    for name, (content, own) in hits.items():
        file.add(Executed(class_id(content), name, as_jacoco(content, own)))
    jacoco, with_agent = oracle(classes, write(file), data.read_bytes())
    assert jacoco == with_agent
    everything = bundle("all", [analyze(content, own) for content, own in hits.values()])
    assert_equal(nodes_of(everything), jacoco)


@pytest.fixture(scope="module")
def throwing(compile_java: Compile, jdk: Jvm, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Hits]:
    """The hits of Throwing.java by level."""
    classes = compile_java("throwing", "javac17")
    return {
        level: run(classes, "Throwing", level, jdk, jdk, tmp_path_factory.mktemp("run"))
        for level in (FULL, EXACT, BLOCKS, STARTS, ENTRY)
    }


SOURCE = Path(__file__).parent / "java" / "throwing" / "Throwing.java"


def analysed(throwing: dict[int, Hits], level: int, **options: bool) -> ClassCoverage:
    data, hits = throwing[level]["Throwing"]
    return analyze(data, hits, Options(level=level, **options))


def marked(word: str) -> set[int]:
    """The lines of Throwing.java whose comment has this word."""
    return {i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if word in line.partition("//")[2].split()}


def test_exact_lines_ran_though_a_call_in_them_threw(throwing: dict[int, Hits]) -> None:
    covered = {
        level: {line for line, four in analysed(throwing, level).lines.items() if four[1]} for level in (FULL, EXACT)
    }
    assert covered[EXACT] - covered[FULL] == marked("threw")
    assert not covered[EXACT] & marked("never")


def test_exact_instructions_end_with_the_call_that_threw(throwing: dict[int, Hits]) -> None:
    lines = analysed(throwing, EXACT).lines
    for line in marked("partly"):
        assert lines[line][0] > 0, line
        assert lines[line][1] > 0, line


def test_exact_hits_as_jacocos_are_those_of_full(throwing: dict[int, Hits]) -> None:
    data, hits = throwing[EXACT]["Throwing"]
    full = throwing[FULL]["Throwing"][1]
    assert as_jacoco(data, hits, Options(level=EXACT)) == as_jacoco(data, full)


def test_lines_are_counted(throwing: dict[int, Hits]) -> None:
    method = {one.name: one for one in analysed(throwing, FULL, counts=True).methods}["counted"]
    expected = {
        line: int(words[1])
        for line, words in (
            (i, text.partition("// ran ")[1:]) for i, text in enumerate(SOURCE.read_text().splitlines(), 1)
        )
        if words[0]
    }
    assert {line: method.line_hits[line] for line in expected} == expected


def test_branches_are_counted(throwing: dict[int, Hits]) -> None:
    method = {one.name: one for one in analysed(throwing, FULL, counts=True).methods}["counted"]
    (line,) = marked("odd")
    assert [sorted(branches) for branches in method.branch_hits[line]] == [[5, 5]]


def test_copies_of_field_initialisers_add_up(throwing: dict[int, Hits]) -> None:
    data, hits = throwing[FULL]["Throwing$Initialised"]
    lines, _ = united([analyze(data, hits, Options(counts=True))])
    (line,) = marked("initialiser")
    assert lines[line] == 3


def test_without_line_probes_what_completes_is_the_same(throwing: dict[int, Hits]) -> None:
    counted = {
        level: {one.name: one.lines for one in analysed(throwing, level).methods}["counted"] for level in (FULL, BLOCKS)
    }
    assert counted[BLOCKS] == counted[FULL]
    assert len(throwing[BLOCKS]["Throwing"][1]) < len(throwing[FULL]["Throwing"][1])


def test_with_probes_of_blocks_what_completes_is_the_same(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    """In a program that throws little, probes of blocks find at least what probes of edges find in each line, and the
    same in a line of which nothing is missed."""
    classes = compile_java("shapes", "javac17")
    found = []
    for level in (BLOCKS, STARTS):
        (tmp_path / str(level)).mkdir()
        hits = run(classes, "Shapes", level, jdk, jdk, tmp_path / str(level))
        found.append({name: analyze(data, own, Options(level=level)) for name, (data, own) in hits.items() if any(own)})
    edges, starts = found
    assert starts.keys() == edges.keys()
    for name, one in edges.items():
        for line, (missed, covered, _, taken) in one.lines.items():
            other = starts[name].lines[line]
            assert other[1] >= covered, (name, line)
            assert (other[0], other[1]) == (missed, covered) or missed, (name, line)
            assert other[3] >= taken, (name, line)


def test_with_an_entry_probe_methods_are_right(throwing: dict[int, Hits]) -> None:
    methods = {one.name: one.counters[METHOD + 1] for one in analysed(throwing, ENTRY).methods}
    assert methods["counted"] == 1
    assert methods["never"] == 0
    assert methods["call"] == 1


def test_wrong_numbers_of_hits_are_refused(throwing: dict[int, Hits]) -> None:
    data, hits = throwing[FULL]["Throwing"]
    with pytest.raises(ValueError, match=r"Throwing has more probes"):
        analyze(data, hits[:-1])
    with pytest.raises(ValueError, match=r"hits, but Throwing has \d+ probes"):
        analyze(data, [*hits, 0])


@pytest.mark.parametrize(
    ("rule", "size", "level"),
    [
        ("cover **", 5000, FULL),
        ("cover **", 30_000, ENTRY),
        ("cover ** compiled", 2000, FULL),
        ("cover ** compiled", 5000, ENTRY),
    ],
)
def test_a_method_that_is_too_large_without_its_subroutines(rule: str, size: int, level: int) -> None:
    jsrs, nops = "  jsr_w sub\n" * 3, "  nop\n" * size
    source = (
        f".class public super Large version 48\n.method public static run ()V stack 2 locals 2\n{jsrs}  return\n sub:"
        f" astore_1\n{nops}  ret 1\n"
    )
    (large,) = assemble(source)
    woven = weave(large.data, RuleSet(parse_text(rule, "test")), False)
    (probe,) = [record for record in woven.table if isinstance(record, CoverRecord)]
    assert (probe.kind, probe.level) == ("cover", level)
    skips = [record.reason for record in woven.table if isinstance(record, SkipRecord)]
    assert skips == (["not-compiled"] if size * 3 > 8000 and level == FULL else [])


def test_a_long_jump_beside_a_subroutine() -> None:
    lines = ["  goto_w on", " on: jsr sub", "  return", " sub: astore_1", "  ret 1"]
    (one,) = assemble(
        "\n".join([".class public super Far version 48", ".method public static run ()V stack 2 locals 2", *lines, ""])
    )
    assert weave(one.data, RuleSet(parse_text("cover **", "test")), False).data
    assert analyze(one.data).counters[:2] == [6, 0]
