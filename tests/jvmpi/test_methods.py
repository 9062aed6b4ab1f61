"""METHOD_ENTRY, METHOD_ENTRY2, METHOD_EXIT and compiled methods."""

from __future__ import annotations

import re
from pathlib import Path

from tests.events.conftest import said
from tests.jvmpi.conftest import Profiled

NAMES = """
names = {}
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    if c.class_name.startswith("Work"):
        for m in c.methods: names[m.method_id] = c.class_name + "." + m.method_name
"""


def test_calls(profiled: Profiled) -> None:
    """Three that return and one that throws."""
    result = profiled(
        NAMES
        + """
@on("METHOD_ENTRY", arg="Work$Thing::same(..)")
def entry(event): print("entry", names[event.u.method.method_id], event.env_id > 0)
@on("METHOD_ENTRY2", arg="Work*::same(..)")
def entry2(event):
    objects.append(event.u.method_entry2.obj_id)
    print("entry2", names[event.u.method_entry2.method_id])
objects = []
@on("METHOD_EXIT", arg="Work$Thing::same(..)")
def exit(event): print("exit", names[event.u.method.method_id])
@on("JVM_SHUT_DOWN")
def end(event): print("objects", len(objects), len(set(objects)), min(objects) > 0)
""",
        "Work", "calls",
    )  # fmt: skip
    assert said(result, "entry") == ["Work$Thing.same True"] * 4
    assert said(result, "entry2") == said(result, "exit") == ["Work$Thing.same"] * 4
    assert said(result, "objects") == ["4 1 True"]
    assert "java caught" in result.stdout


def test_all_methods_of_the_program_and_static_ones(profiled: Profiled) -> None:
    result = profiled(
        NAMES
        + """
@on("METHOD_ENTRY2", arg=None)
def entry(event): print("entry", names[event.u.method_entry2.method_id], event.u.method_entry2.obj_id)
""",
        "Work", "calls",
    )  # fmt: skip
    entries = [line.split() for line in said(result, "entry")]
    assert [name for name, _ in entries] == [
        "Work.<clinit>", "Work.main", "Work.calls", "Work$Thing.<clinit>", "Work$Thing.<init>", *["Work$Thing.same"] * 4, "Work.mark",
    ]  # fmt: skip
    assert {id_ for name, id_ in entries if name != "Work$Thing.same"} == {"0"}


def test_events_are_disabled_and_enabled(profiled: Profiled) -> None:
    result = profiled(
        """
n = 0
@on("METHOD_ENTRY", arg="Work$Thing::same(..)")
def entry(event):
    global n
    n += 1
    print("entry")
    if n == 2: print("answers", p.DisableEvent(p.EVENT_METHOD_ENTRY, None))
@on("METHOD_EXIT", arg="Work::calls()")
def exit(event):
    print("again", p.EnableEvent(p.EVENT_METHOD_ENTRY, "Work$Thing::same(..)"), p.EnableEvent(p.EVENT_METHOD_ENTRY, "Other::method(..)"))
""",
        "Work", "calls", "calls",
    )  # fmt: skip
    lines = [line for line in result.stdout.splitlines() if not line.startswith("java")]
    assert lines == ["entry", "entry", "answers 0", "again 0 0", *["entry"] * 4, "again 0 0"]


def test_calls_are_asked_for_while_the_program_runs(profiled: Profiled) -> None:
    """When a class is loaded, and in a call of a method that is asked for, too."""
    result = profiled(
        """
def entry(event): print("entry")
def exit(event): print("exit")
told["METHOD_ENTRY2"], told["METHOD_EXIT"] = entry, exit
@on("CLASS_LOAD")
def loaded(event):
    if event.u.class_load.class_name == "Work": print("answers", p.EnableEvent(p.EVENT_METHOD_ENTRY2, "Work::calls()"))
@on("METHOD_ENTRY", arg="Work::calls()")
def calls(event): print("answers", p.EnableEvent(p.EVENT_METHOD_EXIT, "Work$Thing::same(..)"))
""",
        "Work", "calls", "calls",
    )  # fmt: skip
    assert [line for line in result.stdout.splitlines() if not line.startswith("java")] == [
        "answers 0", "answers 0", "entry", *["exit"] * 4, "answers 0", "entry", *["exit"] * 4,
    ]  # fmt: skip


def test_a_pattern_that_is_none_is_named(profiled: Profiled, tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text('from instrument import jvmpi\njvmpi.EnableEvent(jvmpi.EVENT_METHOD_ENTRY, "a::b::c(")\n')
    from tests.conftest import classhook_command, execute

    result = execute([*classhook_command(), "run", "--quiet", "--agent", file, "-o", tmp_path / "data", "--", "java", "-version"])
    assert f"{file}:2:" in result.stderr


def test_compiled_methods(profiled: Profiled, tmp_path: Path) -> None:
    """Those that the JVM logs: their sizes are in the log, too; and the lines of the loop."""
    log = tmp_path / "compiled"
    result = profiled(
        NAMES
        + """
@on("COMPILED_METHOD_LOAD")
def load(event):
    c = event.u.compiled_method_load
    if names.get(c.method_id) == "Work.hot":
        lines = {line.lineno for line in c.lineno_table}
        print("hot", c.code_addr > 0, c.code_size > 0, c.lineno_table_size == len(c.lineno_table), lines <= {31, 32, 33, 34}, 33 in lines)
@on("COMPILED_METHOD_UNLOAD")
def unload(event): print("unload", event.u.compiled_method_unload.method_id > 0)
""",
        "Work", "compile", "unload",
        options=(f"-Xlog:jit+compilation=debug:file={log}",),
    )  # fmt: skip
    told = said(result, "hot")
    logged = re.findall(r"^.*Work::hot (?:@ \d+ )?\(\d+ bytes\)$", log.read_text(), re.MULTILINE)
    assert set(told) == {"True True True True True"}
    assert 1 <= len(told) <= len(logged)
