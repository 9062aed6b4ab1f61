"""CLASS_LOAD, CLASS_UNLOAD and CLASS_LOAD_HOOK, against reflection and the JVM's log of class loads."""

from __future__ import annotations

import re
from pathlib import Path

from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled


def test_a_loaded_class_has_its_members(profiled: Profiled) -> None:
    result = profiled(
        """
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    if c.class_name != "Members": return
    lines = ["method " + m.method_name for m in c.methods if m.method_name[0] != "<"]
    lines += ["static " + f.field_name for f in c.statics] + ["instance " + f.field_name for f in c.instances]
    for line in sorted([*lines, f"interfaces {c.num_interfaces}"]): print("told", line)
    print("source", c.source_name, c.num_methods == len(c.methods), c.num_static_fields, c.num_instance_fields, event.env_id == event.env_id > 0)
    for m in c.methods:
        print("lines", m.method_name, m.method_signature, m.start_lineno, m.end_lineno, p.GetMethodClass(m.method_id) == c.class_id > 0)
    print("fields", [f.field_signature for f in c.statics + c.instances])
""",
        "Members",
    )
    assert said(result, "told") == said(result, "java") != []
    assert said(result, "source") == ["Members.java True 2 2 True"]
    assert said(result, "fields") == ["['I', '[Ljava/lang/String;', 'J', '[[D']"]
    lines = said(result, "lines")
    assert "far ()V -1 -1 True" in lines
    assert "run ()V 19 21 True" in lines


def test_loads_of_a_real_program(profiled: Profiled, h2: Path, tmp_path: Path) -> None:
    """The classes that the JVM says it verified: what is never linked is never told."""
    log = tmp_path / "loads"
    result = profiled(
        """
loads = 0
@on("CLASS_LOAD")
def loaded(event):
    global loads
    loads += 1
    print("told", event.u.class_load.class_name)
@on("JVM_SHUT_DOWN")
def end(event): print("loads", loads)
""",
        "-cp",
        h2,
        "org.h2.tools.Shell",
        "-url",
        "jdbc:h2:mem:x",
        "-sql",
        "create table t(n int primary key); select * from t",
        options=(f"-Xlog:class+init=info:file={log}",),
    )
    told = said(result, "told")
    verified = set(re.findall(r"Start class verification for: (org\.h2\.\S+)", log.read_text()))
    ours = {name for name in told if name.startswith("org.h2.")}
    hidden = {name for name in ours ^ verified if "Lambda" in name or "LambdaForm" in name}
    assert len(told) == int(said(result, "loads")[0])
    assert ours - hidden == verified - hidden
    assert len(ours) > 200


def test_classes_that_are_unloaded(profiled: Profiled) -> None:
    """The unloaded classes are as many as the MXBean counts, and have the ids that were told when they were loaded."""
    result = profiled(
        """
loads, unloads = set(), []
@on("CLASS_LOAD")
def loaded(event):
    if event.u.class_load.class_name == "Members": loads.add(event.u.class_load.class_id)
@on("CLASS_UNLOAD")
def unloaded(event): unloads.append(event.u.class_unload.class_id)
@on("JVM_SHUT_DOWN")
def end(event): print("told", len(loads), len(loads & set(unloads)), len(unloads))
""",
        "Work",
        "unload",
    )
    loads, ours, unloads = map(int, said(result, "told")[0].split())
    (counted,) = said(result, "java")
    assert loads == ours == 20
    assert unloads == int(counted.split()[1])


def test_a_class_that_was_there_before(profiled: Profiled) -> None:
    result = profiled(
        """
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    found = p.RequestEvent(p.EVENT_CLASS_LOAD, p.GetMethodClass(event.u.method.method_id))
    print("answers", found, p.RequestEvent(p.EVENT_CLASS_LOAD, 1), p.GetMethodClass(12345))
def loaded(event):
    print("requested", event.event_type == p.EVENT_CLASS_LOAD | p.REQUESTED_EVENT, event.u.class_load.class_name, event.u.class_load.source_name)
told["CLASS_LOAD"] = loaded
""",
        "Work",
        "mark",
    )
    assert said(result, "requested") == ["True Work Work.java"]
    assert said(result, "answers") == ["0 -1 0"]


def test_class_files_are_changed(profiled: Profiled) -> None:
    result = profiled(
        """
@on("CLASS_LOAD_HOOK")
def hook(event):
    h = event.u.class_load_hook
    if b"java caught" in h.class_data and b"Work.java" in h.class_data:
        new = h.malloc_f(h.class_data_len)
        new[:] = h.class_data.replace(b"java caught", b"hook caught")
        h.new_class_data, h.new_class_data_len = new, len(new)
""",
        "Work",
        "calls",
    )
    assert result.stdout == "hook caught\n"


def test_class_files_of_classes_that_are_there(profiled: Profiled) -> None:
    """By RequestEvent: also of the JDK's, which no hook has seen. Probes stay."""
    result = profiled(
        """
NEW = {"garbage": lambda data: b"garbage", "same": lambda data: None, "other": lambda data: data.replace(b"java caught", b"hook caught")}
ids, names = {}, []
@on("CLASS_LOAD")
def loaded(event): ids[event.u.class_load.class_name] = event.u.class_load.class_id
def hook(event):
    h = event.u.class_load_hook
    h.new_class_data = NEW[names[-1]](h.class_data)
    print("told", event.event_type == p.EVENT_CLASS_LOAD_HOOK | p.REQUESTED_EVENT, h.class_data[:4] == bytes.fromhex("cafebabe"))
told["CLASS_LOAD_HOOK"] = hook
def ask(name, how):
    names.append(how)
    return p.RequestEvent(p.EVENT_CLASS_LOAD_HOOK, ids.get(name, name))
@on("METHOD_ENTRY", arg="Work::mark(..)")
def marked(event):
    print("answers", ask("Work", "garbage"), ask("java.lang.String", "same"), ask("Work", "other"), ask("[I", "same"), ask(12345, "same"))
""",
        "Work",
        "mark",
        "calls",
        rules=("count Work::calls()",),
    )
    assert said(result, "told") == ["True True"] * 6  # it is called twice
    assert said(result, "answers") == ["-1 0 0 -1 -1"] * 2
    assert "hook caught" in result.stdout.splitlines()
    assert result.method("Work::calls")["calls"] == 1


def test_the_class_file_is_that_of_the_class(profiled: Profiled) -> None:
    """Although the JVM loads others while it changes the class."""
    result = profiled(
        """
ids = {}
@on("CLASS_LOAD")
def loaded(event): ids[event.u.class_load.class_name] = event.u.class_load.class_id
told["CLASS_LOAD_HOOK"] = lambda event: print("asked for", b"toBinaryString" in event.u.class_load_hook.class_data)
@on("JVM_INIT_DONE")
def begin(event): print("answer", p.RequestEvent(p.EVENT_CLASS_LOAD_HOOK, ids["java.lang.Integer"]))
""",
        "Members",
    )
    assert said(result, "asked") == ["for True"]
    assert said(result, "answer") == ["0"]


def test_classes_that_are_not_linked_and_classes_with_signers(profiled: Profiled) -> None:
    """The first are told of before an array of theirs is; the others have in all dumps what keeps them apart."""
    result = profiled(
        """
names, arrays = {}, []
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    names[c.class_id] = c.class_name
    if c.class_name == "Signed$Unlinked": print("members", [m.method_name for m in c.methods], [f.field_name for f in c.instances])
@on("OBJECT_ALLOC")
def alloc(event): arrays.append(names.get(event.u.obj_alloc.class_id))
def dumped(event): dumps.append((event.u.object_dump.record.signers_id, event.u.object_dump.record.domain_id))
def heap(event):
    for r in event.u.heap_dump.records:
        if getattr(r, "class_name", "") == "Members": dumps.append((r.signers_id, r.domain_id))
dumps, told["OBJECT_DUMP"], told["HEAP_DUMP"] = [], dumped, heap
@on("METHOD_ENTRY", arg="Signed::ready(..)")
def ready(event):
    if dumps: return
    made = next(id_ for id_, name in names.items() if name == "Members")
    p.RequestEvent(p.EVENT_OBJECT_DUMP, made)
    p.RequestEvent(p.EVENT_HEAP_DUMP, 1)
    print("dumps", dumps[0] == dumps[1], all(dumps[0]), dumps)
    p.RequestEvent(p.EVENT_OBJECT_DUMP, dumps[0][0])
@on("JVM_SHUT_DOWN")
def end(event): print("unknown", None in arrays, "Signed$Unlinked" in arrays)
""".replace(
            "dumps.append((event.u.object_dump.record.signers_id",
            "hasattr(event.u.object_dump.record, 'signers_id') and dumps.append((event.u.object_dump.record.signers_id",
        ),
        "Signed",
    )
    assert said(result, "members") == ["['<init>', 'method'] ['number']"]
    assert [line[:9] for line in said(result, "dumps")] == ["True True"]
    assert said(result, "unknown") == ["False True"]
