"""OBJECT_ALLOC with GetCallTrace, the way to profile the heap: against `alloc`, which counts by probes, and `live`,
which walks the heap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.conftest import Compiled
from tests.events.conftest import notes, said
from tests.extensions.jvmpi.conftest import Profiled

SITES = """
from collections import Counter
names, methods = {}, {}
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    names[c.class_id] = c.class_name
    for m in c.methods: methods[m.method_id] = f"{c.class_name}.{m.method_name}"
sites, live, site_of = Counter(), Counter(), {}
@on("OBJECT_ALLOC", stack=1)
def alloc(event):
    a, trace = event.u.obj_alloc, p.CallTrace(event.env_id)
    if p.GetCallTrace(trace, 1) == p.SUCCESS and trace.frames:  # the JVM itself allocates, too
        (frame,) = trace.frames
        site = site_of[a.obj_id] = a.is_array or names.get(a.class_id), methods.get(frame.method_id), frame.lineno
        sites[site] += 1
        live[site] += 1
@on("OBJECT_FREE")
def free(event):
    site = site_of.pop(event.u.obj_free.obj_id, None)
    if site: live[site] -= 1
@on("JVM_SHUT_DOWN")
def end(event):
    for (type_, method, line), n in sites.items(): print("site", n, live[type_, method, line], type_, method, line)
"""


def test_sites_of_a_real_program(profiled: Profiled, h2: Path) -> None:
    """Each `new` of the store, by class, method and line. (Escape analysis takes away objects that probes count.)"""
    sql = (
        "create table t(n int primary key, s varchar); insert into t select x, 'a' || x from system_range(1, 2000);"
        " select count(*), max(s) from t"
    )
    words = ("-cp", h2, "org.h2.tools.Shell", "-url", "jdbc:h2:mem:x", "-sql", sql)
    result = profiled(SITES, *words, options=("-XX:-DoEscapeAnalysis",), rules=("alloc * in org.h2.mvstore.**",))
    told = Counter({tuple(words): int(n) for n, _, *words in map(str.split, said(result, "site"))})
    counted: Counter[tuple[str, ...]] = Counter()
    for row in result.report["allocations"]:
        if row["type"].startswith("org.h2.") and "[" not in row["type"]:
            counted[row["type"], f"{row['class']}.{row['method']}", str(row["line"])] += row["count"]
    assert {site: told[site] for site in counted} == counted
    assert len(counted) > 60
    assert notes(result) == []


def test_what_is_live(profiled: Profiled, compiled: Compiled) -> None:
    words = ("-cp", compiled("objects"), "Keeps", "places", "gc")
    result = profiled(
        SITES, *words, options=("-XX:-DoEscapeAnalysis",), rules=("alloc * in Keeps live stack 1 every 0",)
    )
    told = {
        int(line): (int(n), int(left))
        for n, left, _, method, line in map(str.split, said(result, "site"))
        if method == "Keeps.places"
    }
    counted = {
        row["line"]: (row["count"], row["live_count"]) for row in result.report["objects"] if row["method"] == "places"
    }
    assert told == counted
    assert len(counted) == 8
