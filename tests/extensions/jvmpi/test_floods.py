"""More events than a queue has room for: each one is told, with the stack of its own moment, or the script is told how
many are missing."""

from __future__ import annotations

import pytest

from tests.events.conftest import notes, said
from tests.extensions.jvmpi.conftest import Profiled

NAMES = """
names, methods = {}, {}
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    names[c.class_id] = c.class_name
    for m in c.methods: methods[m.method_id] = f"{c.class_name}.{m.method_name}"
"""
SITES = (
    NAMES
    + """
from collections import Counter
ids, freed, sites, early = [], Counter(), Counter(), []
@on("OBJECT_ALLOC", stack=4)
def alloc(event):
    a = event.u.obj_alloc
    if names.get(a.class_id) != "Flood$Drop": return
    ids.append(a.obj_id)
    early.append(a.obj_id in freed)
    trace = p.CallTrace(event.env_id)
    answer = p.GetCallTrace(trace, 9)
    sites[answer, tuple(f"{methods.get(f.method_id)}:{f.lineno}" for f in trace.frames[:2]), trace.num_frames <= 4, event.missed] += 1
@on("OBJECT_FREE")
def free(event):
    freed[event.u.obj_free.obj_id] += 1
@on("JVM_SHUT_DOWN")
def end(event):
    print("allocated", len(ids), len(set(ids)), sum(freed[one] for one in set(ids)), max(freed.values()), sum(early))
    for (answer, stack, few, missed), n in sites.items(): print("site", n, answer, *stack, few, missed)
"""
)
N = 20_000
POURS = N // 3 + 1


def test_each_object_is_told_with_its_site_and_its_end(profiled: Profiled) -> None:
    """Two threads; of all objects none is left."""
    result = profiled(SITES, "Flood", "alloc", str(N))
    all_of_them = 2 * (N + POURS)
    assert said(result, "allocated") == [f"{all_of_them} {all_of_them} {all_of_them} 1 0"]
    pours, drips = sorted(said(result, "site"))
    assert (pours.split()[:3], drips.split()[:3]) == (
        [str(2 * POURS), "0", "Flood.pour:18"],
        [str(2 * N), "0", "Flood.drip:14"],
    )
    assert notes(result) == []


def test_a_stack_that_was_not_taken_is_not_answered(profiled: Profiled) -> None:
    result = profiled(
        NAMES
        + """
answers = set()
@on("OBJECT_ALLOC")
def alloc(event):
    if names.get(event.u.obj_alloc.class_id) == "Flood$Drop":
        trace = p.CallTrace(event.env_id)
        answers.add((p.GetCallTrace(trace, 4), trace.num_frames))
@on("JVM_SHUT_DOWN")
def end(event):
    print("answers", answers, p.GetCallTrace(p.CallTrace(event.env_id), 4))
    print("stacks", p.EnableEvent(p.EVENT_GC_START, None, stack=4), p.EnableEvent(p.EVENT_OBJECT_ALLOC, None, stack=-1))
""",
        "Flood",
        "alloc",
        "100",
    )
    assert said(result, "answers") == ["{(1, 0)} 0"]
    assert said(result, "stacks") == ["1 -1"]


def test_each_class_is_told_when_it_is_unloaded(profiled: Profiled) -> None:
    result = profiled(
        NAMES
        + """
gone = set()
@on("CLASS_UNLOAD")
def unloaded(event): gone.add(event.u.class_unload.class_id)
@on("JVM_SHUT_DOWN")
def end(event): print("told", sum(names[one] == "Members" for one in names), len(gone & set(names)))
""",
        "Flood",
        "unload",
        "3000",
    )
    assert said(result, "told") == ["3000 3000"]


@pytest.mark.parametrize("lossy", [False, True])
def test_who_prefers_loss_is_told_how_many_are_missing(profiled: Profiled, lossy: bool) -> None:
    result = profiled(
        f"""
import time
counts = [0, 0]
@on("JVM_SHUT_DOWN")
def end(event): print("told", *counts, p.LostEvents(p.EVENT_OBJECT_ALLOC))
def alloc(event):
    counts[0] += 1
    counts[1] += event.missed
    if counts[0] % 100 == 0: time.sleep(0.001)
told["OBJECT_ALLOC"] = alloc
assert p.EnableEvent(p.EVENT_OBJECT_ALLOC, None, lossy={lossy}) == p.SUCCESS
""",
        "Flood",
        "alloc",
        str(N),
    )
    told, missed, lost = map(int, said(result, "told")[0].split())
    assert (lost > 0) == lossy
    assert missed <= lost
    assert told + lost > 2 * N
    assert [f"missed {lost:,} OBJECT_ALLOC events" in note for note in notes(result)] == ([True] if lossy else []), (
        notes(result)
    )
