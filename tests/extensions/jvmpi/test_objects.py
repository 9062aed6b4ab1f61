"""Objects that are made, freed and dumped, against what the program makes and what is in it."""

from __future__ import annotations

from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled


def test_allocations_and_objects_that_are_freed(profiled: Profiled) -> None:
    """100 Things, of which none is left; their arrays are told by their types."""
    result = profiled(
        """
things, freed, arrays = {}, set(), {}
sizes = set()
@on("OBJECT_ALLOC")
def alloc(event):
    a = event.u.obj_alloc
    if a.class_id == thing.get("id"):
        things[a.obj_id] = a.size
        sizes.add((a.is_array, a.arena_id, event.env_id > 0))
    elif a.is_array: arrays[a.is_array] = arrays.get(a.is_array, 0) + 1
@on("OBJECT_FREE")
def free(event): freed.add(event.u.obj_free.obj_id)
thing = {}
@on("CLASS_LOAD")
def loaded(event):
    if event.u.class_load.class_name == "Work$Thing": thing["id"] = event.u.class_load.class_id
@on("JVM_SHUT_DOWN")
def end(event):
    print("things", len(things), len(set(things) & freed), len(set(things.values())), min(things.values()) >= 40, sizes)
    print("arrays", arrays[p.INT] >= 100, arrays[p.CLASS] >= 100)
""",
        "Work",
        "alloc",
        options=("-XX:+UseSerialGC",),
    )
    assert said(result, "things") == ["100 100 1 True {(0, 1, True)}"]
    assert said(result, "arrays") == ["True True"]


def test_some_allocations(profiled: Profiled) -> None:
    """Every so many bytes: fewer than all."""
    result = profiled(
        """
n = 0
@on("OBJECT_ALLOC", arg=100_000)
def alloc(event):
    global n
    n += 1
@on("JVM_SHUT_DOWN")
def end(event): print("told", n)
""",
        "Work",
        "alloc",
    )
    assert int(said(result, "told")[0]) < 500


DUMP = """
names = {}
@on("CLASS_LOAD")
def loaded(event): names[event.u.class_load.class_id] = event.u.class_load.class_name
@on("METHOD_ENTRY2", arg="Work$Thing::same(..)")
def entered(event):
    if asked: return
    asked.append(event.u.method_entry2.obj_id)
    dumped = p.RequestEvent(p.EVENT_OBJECT_DUMP, asked[0]), p.RequestEvent(p.EVENT_OBJECT_DUMP, 1)
    print("answers", *dumped, p.RequestEvent(p.EVENT_OBJECT_ALLOC, asked[0]))
asked = []
def alloc(event):
    a = event.u.obj_alloc
    print("alloc", event.event_type == p.EVENT_OBJECT_ALLOC | p.REQUESTED_EVENT, names[a.class_id], a.obj_id == asked[0], a.size >= 40, a.is_array)
told["OBJECT_ALLOC"] = alloc
dumps = []
def dump(event):
    d = event.u.object_dump
    assert d.data_len == len(d.data)
    dumps.append(d)
    if len(dumps) > 1: return
    r = d.record
    print("thing", names[r.class_id], {name: value for name, type_, value in r.fields if type_ != p.CLASS}, d.data[:1], len(d.data))
    byname = {name: value for name, type_, value in r.fields}
    p.RequestEvent(p.EVENT_OBJECT_DUMP, byname["numbers"])
    p.RequestEvent(p.EVENT_OBJECT_DUMP, byname["words"])
    p.RequestEvent(p.EVENT_OBJECT_DUMP, r.class_id)
    numbers, words, cls = (one.record for one in dumps[1:])
    print("numbers", numbers.type == p.INT, numbers.elements, numbers.pack().hex()[-24:])
    print("words", len(words.elements), words.elements[1], words.record_type == p.GC_OBJ_ARRAY_DUMP)
    p.RequestEvent(p.EVENT_OBJECT_DUMP, words.class_id)
    print("string", dumps[-1].record.class_name)
    statics = [(name, value) for name, type_, value in cls.statics if name == "made"]
    print("class", cls.class_name, statics, names.get(cls.super_id), cls.loader_id > 0)
told["OBJECT_DUMP"] = dump
"""


def test_dumps_of_objects(profiled: Profiled) -> None:
    result = profiled(DUMP, "Work", "calls")
    assert said(result, "answers") == ["0 -1 0"]
    assert said(result, "alloc") == ["True Work$Thing True True 0"]
    fields = {"number": 42, "wide": 1 << 40, "real": 0.5, "yes": 1, "letter": ord("x")}
    # a letter and a number for each; three references of eight bytes
    length = 1 + 8 + 8 + 4 + (4 + 8 + 8 + 1 + 2) + 3 * 8
    assert said(result, "thing") == [f"Work$Thing {fields} b'!' {length}"]
    assert said(result, "numbers") == ["True (1, -2, 3) 00000001fffffffe00000003"]
    assert said(result, "words") == ["2 0 True"]
    assert said(result, "string") == ["java.lang.String"]
    assert said(result, "class") == ["Work$Thing [('made', 7)] java.lang.Object True"]
