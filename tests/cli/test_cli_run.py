"""`classhook run`: the command runs as without classhook and its status is passed on; errors are reported."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.native import library
from classhook.native.building import tree
from tests import compiling
from tests.cli.conftest import Classhook
from tests.cli.tools import WORK_CALLS, WORK_OUT, call, calls
from tests.conftest import PATIENCE

Counts = Callable[..., dict[str, Any]]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(classhook: Classhook) -> Classhook:
    """classhook run with a rule, data going to data/."""

    def run_with_rule(*command: str | Path, **more: Any) -> Any:
        return classhook("run", "-e", "count p.Work::*", "-o", "data", "--", *command, **more)

    return run_with_rule


@pytest.mark.core
def test_a_java_command(run: Classhook, classes: Path, counts: Counts) -> None:
    done = run("java", "-cp", classes, "p.Work", "42")
    assert (done.status, done.out) == (42, WORK_OUT)
    assert done.err == "args 1\nclasshook: 1 JVM instrumented; to see what was counted: classhook report data\n"
    assert calls(counts("data")) == WORK_CALLS


def test_rules_that_match_nothing_are_named(classhook: Classhook, classes: Path) -> None:
    unfit, unnamed = "watch p.Work::add when arg5 > 1", "count q.Other::run"
    exact = (
        "count p.Work::add",
        "time p.Work::none",
        "alloc String in p.**",
        "alloc java.lang.Object+[] in p.Work",
        "alloc byte[] in p.Work",
        "cpu",
    )
    rules = (*exact, unfit, unnamed)
    words = [word for rule in rules for word in ("-e", rule)]
    done = classhook("run", *words, "-o", "data", "--", "java", "-cp", classes, "p.Work")
    assert [line for line in done.err.splitlines() if line.startswith("classhook: ")][:-1] == [
        "classhook: -e:1: the type String has no package; did you mean java.lang.String? (alloc String in p.**)",
        "classhook: this rule matched no method of the classes it names: time p.Work::none",
        "classhook: this rule matched no method of the classes it names: alloc String in p.**",
        "classhook: this rule matched no method of the classes it names: alloc java.lang.Object+[] in p.Work",
        (
            f"classhook: this rule matched only methods that it does not fit: {unfit}; `arg5`: add(int) has no argument"
            " arg5; its only argument is arg0"
        ),
        f"classhook: this rule matched nothing that was loaded: {unnamed}",
    ]
    report = classhook("report", "data").out
    for line in done.err.splitlines():
        assert "this rule matched" not in line or line.removeprefix("classhook: ") in report
    assert (
        "this rule matched"
        not in classhook("run", "--quiet", *words, "-o", "data", "--", "java", "-cp", classes, "p.Work").err
    )


def test_run_and_report_agree_on_what_supertypes_decide(classhook: Classhook, counts: Counts, tmp_path: Path) -> None:
    (tmp_path / "Maps.java").write_text(
        "class Maps { public static void main(String[] a) { new java.util.TreeMap<String, String>(); } }"
    )
    compiling.javac("javac", "-d", tmp_path, tmp_path / "Maps.java")
    rules = ("alloc java.util.SortedMap+ in Maps", "alloc java.util.List+ in Maps", "alloc java.util.Map+ in Maps")
    words = [word for rule in rules for word in ("-e", rule)]
    done = classhook("run", *words, "-o", "data", "--", "java", "-cp", tmp_path, "Maps")
    unmatched = [row["rule"] for row in counts("data")["rules"] if not row["matched_methods"]]
    said = [line.rpartition(": ")[2] for line in done.err.splitlines() if "this rule matched" in line]
    assert said == unmatched
    assert rules[1] in said
    assert rules[0] not in said


def test_no_rules(classhook: Classhook, classes: Path) -> None:
    done = classhook("run", "-o", "data", "--", "java", "-cp", classes, "p.Work")
    said = "classhook: no rules were given; this measures the project's own methods: -e 'profile p.**::*'"
    assert said in done.err
    assert "matched nothing" not in done.err, "the folder of the classes has other packages, too"
    assert "p.Work" in classhook("report", "data").out
    done = classhook("run", "-o", "other", "--", "java", "-version")
    assert "classhook: no rules were given: only classes woven ahead of time are counted\n" in done.err


def test_words_that_are_no_commands(classhook: Classhook) -> None:
    for words, said in (
        (("1234",), "1234 may be a process: `classhook diagnose 1234` measures it"),
        (("java", "-jar", "app.jar"), "did you mean `classhook run -- java ...`?"),
        (("repart",), "did you mean `classhook report`?"),
    ):
        done = classhook(*words)
        assert (done.status, said in done.err) == (2, True), done.err
    done = classhook()
    assert (done.status, done.err, done.out.startswith("usage: classhook")) == (0, "", True)


def test_java_behind_a_shell(run: Classhook, classes: Path, counts: Counts) -> None:
    done = run("sh", "-c", f"java -cp {classes} p.Work; java -cp {classes} p.Work 3")
    assert (done.status, done.out) == (3, WORK_OUT * 2)
    assert "Picked up JAVA_TOOL_OPTIONS: " in done.err
    assert "2 JVMs instrumented" in done.err
    assert calls(counts("data")) == {name: 2 * n for name, n in WORK_CALLS.items()}


def test_the_users_own_java_tool_options_stay(run: Classhook, classes: Path, counts: Counts) -> None:
    done = run("sh", "-c", f"java -cp {classes} p.Work", env={"JAVA_TOOL_OPTIONS": "-Xmx50m -Dmine=yes"})
    assert "Picked up JAVA_TOOL_OPTIONS: -Xmx50m -Dmine=yes -agentpath:" in done.err
    assert calls(counts("data")) == WORK_CALLS


def test_no_java_in_path(run: Classhook, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    done = run("java", "-version", env={"PATH": str(tmp_path / "bin")})
    assert (done.status, done.out, done.err) == (127, "", "classhook: java: command not found\n")
    done = run("sh", "-c", "java -version", env={"PATH": str(tmp_path / "bin")})
    assert done.status == 127
    assert "java: not found" in done.err


@pytest.mark.parametrize("arguments", [[], ["--"], ["-o", "data"], ["-e", "count **::*", "--"]])
def test_no_command(classhook: Classhook, tmp_path: Path, arguments: list[str]) -> None:
    done = classhook("run", *arguments)
    assert (done.status, done.out) == (2, "")
    assert "no command to run: classhook run -e RULE -- java ..." in done.err
    assert not list(tmp_path.iterdir())


def test_commands_that_cannot_be_started(run: Classhook, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    (tmp_path / "odd").write_text("neither")
    (tmp_path / "odd").chmod(0o755)
    said = {
        "./nowhere": (127, "command not found"),
        "./plain": (126, "Permission denied"),
        "./": (126, "Permission denied"),
        "./odd": (126, "Exec format error"),
        "": (127, "command not found"),
    }
    for name, (status, word) in said.items():
        done = run(name)
        assert (done.status, done.err) == (status, f"classhook: {name}: {word}\n")


def test_a_command_that_starts_no_jvm(run: Classhook) -> None:
    done = run("sh", "-c", "echo out; exit 9")
    assert (done.status, done.out) == (9, "out\n")
    assert "no JVM was instrumented: the command started none" in done.err


def test_stdin_reaches_the_command_and_quiet_says_nothing(classhook: Classhook) -> None:
    done = classhook("run", "--quiet", "-e", "count **::*", "--", "cat", stdin="in\n")
    assert (done.status, done.out, done.err) == (0, "in\n", "")


@pytest.mark.parametrize("place", ["a file", "below a file", "proc", "read-only"])
def test_a_data_directory_that_cannot_be_written(
    classhook: Classhook, classes: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("mine")
    command = ["run", "-e", "count p.Work::*", "-o"]
    line = ["--", "java", "-cp", str(classes), "p.Work"]
    if place == "read-only":
        (tmp_path / "locked").mkdir()
        mount = (
            f"mount --bind locked locked && mount -o remount,bind,ro locked && exec {sys.executable} -m classhook.cli"
            ' "$@"'
        )
        script = ["unshare", "-m", "sh", "-c", mount, "sh"]
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
            pytest.skip("unshare -m is not permitted here")
        done = call([*script, *command, "locked", *line], tmp_path)
        where = "locked"
    else:
        where = {"a file": "file", "below a file": "file/data", "proc": "/proc/classhook"}[place]
        done = classhook(*command, where, *line)
    assert (done.status, done.out) == (2, "")
    assert f"classhook: cannot use the data directory {where}: " in done.err
    assert "name another with -o DIR" in done.err
    assert (tmp_path / "file").read_text() == "mine"


def test_the_data_directory_is_tried_without_following_links(run: Classhook, tmp_path: Path) -> None:
    """A shell that execs keeps its process ID, so it can predict file names that contain it."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "data").mkdir()
    line = (
        f"ln -s ../precious data/.writable-$$; exec {sys.executable} -m classhook.cli run -e 'count p.Work::*' -o data"
        " -- true"
    )
    assert call(["sh", "-c", line], tmp_path).status == 0
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A directory that belongs to a user ID without a name."""
    folder = tmp_path / "foreign"
    folder.mkdir(mode=0o777)
    try:
        os.chown(folder, 54321, 54321)
    except PermissionError:
        pytest.skip("only root gives directories away")
    return folder


def test_a_data_directory_of_another_user(classhook: Classhook, foreign: Path) -> None:
    done = classhook("run", "-e", "count p.Work::*", "-o", "foreign", "--", "echo", "ran")
    assert (done.status, done.out) == (2, "")
    assert (
        done.err
        == "classhook: cannot use the data directory foreign: it belongs to user 54321; name another with -o DIR\n"
    )
    assert not list(foreign.iterdir())


def test_a_cache_of_another_user(classhook: Classhook, classes: Path, foreign: Path, counts: Counts) -> None:
    (foreign / "old.pack").write_bytes(b"")
    done = classhook(
        "run", "-e", "count p.Work::*", "-o", "data", "--cache", "foreign", "--", "java", "-cp", classes, "p.Work"
    )
    assert (done.status, done.out) == (0, WORK_OUT)
    assert (
        "classhook: cannot use the cache foreign: it belongs to user 54321; classes are woven without it\n" in done.err
    )
    assert calls(counts("data")) == WORK_CALLS
    assert os.listdir(foreign) == ["old.pack"]


def test_signals_reach_the_command_and_its_end_is_ours(tmp_path: Path) -> None:
    line = [
        sys.executable,
        "-m",
        "classhook.cli",
        "run",
        "-e",
        "count **::*",
        "--",
        "sh",
        "-c",
        "echo ready; exec sleep 60",
    ]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 128 + signal.SIGINT
        assert b"Traceback" not in process.stderr.read()


def ignored(status: str) -> set[int]:
    """The ignored signals in a line of /proc/PID/status, without the two reserved by the C library, which make passes
    on as ignored."""
    mask = int(status.split()[1], 16)
    return {number for number in range(1, 65) if mask >> number - 1 & 1} - {32, 33}


@pytest.mark.parametrize(
    "without", [[], [signal.SIGCHLD], [signal.SIGHUP, signal.SIGCHLD]], ids=["none", "SIGCHLD", "as under nohup"]
)
def test_the_command_ignores_the_signals_that_it_would_without_us(
    tmp_path: Path, without: list[signal.Signals]
) -> None:
    """Python ignores SIGPIPE, which would go on to the command; and where SIGCHLD is ignored, the status is still
    passed on."""
    ours = [sys.executable, "-m", "classhook.cli", "run", "--quiet", "-e", "count **::*", "--"]

    def ignore() -> None:
        for number in without:
            signal.signal(number, signal.SIG_IGN)

    def ignoring(*line: str) -> tuple[int, str]:
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=ignore)
        return done.returncode, done.stdout

    look = ("grep", "SigIgn", "/proc/self/status")
    assert ignoring(*ours, *look) == ignoring(*look)
    assert ignored(ignoring(*ours, *look)[1]) == set(without)
    if without:
        assert ignoring(*ours, "sh", "-c", "exit 3") == (3, "")
        assert ignoring(*ours, "./nowhere") == (127, "")


def test_erase_takes_away_only_what_is_ours(
    run: Classhook, classhook: Classhook, classes: Path, tmp_path: Path
) -> None:
    line = ["java", "-cp", str(classes), "p.Work"]
    assert run(*line).status == 0
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "data" / "mine.classhook").symlink_to(tmp_path / "precious")
    done = classhook("run", "--erase", "-e", "count p.Work::*", "-o", "data", "--", *line)
    assert "1 JVM instrumented; " in done.err
    assert (tmp_path / "precious").read_text() == "keep me"
    assert len(list((tmp_path / "data").glob("*.classhook"))) == 1


def test_data_of_earlier_runs_is_said(run: Classhook, classes: Path) -> None:
    run("java", "-cp", classes, "p.Work")
    assert (
        "1 JVM instrumented (1 file of earlier runs will be reported, too)" in run("java", "-cp", classes, "p.Work").err
    )


def test_names_that_are_hard_on_options(classhook: Classhook, counts: Counts, classes: Path) -> None:
    folder = 'a, b=100% "quoted" \\ é'
    done = classhook("run", "-e", "count p.Work::*", "-o", folder, "--", "sh", "-c", f"java -cp {classes} p.Work")
    assert (done.status, done.out) == (0, WORK_OUT)
    assert calls(counts(folder)) == WORK_CALLS


@pytest.mark.parametrize("folder", ["with blank", "with, comma"])
def test_classhook_lies_in_a_folder_with_a_hard_name(classes: Path, tmp_path: Path, folder: str) -> None:
    home = tmp_path / folder
    shutil.copytree(tree.TREE / tree.PACKAGE, home / tree.PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    script = f"import sys; sys.path.insert(0, {str(home)!r}); from classhook.cli import main; sys.exit(main())"
    for java in (["java"], ["env", "java"]):
        done = call(
            [sys.executable, "-c", script, "run", "-e", "count p.Work::*", "--", *java, "-cp", str(classes), "p.Work"],
            tmp_path,
        )
        assert (done.status, done.out) == (0, WORK_OUT), done.err
        assert "1 JVM instrumented" in done.err


def test_a_folder_whose_name_no_option_can_carry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from classhook.base.errors import UsageError
    from classhook.base.launch import agent_option

    lone = tmp_path / "a=b" / "libclasshook.so"
    lone.parent.mkdir()
    monkeypatch.setattr(library, "AGENT", lone)
    with pytest.raises(UsageError, match=r"is missing: it was not built; reinstall"):
        agent_option(tmp_path / "rules", tmp_path)
    lone.touch()
    with pytest.raises(UsageError, match="cannot be passed in a JVM option"):
        agent_option(tmp_path / "rules", tmp_path)


def test_ctrl_c_in_our_own_work(tmp_path: Path) -> None:
    """The terminal sends SIGINT to the whole process group: none of classhook's processes prints a traceback."""
    big = tmp_path / "modules"
    subprocess.run(["jimage", "extract", "--include=regex:/java.base/.*", f"--dir={big}", _modules()], check=True)
    line = [
        sys.executable,
        "-m",
        "classhook.cli",
        "weave",
        "-e",
        "time java.**::*",
        str(big / "java.base"),
        "-o",
        "out",
    ]
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as process:
        while not (tmp_path / "out").exists():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        try:
            said = process.communicate(timeout=PATIENCE)[1]
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == 130
        assert b"Traceback" not in said, said.decode()


def _modules() -> str:
    java = Path(shutil.which("java") or "").resolve()
    return str(java.parent.parent / "lib" / "modules")


@pytest.mark.parametrize("status", [0, 3])
def test_tests_in_a_jvm_without_the_agent(classhook: Classhook, tmp_path: Path, status: int) -> None:
    report = '<testsuite><testcase name="places" classname="com.acme.OrdersTest"/></testsuite>'
    script = f"mkdir -p target/surefire-reports; echo '{report}' > target/surefire-reports/TEST-a.xml; exit {status}"
    words = ("run", "--tests", "-e", "count com.acme.**::*", "-o", "data")
    said = "classhook: tests ran in a JVM without the agent, so nothing is known of them: com.acme.OrdersTest\n"
    done = classhook(*words, "--", "sh", "-c", script)
    assert (done.status, said in done.err) == (status, True), done.err
    done = classhook(*words, "--every-test", "--quiet", "--", "sh", "-c", script)
    assert (done.status, done.err) == (status or 1, said)
    done = classhook(*words, "--every-test", "--", "sh", "-c", f"rm -r target; exit {status}")
    assert (done.status, "--every-test: no test was seen" in done.err) == (status or 1, True), done.err
    done = classhook("run", "--every-test", "--", "java")
    assert (done.status, "give --tests, too" in done.err) == (2, True)
