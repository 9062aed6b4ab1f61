"""Objects that are marked, allocated and freed; classes that are unloaded; dumps that a script asks for."""

from __future__ import annotations

from tests.events.conftest import Scripted, notes, said


def test_marked_objects_are_told_of_when_they_are_freed(scripted: Scripted) -> None:
    result = scripted(
        """
marked = {}
freed = []
@agent.on.method_exit("Sessions::open", sync=True, value=True)
def opened(e):
    number = e.value.tag("session")
    marked[number] = e.value.field("id")
    if len(marked) == 1:
        print("tagged", e.value.tagged, e.value.tag("other") != number, e.value.tagged, e.value.tag(None), e.value.tagged)
        marked.clear()
        marked[e.value.tag("session")] = 0
@agent.on.object_free(tagged="session")
def free(e): freed.append((e.name, marked[e.tag]))
@agent.on.object_free("other")
def other(e): print("never")
@agent.on.end
def end(e): print("freed", len(freed) > 15, {name for name, _ in freed}, sorted({n % 3 for _, n in freed}))
""",
        "Sessions",
        "30",
    )
    assert said(result, "tagged") == ["session True other None None"]
    assert said(result, "open") == ["10"]
    assert said(result, "freed") == ["True {'session'} [1, 2]"]
    assert "never" not in result.stdout
    assert notes(result) == []


def test_allocations_and_unloaded_classes(scripted: Scripted) -> None:
    result = scripted(
        """
sizes, queued, gone = [], 0, []
@agent.on.object_alloc("Sessions$Session", every="1k", sync=True)
def made(e):
    sizes.append(e.bytes)
    e.this.tag("x")
    if len(sizes) == 1: print("first", e.this.cls, e.this.bytes == e.bytes, e.stack(2)[0].partition("(")[0], e.name)
@agent.on.object_alloc("byte[]")
def buffers(e):
    global queued
    queued += e.bytes > 1000 and e.name == "byte[]"
@agent.on.object_alloc("java.lang.String", sync=True)
def texts(e): e.this.tag(e.this.cls)
@agent.on.object_free("x")
def free(e): queued
@agent.on.class_unload("Cos*")
def unloaded(e): gone.append(e.name)
@agent.on.end
def end(e): print("all", len(sizes) > 20, len(set(sizes)), queued + buffers.lost > 300, gone)
""",
        "Sessions",
        "20000",
    )
    assert said(result, "first") == ["Sessions$Session True Sessions.open Sessions$Session"]
    assert said(result, "all") == ["True 1 True ['Costs']"]


def test_dumps_in_a_script(scripted: Scripted) -> None:
    result = scripted(
        """
import os, tempfile
@agent.on.method_entry("Shop::greet", sync=True)
def greeting(e):
    name = e.thread
    if name == "main":
        with tempfile.TemporaryDirectory() as folder:
            path = agent.dump.heap(folder + "/heap.hprof")
            print("heap", os.path.getsize(path) > 100_000)
            try: agent.dump.heap(path)
            except RuntimeError as error: print("refused", error)
            text = agent.dump.threads(folder + "/threads.txt")
            print("threads", open(folder + "/threads.txt").read() == text, '"main"' in text, "Shop.main(Shop.java" in text)
        agent.gc()
@agent.on.method_entry("Shop::place", sync=True, args=True)
def placing(e):
    if e.args[1] == 1:
        print("object", agent.dump.object(e.args[0]), agent.dump.object(e.args[0].field("prices"))["elements"])
@agent.on.end
def end(e): print("main", [t["name"] for t in agent.threads()].count("main") <= 1)
""",
        "Shop",
        "4",
    )
    assert said(result, "heap") == ["True"]
    assert "exist" in said(result, "refused")[0].lower()
    assert said(result, "threads") == ["True True True"]
    assert said(result, "main") == ["True"]
    (placed,) = said(result, "object")
    for part in ("'class': 'Shop$Order'", "'id': 1", "'state': 'OLD'", "'next': None", "[1.5, 1.0]"):
        assert part in placed
    assert notes(result) == []


def test_who_waits_for_whom(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.every(0.01)
def look():
    for row in agent.dump.monitors(): print("monitor", row["name"], row["waits_for"].partition("@")[0], row["held_by"])
    for row in agent.threads():
        if row["name"] == "keeper": print("thread", row["state"], row["daemon"], "waits_for" in row)
""",
        "Locks",
    )
    assert "main Locks$Ledger keeper" in said(result, "monitor")
    assert "sleeping False False" in said(result, "thread")
    assert notes(result) == []


def test_what_refers_to_an_object(scripted: Scripted) -> None:
    """A session in a list in a static field, from the inside out."""
    result = scripted(
        """
kept = []
@agent.on.method_exit("Sessions::open", sync=True, value=True)
def opened(e):
    if e.value.field("id") in (3, 4): kept.append(e.value.keep())
@agent.on.method_entry("Sessions::collected", sync=True)
def collected(e):
    def show(o):
        for one in agent.dump.referrers(o):
            if one["kind"] not in ("JNI local", "JNI global", "stack local"): return one
    o, path = kept[0], []
    for _ in range(3):
        one = show(o)
        path.append((one["kind"], one["name"]))
        o = one["object"]
    print("path", path)
    print("closed", show(kept[1]), {one["kind"] for one in agent.dump.referrers(kept[1])})
    print("one", len(agent.dump.referrers(kept[0], 1)))
    for wrong in (0, -1, 1 << 32):
        try: agent.dump.referrers(kept[0], wrong)
        except ValueError as error: print("wrong", error)
""",
        "Sessions",
        "30",
    )
    assert said(result, "path") == ["[('element', 1), ('field', 'elementData'), ('static field', None)]"]
    assert said(result, "closed") == ["None {'JNI global'}"]
    assert said(result, "one") == ["1"]
    assert [text.partition(" is ")[2] for text in said(result, "wrong")] == ["not a number of references"] * 3
    assert notes(result) == []


def test_a_function_for_several_events(scripted: Scripted) -> None:
    result = scripted(
        """
kinds = set()
@agent.on.thread_end
@agent.on.gc_start()
@agent.on.class_unload("Cos*")
def told(e): kinds.add(e.kind)
try: agent.on.gc_start()(3)
except TypeError as error: print("said", error)
@agent.on.end
def end(e): print("kinds", sorted(kinds))
""",
        "Sessions",
        "3",
    )
    assert said(result, "kinds") == ["['class_unload', 'gc_start', 'thread_end']"]
    assert said(result, "said") == ["@agent.on.gc_start belongs above a function, not int"]
