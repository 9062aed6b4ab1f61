"""Scripts' queries of the heap: objects by class and by tag, and handles of them."""

from __future__ import annotations

import pytest

from tests.conftest import on
from tests.events.conftest import Scripted, notes, said

#: A third of the sessions stay open, and each has a buffer of 1,000 bytes.
TAGGED = """
@agent.on.method_exit("Sessions::open", sync=True, value=True)
def opened(e): e.value.tag("odd" if e.value.field("id") % 2 else "even")
"""
FREED = """
freed = []
@agent.on.object_free(tagged="odd")
def free(e): freed.append(e.tag)
"""


@pytest.mark.parametrize("told", [False, True], ids=["", "with object_free"])
def test_objects_of_a_class_and_with_a_tag(scripted: Scripted, told: bool) -> None:
    """While the program runs, and in `end`; whether or not somebody is told when they are freed."""
    result = scripted(
        TAGGED
        + FREED * told
        + """
def show(e):
    print("rows", *((r.name, r.objects, r.bytes // r.objects) for r in agent.histogram("Sessions$*")))
    print("tags", *sorted((r.name, r.objects) for r in agent.tags()))
    ids = [o.field("id") for o in agent.objects("Sessions$Session")]
    print("ids", sorted(ids) == list(range(0, 300, 3)), len(agent.objects("Sessions$Session", most=7)))
    odd = agent.objects(tagged="odd")
    print("odd", sorted(o.field("id") for o in odd) == list(range(3, 300, 6)), {o.tagged for o in odd}, agent.objects(tagged="none"), all(odd))
    print("buffers", sum(len(o) == 1000 for o in agent.objects("byte[]", most=1_000_000)) >= 100)
agent.on.method_entry("Sessions::collected", sync=True, timeout=0)(show)
agent.on.end(timeout=0)(show)
""",
        "Sessions",
        "300",
    )
    assert said(result, "open") == ["100"]
    (rows,) = set(said(result, "rows"))
    assert rows.startswith("('Sessions$Session', 100, ")
    assert said(result, "tags") == ["('even', 50) ('odd', 50)"] * 2
    assert said(result, "ids") == ["True 7"] * 2
    assert said(result, "odd") == ["True {'odd'} [] True"] * 2
    assert said(result, "buffers") == ["True"] * 2
    assert notes(result) == []


@on(25)
@pytest.mark.parametrize("collector", ["Serial", "Parallel", "Z", "Shenandoah"])
def test_garbage_is_left_out_or_counted(scripted: Scripted, collector: str) -> None:
    result = scripted(
        """
@agent.on.start
def start(e): print("early", agent.histogram("java.lang.Thread")[0].objects > 2)
@agent.on.method_exit("Shop::greet", sync=True)
def greeted(e): print("all", len(agent.histogram(live=False)) > 100)
@agent.on.end(timeout=0)
def end(e):
    live, every = agent.histogram(), agent.histogram(live=False)
    print("rows", live[0].bytes >= live[1].bytes, {"byte[]", "java.lang.String", "java.lang.Object[]"} <= {row.name for row in live})
    print("more", sum(row.objects for row in live) <= sum(row.objects for row in every) + 100)
""",
        "Shop",
        "4",
        options=(f"-XX:+Use{collector}GC",),
    )
    words = [set(said(result, word)) for word in ("early", "all", "rows", "more")]
    assert words == [{"True"}, {"True"}, {"True True"}, {"True"}], result.stderr
    assert notes(result) == []


@on(17)
def test_what_is_wrong(scripted: Scripted) -> None:
    result = scripted(
        """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def tried(f, *arguments, **named):
    try: print("no", f(*arguments, **named))
    except Exception as e: print("said", type(e).__name__, str(e).partition("\\n")[0])
tried(agent.histogram)
@agent.on.end
def end(e):
    tried(agent.objects)
    tried(agent.objects, "A", tagged="b")
    tried(agent.objects, "Shop", most=0)
    tried(agent.histogram, "a..b")
    tried(pool.submit(agent.tags).result)
    print("none", agent.histogram("no.such.Class"), agent.objects("no.such.Class"), agent.tags())
""",
        "Shop",
        "1",
    )
    assert [line.split()[0] for line in said(result, "said")] == [
        "RuntimeError",
        "ValueError",
        "ValueError",
        "ValueError",
        "RuleError",
        "RuntimeError",
    ]
    assert "name either classes or a tag" in said(result, "said")[1]
    assert said(result, "none") == ["[] [] []"]
    assert said(result, "no") == []
