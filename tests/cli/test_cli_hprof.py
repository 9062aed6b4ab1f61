"""HPROF's forms of a program's counts, by command."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import Classhook


def test_known_numbers_in_hprofs_text(classhook: Classhook, classes: Path) -> None:
    done = classhook("run", "--quiet", "-e", "time p.Work::* tree", "-e", "alloc * in p.Work", "--", "java", "-cp", classes, "p.Work")
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
