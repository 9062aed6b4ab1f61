"""HPROF's forms of a program's counts, by command."""

from __future__ import annotations

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cli.conftest import Classhook
from tests.conftest import Compiled


def test_known_numbers_in_hprofs_text(classhook: Classhook, classes: Path) -> None:
    done = classhook(
        "run", "--quiet", "-e", "time p.Work::* tree", "-e", "alloc * in p.Work", "--", "java", "-cp", classes, "p.Work"
    )
    assert done.status == 0
    done = classhook("report", "-f", "hprof-ascii")
    assert done.status == 0, done.err
    traces = dict(re.findall(r"TRACE (\d+):\n((?:\t.+\n)+)", done.out))
    times = done.out.partition("CPU TIME")[2].splitlines()[2:-1]
    calls = {tuple(re.findall(r"p\.Work\.(\w+)", traces[words[4]])): int(words[3]) for words in map(str.split, times)}
    assert calls == {("main",): 1, ("add", "main"): 10, ("bytes", "main"): 5, ("fail", "main"): 3}
    sites = done.out.partition("SITES BEGIN")[2].partition("SITES END")[0].splitlines()[3:]
    found = {words[8]: (int(words[5]), int(words[6]), traces[words[7]]) for words in map(str.split, sites)}
    assert found["byte[]"] == (5 * 120, 5, "\tp.Work.bytes(Work.java:12)\n")
    assert found["java.lang.IllegalStateException"][1:] == (3, "\tp.Work.fail(Work.java:16)\n")


def test_the_binary_form_is_a_file(classhook: Classhook, recorded: Path, tmp_path: Path) -> None:
    done = classhook("report", recorded, "-f", "hprof", "-o", "out.hprof")
    assert (done.status, done.out) == (0, "")
    assert (tmp_path / "out.hprof").read_bytes().startswith(b"JAVA PROFILE 1.0.2\0\0\0\0\x08")
    done = classhook("heap", "out.hprof")
    assert done.status == 2
    assert "holds no heap" in done.err


# ---- HPROF's options


def traces_of(text: str) -> dict[str, str]:
    return dict(re.findall(r"TRACE (\d+):\n((?:\t.+\n)+)", text))


def test_help_lists_the_options_as_hprof_did(classhook: Classhook) -> None:
    done = classhook("hprof", "help")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert re.match(r"Option Name and Value +Description +Default$", lines[2])
    names = [line.partition("=")[0] for line in lines[4:20]]
    assert names == [
        "heap",
        "cpu",
        "monitor",
        "format",
        "file",
        "net",
        "depth",
        "interval",
        "cutoff",
        "lineno",
        "thread",
        "doe",
        "msa",
        "force",
        "verbose",
        "gc_okay",
    ]


def test_what_is_no_option_is_refused(classhook: Classhook, tmp_path: Path) -> None:
    for options, message in (
        ("cpu=fast", "cpu=fast: cpu takes samples or times or old"),
        ("depth=0", "depth takes from 1 to 256"),
        ("cutoff=x", "cutoff takes <value>"),
        ("net=here", "net takes HOST:PORT"),
        ("speed=1", "speed=1: not an option of HPROF"),
        ("heap", "heap: not an option"),
        ("cpu=samples,heap=dump,interval=0", "interval takes from 1 to 1000"),
    ):
        done = classhook("hprof", options, "--", "java", "p.Work")
        assert (done.status, message in done.err) == (2, True), done.err
    done = classhook("hprof", "cpu=samples,", "heap=sites", "--", "java", "p.Work")
    assert (done.status, "no blanks between them: cpu=samples,heap=sites" in done.err) == (2, True), done.err
    assert "cpu=x: cpu takes" in classhook("hprof", "-agentlib:hprof=cpu=x", "--", "java", "p.Work").err, (
        "as java took it"
    )
    assert (
        classhook("coverage", "--diff", "HEAD").err
        == "classhook: coverage has no option --diff; did you mean --changes HEAD?\n"
    )
    assert not list(tmp_path.glob("java.hprof*"))


def test_without_options_it_is_the_heap_as_hprofs_default_was(
    classhook: Classhook, classes: Path, tmp_path: Path
) -> None:
    done = classhook("hprof", "--", "java", "-cp", classes, "p.Work")
    assert done.status == 0, done.err
    text = (tmp_path / "java.hprof.txt").read_text()
    assert "SITES BEGIN" in text
    assert "HEAP DUMP END" in text
    assert classhook("hprof").status == 2
    done = classhook("hprof", "java", "-cp", classes, "p.Work")
    assert (done.status, "java: not an option of HPROF" in done.err) == (2, True)


def test_a_program_too_short_for_samples_has_empty_tables(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("hprof", "cpu=samples,monitor=y,interval=1000", "--", "java", "-cp", classes, "p.Work")
    assert (done.status, "Dumping profile to java.hprof.txt ... done.\n" in done.err) == (0, True), done.err
    text = (tmp_path / "java.hprof.txt").read_text()
    assert "CPU SAMPLES BEGIN (total = 0)" in text
    assert "CPU SAMPLES END\n" in text
    assert "MONITOR TIME BEGIN (total = 0 ms)" in text
    done = classhook("hprof", "cpu=samples,interval=1000,format=b", "--", "java", "-cp", classes, "p.Work")
    assert done.status == 0, done.err
    assert b"\x0d" in (tmp_path / "java.hprof").read_bytes(), "a record CPU SAMPLES"


def test_no_folder_is_made_for_the_file(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("hprof", "cpu=times,file=no/such/out.txt", "--", "java", "-cp", classes, "p.Work")
    assert done.status == 2
    assert done.err.endswith(
        "file=no/such/out.txt: there is no folder no/such; make it first, or name another file\n"
    ), done.err
    assert not (tmp_path / "no").exists()
    done = classhook("hprof", f"cpu=times,file={tmp_path}", "--", "java", "-cp", classes, "p.Work")
    assert (done.status, "that is a folder; name a file" in done.err) == (2, True)


def test_times_of_a_depth_and_sites(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("hprof", "cpu=times,heap=sites,depth=1,cutoff=0,gc_okay=n", "--", "java", "-cp", classes, "p.Work")
    assert done.status == 0
    assert "gc_okay=n has no effect" in done.err
    assert "Dumping profile to java.hprof.txt ... done.\n" in done.err
    text = (tmp_path / "java.hprof.txt").read_text()
    traces = traces_of(text)
    assert {trace.count("\n") for trace in traces.values()} == {1}
    times = text.partition("CPU TIME")[2].partition("CPU TIME END")[0].splitlines()[2:]
    calls = {words[5]: int(words[3]) for words in map(str.split, times)}
    assert {name: calls[f"p.Work.{name}"] for name in ("main", "add", "bytes", "fail")} == {
        "main": 1,
        "add": 10,
        "bytes": 5,
        "fail": 3,
    }
    assert re.search(r" 600 +5 \d+ byte\[\]\n", text)


def test_old_has_pairs_of_methods(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("hprof", "cpu=old,file=old.txt,verbose=n", "--", "java", "-cp", classes, "p.Work")
    assert (done.status, done.err) == (0, "args 0\n"), "the program's own words"
    text = (tmp_path / "old.txt").read_text()
    table = text.partition("count callee caller time\n")[2].splitlines()
    found = {tuple(re.sub(r"\(.*", "", word) for word in line.split()[1:-1]): int(line.split()[0]) for line in table}
    assert found["p.Work.add", "p.Work.main"] == 10
    assert "CPU TIME" not in text


def test_monitors_files_and_the_commands_status(classhook: Classhook, compiled: Compiled, tmp_path: Path) -> None:
    line = ("--", "java", "-Dunit=20", "-cp", compiled("locks"), "Locks", "held")
    (tmp_path / "out.txt").write_text("not to be touched")
    assert classhook("hprof", "monitor=y,file=out.txt,force=n,lineno=n", *line).status == 0
    assert (tmp_path / "out.txt").read_text() == "not to be touched"
    (other,) = tmp_path.glob("out.*.txt")
    text = other.read_text()
    (row,) = re.findall(r"^ +1 +\S+% +\S+% +(\d+) (\d+) Locks\$Till \(Java\)$", text, re.MULTILINE)
    assert row[0] == "4"
    assert traces_of(text)[row[1]].startswith("\tLocks.pay(Locks.java:Unknown line)\n")
    assert classhook("hprof", "monitor=y,doe=n,file=none.txt", *line[:-1], "nonsense").status == 1
    assert not (tmp_path / "none.txt").exists()


def test_data_goes_to_a_socket(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as others:

        def received() -> bytes:
            connection, _ = server.accept()
            with connection:
                return b"".join(iter(lambda: connection.recv(65536), b""))

        content = others.submit(received)
        done = classhook(
            "hprof",
            f"cpu=times,format=b,net=127.0.0.1:{server.getsockname()[1]}",
            "--",
            "java",
            "-cp",
            classes,
            "p.Work",
        )
        assert done.status == 0, done.err
        assert content.result(60).startswith(b"JAVA PROFILE 1.0.2\0")
    assert not list(tmp_path.glob("java.hprof*"))
    done = classhook("hprof", "cpu=times,net=127.0.0.1:1", "--", "java", "-cp", classes, "p.Work")
    assert (done.status, done.err) == (1, "classhook: cannot send the data to 127.0.0.1:1: Connection refused\n"), (
        "before the program runs"
    )


def test_the_heap_is_dumped_at_the_end(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("hprof", "", "--", "java", "-cp", classes, "p.Work")
    assert done.status == 0, done.err
    assert "java.heap.hprof" in done.err
    assert (tmp_path / "java.heap.hprof").read_bytes().startswith(b"JAVA PROFILE 1.0.2\0")
    text = (tmp_path / "java.hprof.txt").read_text()
    assert "SITES BEGIN" in text
    assert "HEAP DUMP END" in text
    for _ in range(2):  # over the first one
        done = classhook("hprof", "heap=dump,format=b", "--", "java", "-cp", classes, "p.Work")
        assert (done.status, done.err) == (0, "args 0\nDumping profile to java.hprof ... done.\n")
    done = classhook("hprof", "heap=dump,doe=n,file=none.txt", "--", "java", "-cp", classes, "p.Work")
    assert (done.status, done.err, list(tmp_path.glob("none*"))) == (0, "args 0\n", [])
    assert classhook("hprof", "cpu=samples", "--data", "nothere").err.startswith(
        "classhook: nothere: no such file or directory"
    )
    assert classhook("hprof", "--data", "nothere").status == 2
    shown = classhook("heap", "java.hprof")
    assert shown.status == 0, shown.err
    assert "java.lang.String" in shown.out
