"""`classhook hprof heap=sites`: what is allocated and what is live, by trace, in both forms
(tests/jvm/java/objects/Keeps.java)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import sqrt
from pathlib import Path

from tests.cli.conftest import Classhook
from tests.conftest import ERRORS, Compiled

EVERY = 4096
SITE = re.compile(r" *(\d+) +([\d.]+)% +([\d.]+)% +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) (\S+)")


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = data.index(b"\0") + 1 + 12
    while at < len(data):
        tag, _, size = struct.unpack_from(">BII", data, at)
        yield tag, data[at + 9 : at + 9 + size]
        at += 9 + size


def close_to(bytes_: int, true: int) -> bool:
    return abs(bytes_ - true) <= ERRORS * sqrt(EVERY * true)


def test_sites_have_what_is_live_and_traces(classhook: Classhook, compiled: Compiled, tmp_path: Path) -> None:
    done = classhook("hprof", "heap=sites,depth=3", "--", "java", "-cp", compiled("objects"), "Keeps", "some", "ways")
    assert done.status == 0, done.err
    assert "live" not in done.err
    text = (tmp_path / "java.hprof.txt").read_text()
    assert "the standard error of b bytes is at most the square root of 4096 b." in text.partition("--------")[0]
    traces = dict(re.findall(r"TRACE (\d+):\n((?:\t.+\n)+)", text))
    table = text.partition("SITES BEGIN (ordered by live bytes)")[2].partition("SITES END")[0].splitlines()
    assert table[1].split() == ["percent", "live", "alloc'ed", "stack", "class"]
    assert table[2].split() == ["rank", "self", "accum", "bytes", "objs", "bytes", "objs", "trace", "name"]
    found = [match.groups() for match in map(SITE.match, table[3:]) if match]
    assert len(found) == len(table) - 3
    assert [int(one[0]) for one in found] == list(range(1, len(found) + 1))
    live = [int(one[3]) for one in found]
    assert live == sorted(live, reverse=True)
    assert abs(float(found[0][1]) - 100 * live[0] / sum(live)) < 0.5
    sites = {
        (one[8], " ".join(re.findall(r"Keeps\.(\w+)\(", traces[one[7]]))): tuple(map(int, one[3:7])) for one in found
    }
    kept_bytes, kept, all_bytes, number = sites["byte[]", "bytes run main"]
    assert (all_bytes, number) == (2_000 * 1016, 2_000), "exact"
    assert close_to(kept_bytes, 1_000 * 1016)
    assert abs(kept - kept_bytes / 1016) <= 1
    assert close_to(sites["byte[]", "shared rarely run"][0], 3_000 * 120)
    assert close_to(sites["byte[]", "shared often run"][0], 3_000 * 120)


def test_the_binary_record_has_them_too(classhook: Classhook, compiled: Compiled, tmp_path: Path) -> None:
    done = classhook(
        "hprof", "heap=sites,format=b,file=out.hprof,depth=2", "--", "java", "-cp", compiled("objects"), "Keeps", "some"
    )
    assert done.status == 0, done.err
    data = (tmp_path / "out.hprof").read_bytes()
    names = {struct.unpack_from(">Q", body)[0]: body[8:].decode() for tag, body in records(data) if tag == 1}
    classes = {
        serial: names[name]
        for tag, body in records(data)
        if tag == 2
        for serial, _, _, name in [struct.unpack(">IQIQ", body)]
    }
    (sites,) = [body for tag, body in records(data) if tag == 6]
    flags, _, live_bytes, live, _, _, n = struct.unpack_from(">HfIIQQI", sites)
    assert flags & 2 == 0, "ordered by what is live"
    entries = [struct.unpack_from(">BIIIIII", sites, 34 + 25 * i) for i in range(n)]
    assert (live_bytes, live) == (sum(one[3] for one in entries), sum(one[4] for one in entries))
    kind, _, _, kept_bytes, _, all_bytes, _ = next(
        one for one in entries if classes[one[1]] == "byte[]" and one[6] == 2_000
    )
    assert (kind, all_bytes) == (8, 2_000 * 1016)
    assert close_to(kept_bytes, 1_000 * 1016)
