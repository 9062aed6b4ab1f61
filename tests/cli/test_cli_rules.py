"""Invalid rules in every command that takes rules: status 2, and a message that says what is wrong, where, and what is
valid."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from classhook.rules.compiled import VERSION
from tests import compiling
from tests.cli.conftest import Agent, Classhook
from tests.cli.tools import WORK_OUT
from tests.conftest import classhook_command

WRONG = "# ours\ntime p.Work::*\ntime p.Work:add\ncount p.Work::add\n"

#: Content of a rule file -> text that the message must contain.
BAD_RULES = {
    "syntax in line 3": (WRONG.encode(), ["rules:3:12", "time p.Work:add", "\n    " + " " * 11 + "^", "expected"]),
    "empty": (b"", ["rules: no rules", "time com.acme"]),
    "only comments": (b"# one\n\n   # two\n", ["rules: no rules"]),
    "not UTF-8": (b"time p.Work::*\ncount \xe9t\xe9::*\n", ["rules:2", "0xe9", "not UTF-8"]),
    "NUL": (b"time p.\0Work::*\n", ["rules:1:8"]),
    "an unknown kind": (b"measure p.Work::*\n", ["rules:1:1", "measure", "time"]),
    "no method": (b"time p.Work\n", ["rules:1:", "::"]),
    "an open parenthesis": (b"count p.Work::add(int,\n", ["rules:", "expected"]),
    "an open string": (b'time p.Work::* as "work\n', ["rules:1:", '"']),
    "compiled and cut": (
        b"classhook-rules %d 1\nfilter\ttime\tp/Work\n" % VERSION,
        ["rules: the compiled rules are damaged", "compile the rules again"],
    ),
    "compiled by a later version": (
        b"classhook-rules 99 1\nend\t0\n",
        ["rules:1", "another version", "format 99", "compile the rules"],
    ),
    "binary": (bytes(range(256)), ["rules:"]),
}

#: The commands that take rules, complete except for the rules.
COMMANDS = {
    "run": ["run", "-o", "data", "--", "java", "-version"],
    "rules": ["rules", "--compile", "-o", "out"],
    "check": ["check"],
    "weave": ["weave", "-o", "out", "classes"],
}


def with_rules(command: list[str], *rules: str) -> list[str]:
    return [command[0], *rules, *command[1:]]


@pytest.mark.parametrize("kind", BAD_RULES)
def test_wrong_rules_are_shown_where_they_are_wrong(classhook: Classhook, tmp_path: Path, kind: str) -> None:
    content, words = BAD_RULES[kind]
    (tmp_path / "rules").write_bytes(content)
    done = classhook("check", "-r", "rules")
    assert done.status == 2
    assert done.out == ""
    for word in ["classhook: rules", *words]:
        assert word in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_wrong_rules_and_does_nothing(classhook: Classhook, tmp_path: Path, command: str) -> None:
    (tmp_path / "classes").mkdir()
    (tmp_path / "rules").write_text(WRONG)
    done = classhook(*with_rules(COMMANDS[command], "-r", "rules"))
    assert done.status == 2
    assert "rules:3:12" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["classes", "rules"]


@pytest.mark.parametrize("command", COMMANDS)
def test_rule_files_that_cannot_be_read(classhook: Classhook, tmp_path: Path, command: str) -> None:
    (tmp_path / "classes").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    unreadable = "cannot read the rules: "
    for name, said in {
        "nowhere": "no such file; FILE may also be the name of stock rules: ",
        "classes": f"{unreadable}Is a directory",
        "loop": f"{unreadable}Too many levels of symbolic links",
    }.items():
        done = classhook(*with_rules(COMMANDS[command], "-r", name))
        assert done.status == 2
        assert f"classhook: {name}: {said}" in done.err


@pytest.mark.parametrize("command", ["check", "rules", "run"])
def test_stock_rules_by_name(classhook: Classhook, tmp_path: Path, command: str) -> None:
    words = [*COMMANDS[command][:1], "-r", "jdbc", "-r", "javac.rules", *COMMANDS[command][1:]]
    assert classhook(*words).status == 0
    if command == "rules":
        assert "java.sql.Connection+" in (tmp_path / "out").read_text()


def test_stock_rules_are_listed_and_printed(classhook: Classhook, tmp_path: Path) -> None:
    done = classhook("rules")
    assert (done.status, done.err) == (0, "")
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in done.out.splitlines()}
    assert {"http", "jdbc", "tests"} <= set(listed)
    for name in ("jdbc", "http.rules"):
        printed = classhook("rules", name)
        assert printed.out.startswith(f"# {listed[name.removesuffix('.rules')]}\n")
        (tmp_path / "copy").write_text(printed.out)
        checked = [classhook("check", "-r", which) for which in ("copy", name)]
        assert checked[0].out == checked[1].out
        assert "no errors" in checked[0].out


def test_stock_rules_about_libraries_that_are_not_there_are_no_mistakes(classhook: Classhook, tmp_path: Path) -> None:
    """The servlet rules match the endpoints of a JAX-RS resource, and nothing else."""
    (tmp_path / "GET.java").write_text("@interface GET {}")
    (tmp_path / "Shop.java").write_text("class Shop { @GET int get() { return 1; } }")
    compiling.javac("javac", "-d", tmp_path, tmp_path / "GET.java", tmp_path / "Shop.java")
    done = classhook("check", "-r", "servlet", "Shop.class")
    assert (done.status, "matches nothing" in done.out) == (0, False)
    done = classhook("check", "-r", "jdbc", "Shop.class")
    assert (done.status, "matches nothing" in done.out) == (1, True)
    assert classhook("weave", "-r", "servlet", "Shop.class", "-o", "woven").status == 0
    done = classhook("weave", "-r", "jdbc", "Shop.class", "-o", "not-woven")
    assert done.status == 1
    assert "this rule matched nothing" in done.err


@pytest.mark.parametrize(
    ("name", "meant"),
    [("jdcb", "did you mean jdbc?"), ("x\x1b/..", "there are allocations, "), ("", "there are allocations, ")],
)
def test_no_stock_rules_of_this_name(classhook: Classhook, name: str, meant: str) -> None:
    done = classhook("rules", name)
    assert (done.status, done.out) == (2, "")
    assert "no stock rules have the name " in done.err
    assert f"; {meant}" in done.err
    assert "\x1b" not in done.err


def test_the_layout_of_a_file(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "my.rules").write_text('# mine\n  time   p.Work :: add ( .. )  as  "x"')
    done = classhook("rules", "--format", "my.rules")
    assert (done.status, done.out, done.err) == (0, '# mine\ntime p.Work::add(..)   as "x"\n', "")
    (tmp_path / "dos.rules").write_bytes("# m\u00ea\x0cne\r\n time  p.Work::add\r\n".encode())
    written = subprocess.run(
        [*classhook_command(), "rules", "--format", tmp_path / "dos.rules"], stdout=subprocess.PIPE, check=True
    ).stdout
    assert written == "# m\u00ea\x0cne\r\ntime p.Work::add\r\n".encode()
    (tmp_path / "my.rules").write_text("time p.Work:add")
    done = classhook("rules", "--format", "my.rules")
    assert (done.status, done.out) == (2, "")
    assert "my.rules:1:12: one colon is not enough" in done.err
    assert classhook("rules", "--compile", "-e", "count p.Work::add", "-o", "made.rules").status == 0
    assert "compiled rules" in classhook("rules", "--format", "made.rules").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compile", "-e", "count p.Work::add"], "--compile requires -o OUTPUT"),
        (["--compile", "jdbc", "-o", "out"], "--compile takes rules by -r and -e; leave out NAME and --format"),
        (["--compile", "--format", "my.rules", "-o", "out"], "--compile takes rules by -r and -e; leave out NAME"),
        (["-r", "jdbc"], "-r, -e and -o are for --compile"),
        (["jdbc", "-o", "out"], "-r, -e and -o are for --compile"),
        (["--format", "my.rules", "jdbc"], "--format takes a file; leave out NAME"),
    ],
)
def test_forms_of_the_command_that_do_not_go_together(
    classhook: Classhook, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "my.rules").write_text("time p.Work::add")
    done = classhook("rules", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert not (tmp_path / "out").exists()


def test_a_wrong_rule_on_the_command_line(classhook: Classhook) -> None:
    done = classhook("check", "-e", "time p.Work:add")
    assert done.status == 2
    assert "classhook: -e:1:12" in done.err
    assert "\n               ^" in done.err


def test_all_mistakes_are_said_at_once(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("time\ncount p.A::b\nalloc\n")
    done = classhook("check", "-r", "one", "-e", "cover")
    assert [word in done.err for word in ("one:1", "one:2", "one:3", "-e:1")] == [True, False, True, True]


def test_bytes_that_are_no_text_on_the_command_line(classhook: Classhook, tmp_path: Path) -> None:
    for command in COMMANDS.values():
        (tmp_path / "classes").mkdir(exist_ok=True)
        done = classhook(*with_rules(command, "-e", "time p.caf\udce9::*"))
        assert done.status == 2
        assert "-e:1:11" in done.err


@pytest.mark.parametrize("command", ["rules", "check", "weave"])
def test_rules_are_needed(classhook: Classhook, command: str) -> None:
    done = classhook(*COMMANDS[command])
    assert done.status == 2
    assert "no rules: give a file with -r FILE or a rule with -e" in done.err


def test_an_empty_rule_on_the_command_line(classhook: Classhook) -> None:
    assert classhook("check", "-e", "").status == 2
    assert "no rules in -e" in classhook("check", "-e", "  # nothing").err


# ---- the agent reads rules, too: with invalid ones the JVM is not instrumented


@pytest.mark.parametrize("kind", BAD_RULES)
def test_the_jvm_runs_bare_under_wrong_rules(agent: Agent, tmp_path: Path, kind: str) -> None:
    content, words = BAD_RULES[kind]
    (tmp_path / "rules").write_bytes(content)
    done = agent("rules=rules,data=data")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert "args 0\n" in done.err
    assert "is not instrumented" in done.err
    if kind.startswith("compiled"):  # the agent reads these without Python and has its own messages
        words = ("the rules" if "version" in kind else "the compiled rules", "compile them again")
    for word in words:
        assert word.removeprefix("rules: ") in done.err
    assert not list(tmp_path.glob("data/*.classhook"))


@pytest.mark.parametrize("name", ["nowhere", "folder"])
def test_the_jvm_runs_bare_without_its_rules(agent: Agent, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    done = agent(f"rules={name},data=data")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert f"cannot read the rules {name}" in done.err or f"{name}: cannot read the rules" in done.err
    assert "is not instrumented" in done.err


@pytest.mark.parametrize(
    "text", ["count p.Work::add\n", "# only this\n" * 20_000 + "count p.Work::add\n"], ids=["short", "long"]
)
def test_the_agent_reads_rules_from_a_pipe(agent: Agent, classhook: Classhook, tmp_path: Path, text: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        pool.submit((tmp_path / "pipe").write_text, text)
        done = agent("rules=pipe,data=data")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert "p.Work.add(" in classhook("report", "data").out


def test_a_device_that_never_ends(classhook: Classhook) -> None:
    done = classhook("check", "-r", "/dev/zero")
    assert (done.status, "the rules are larger than 16 MiB" in done.err) == (2, True)


def test_parameters_and_a_file_that_is_used(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "names.rules").write_text("let app = p\n")
    (tmp_path / "my.rules").write_text("use names.rules\nlet least = 3\ncount ${app}.Work::add  when arg0 > ${least}\n")
    for values, said in (((), "arg0 > 3"), (("-D", "least=9", "-Dapp=q"), "arg0 > 9")):
        assert classhook("rules", "--compile", "-r", "my.rules", "-o", "out", *values).status == 0
        assert said in (tmp_path / "out").read_text()
    assert classhook("rules", "--format", "my.rules").out.endswith("count ${app}.Work::add when arg0 > ${least}\n")
    for values, said in (
        (("-D", "lest=9"), "-D lest: the rules have no parameter lest; the parameters are app (`p`), least (`3`)"),
        (("-D", "least"), "-D least: write NAME=VALUE, such as -D min=10ms"),
        (("-D", "least=1", "-D", "least=2"), "least has a value already: 1"),
    ):
        done = classhook("check", "-r", "my.rules", *values)
        assert (done.status, said in done.err) == (2, True), done.err
    done = classhook("check", "-D", "a=b")
    assert "give these with -r FILE or -e RULE" in done.err


@pytest.mark.parametrize("rule", ["profile Loads::*", "count  calls a.B::c"])
def test_a_rule_in_the_place_of_a_file(classhook: Classhook, rule: str) -> None:
    done = classhook("check", "-r", rule)
    assert (done.status, done.err) == (2, f"classhook: {rule}: no such file; a rule itself is given with -e\n")


def test_rules_about_the_jdk_are_looked_up_there(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int a; }")
    compiling.javac("javac", "-d", tmp_path, tmp_path / "A.java")
    for rule, status, said in (
        ("time java.lang.Math::max", 0, "it is about the JDK's own classes, which are not among those given\n"),
        ("time java.lang.Math::maxx", 1, "nearest: java.lang.Math::max\n"),
        ("time java.lang.Mathh::max", 1, "the JDK has no class java.lang.Mathh; did you mean java.lang.Math?\n"),
        ("count calls java.util.List::ad", 1, "did you mean `java.util.List::add`?\n"),
        ("count A::<init> when arg0 > 3 && arg0 < 2", 1, "never true: `arg0 > 3` and `arg0 < 2` exclude each other"),
    ):
        done = classhook("check", "-e", rule, "A.class")
        assert (done.status, said in done.out) == (status, True), done.out
