"""Heap dumps on levels 0, 1 and 2, against what the program made."""

from __future__ import annotations

import struct

from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled

SCRIPT = """
names = {}
@on("CLASS_LOAD")
def loaded(event): names[event.u.class_load.class_id] = event.u.class_load.class_name
@on("METHOD_ENTRY", arg="Heap::ready(..)")
def ready(event):
    for arg in (p.HeapDumpArg(p.DUMP_LEVEL_0), p.HeapDumpArg(p.DUMP_LEVEL_1), None):
        print("answer", p.RequestEvent(p.EVENT_HEAP_DUMP, arg))
    print("no", p.RequestEvent(p.EVENT_HEAP_DUMP, 3))
def node_of(r): return type(r).__name__ == "InstanceDump" and names.get(r.class_id) == "Heap$Node"
def dump(event):
    d = event.u.heap_dump
    if not d.dump_level:
        records = list(d.begin)
        print("level0", sum(names.get(r.class_id) == "Heap$Node" for r in records), d.num_traces, {r.type for r in records} >= {0, 2, 8, 10},
              len({r.obj_id for r in records}) == len(records), len(records[0].pack()))
        return
    nodes, arrays, roots, kinds, numbers = {}, 0, {}, set(), {}
    for r in d.records:
        kinds.add(r.record_type)
        if node_of(r): nodes[r.obj_id] = r
        elif type(r).__name__ == "ObjArrayDump" and names.get(r.class_id) == "Heap$Node": arrays += 1; array = r
        elif type(r).__name__ == "PrimArrayDump": numbers[r.obj_id] = r
        elif type(r).__name__ == "ClassDump" and names.get(r.class_id) == "Heap": heap = r
        elif type(r).__name__ == "Root": roots.setdefault(r.record_type, []).append(r)
    statics = {name: value for name, type_, value in heap.statics}
    node = nodes[statics["head"]]
    length, chain = 0, statics["head"]
    while chain:
        length += 1
        chain = dict((name, value) for name, type_, value in nodes[chain].fields)["next"]
    print("nodes", len(nodes), length, arrays, array.elements[1], heap.class_name, names.get(heap.super_id))
    bytes_ = numbers[dict((name, value) for name, type_, value in node.fields)["bytes"]]
    print("values", sorted(name for name, type_, value in node.fields), statics.get("COUNT"), bytes_.num_elements, bytes_.elements)
    print("packed", node.pack()[:1] == bytes([p.GC_INSTANCE_DUMP]), node.obj_id.to_bytes(8, "big") in node.pack(), len(node.pack()))
    frames = [r for r in roots[p.GC_ROOT_JAVA_FRAME] if r.env_id == event.env_id and r.obj_id in nodes]
    threads = [r for r in roots[p.GC_ROOT_THREAD_OBJ] if r.obj_id == p.GetThreadObject(event.env_id)]
    print("roots", len(frames) >= 1, len(threads), len(roots[p.GC_ROOT_STICKY_CLASS]) > 100)
    print("traces", d.num_traces == len(d.traces), [t.num_frames > 1 for t in d.traces if t.env_id == event.env_id])
    print("kinds", kinds >= {p.GC_CLASS_DUMP, p.GC_INSTANCE_DUMP, p.GC_OBJ_ARRAY_DUMP, p.GC_PRIM_ARRAY_DUMP})
told["HEAP_DUMP"] = dump
"""


def test_the_levels(profiled: Profiled) -> None:
    result = profiled(SCRIPT, "Heap")
    assert said(result, "answer") == ["0", "0", "0"]
    assert said(result, "no") == ["-1"]
    # the one that only main has is in its frame
    assert said(result, "level0") == [f"1235 0 True True {struct.calcsize('>BQ')}"]
    assert said(result, "nodes") == ["1235 1234 10 0 Heap java.lang.Object"] * 2
    one, two = said(result, "values")
    assert one == "['bytes', 'next'] None 16 ()"
    assert two == f"['bytes', 'next', 'number'] 1234 16 {(0,) * 16}"
    assert said(result, "packed") == ["True True 37", "True True 41"]
    assert said(result, "roots") == ["True 1 True"] * 2
    assert said(result, "traces") == ["True [True]"] * 2
    assert said(result, "kinds") == ["True"] * 2


def test_ids_of_a_dump(profiled: Profiled) -> None:
    """Each object that was told of when it was allocated, and is there, has its id in the dump; the agent's own arrays
    are not shown."""
    result = profiled(
        """
names, nodes, roots = {}, {}, []
@on("CLASS_LOAD")
def loaded(event): names[event.u.class_load.class_id] = event.u.class_load.class_name
@on("OBJECT_ALLOC")
def alloc(event):
    a = event.u.obj_alloc
    if names.get(a.class_id) == "Heap$Node": nodes[a.obj_id] = a.is_array
@on("METHOD_ENTRY", arg="Heap::ready(..)")
def ready(event):
    for level in (0, 2): print("answer", p.RequestEvent(p.EVENT_HEAP_DUMP, level))
def dump(event):
    d = event.u.heap_dump
    ids = [r.obj_id for r in d.records if not hasattr(r, "record_type") or type(r).__name__ in ("InstanceDump", "ObjArrayDump", "PrimArrayDump")]
    print("told", len(nodes), len(set(nodes) & set(ids)), len(ids) == len(set(ids)), len(set(names) & set(ids)) > 300 if not d.dump_level else True)
    if d.dump_level:
        held = [r for r in d.records if type(r).__name__ == "InstanceDump" and r.obj_id in nodes]
        print("numbers", sorted({dict((n, v) for n, _, v in r.fields)["number"] for r in held}) == [*range(-1, 1234)])
        node = next(r for r in held if dict((n, v) for n, _, v in r.fields)["number"] == 7)
        p.RequestEvent(p.EVENT_OBJECT_DUMP, node.obj_id)
        heap = next(r for r in d.records if getattr(r, "class_name", "") == "Heap")
        print("order", [n for n, _, _ in node.fields], [n for n, _, _ in heap.statics])
def one(event):
    fields = event.u.object_dump.record.fields
    print("object", dict((n, v) for n, _, v in fields)["number"], [n for n, _, _ in fields])
told["HEAP_DUMP"], told["OBJECT_DUMP"] = dump, one
""",
        "Heap",
    )
    assert said(result, "answer") == ["0", "0"]
    assert said(result, "told") == ["1245 1245 True True"] * 2
    assert said(result, "numbers") == ["True"]
    assert said(result, "order") == ["['number', 'next', 'bytes'] ['COUNT', 'head', 'ARRAYS']"]
    assert said(result, "object") == ["7 ['number', 'next', 'bytes']"]


def test_ids_of_a_dump_at_the_end(profiled: Profiled) -> None:
    """They are those of other events, too."""
    result = profiled(
        """
ids = {}
@on("CLASS_LOAD")
def loaded(event): ids[event.u.class_load.class_name] = event.u.class_load.class_id
@on("JVM_SHUT_DOWN")
def end(event): print("answer", p.RequestEvent(p.EVENT_HEAP_DUMP, 0))
def dump(event): print("known", {ids["java.lang.String"], ids["Members"]} <= {r.obj_id for r in event.u.heap_dump.records})
told["HEAP_DUMP"] = dump
""",
        "Members",
    )
    assert said(result, "answer") == ["0"]
    assert said(result, "known") == ["True"]
