"""METHOD_ENTRY, METHOD_ENTRY2, METHOD_EXIT and compiled methods."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Jvm
from tests.events.conftest import said
from tests.extensions.jvmpi.conftest import Profiled

pytestmark = pytest.mark.core

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
        "Work",
        "calls",
    )
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
        "Work",
        "calls",
    )
    entries = [line.split() for line in said(result, "entry")]
    assert [name for name, _ in entries] == [
        "Work.<clinit>",
        "Work.main",
        "Work.calls",
        "Work$Thing.<clinit>",
        "Work$Thing.<init>",
        *["Work$Thing.same"] * 4,
        "Work.mark",
    ]
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
        "Work",
        "calls",
        "calls",
    )
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
        "Work",
        "calls",
        "calls",
    )
    assert [line for line in result.stdout.splitlines() if not line.startswith("java")] == [
        "answers 0",
        "answers 0",
        "entry",
        *["exit"] * 4,
        "answers 0",
        "entry",
        *["exit"] * 4,
    ]


def test_a_pattern_that_is_none_is_named(profiled: Profiled, tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text('from classhook import jvmpi\njvmpi.EnableEvent(jvmpi.EVENT_METHOD_ENTRY, "a::b::c(")\n')
    from tests.conftest import classhook_command, execute

    result = execute(
        [*classhook_command(), "run", "--quiet", "--agent", file, "-o", tmp_path / "data", "--", "java", "-version"]
    )
    assert f"{file}:2:" in result.stderr


def test_compiled_methods(profiled: Profiled, tmp_path: Path) -> None:
    """A method's compilations are told, with its code and its loop's lines, at most as often as the JVM logs them."""
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
        "Work",
        "compile",
        "unload",
        options=(f"-Xlog:jit+compilation=debug:file={log}",),
    )
    told = said(result, "hot")
    logged = re.findall(r"^.*Work::hot (?:@ \d+ )?\(\d+ bytes\)$", log.read_text(), re.MULTILINE)
    assert set(told) == {"True True True True True"}
    assert 1 <= len(told) <= len(logged)


def test_disabled_events_leave_no_probes(profiled: Profiled) -> None:
    """The rule is gone, and with it what it inserts. Enabled again, it is there again."""
    result = profiled(
        """
from classhook.agent import own_session
n = 0
def entry(event):
    global n
    n += 1
    if n == 3: print("disabled", p.DisableEvent(p.EVENT_METHOD_ENTRY), rules())
    if n == 5: print("again", p.DisableEvent(p.EVENT_METHOD_ENTRY))
told["METHOD_ENTRY"] = entry
def rules():
    from classhook.live.rule_changes import entries
    return [one.rule.text.partition(" handler")[0] for one in entries(own_session.data_file())]
def passed(event): print("enabled", p.EnableEvent(p.EVENT_METHOD_ENTRY, "Flood::call(..)"), rules())
told["METHOD_EXIT"] = passed
print("first", p.EnableEvent(p.EVENT_METHOD_ENTRY, "Flood::call(..)"), p.EnableEvent(p.EVENT_METHOD_EXIT, "Flood::half()"))
@on("JVM_SHUT_DOWN")
def end(event): print("told", n)
""",
        "Flood",
        "call",
        "4000",
    )
    assert said(result, "first") == ["0 0"]
    assert said(result, "disabled") == ["0 ['event Flood::half()']"]
    assert said(result, "enabled") == ["0 ['event Flood::half()', 'event Flood::call(..)']"]
    assert said(result, "again") == ["0"]
    assert said(result, "told") == ["5"]


def test_instructions(jvm: Jvm, profiled: Profiled, classes: Path) -> None:
    """Instructions of one thread are told, in three calls that return and one that throws; javap has the offsets."""
    result = profiled(
        """
same, offsets, early = [], {}, []
print("early", p.EnableEvent(p.EVENT_INSTRUCTION_START, None), p.DisableEvent(p.EVENT_INSTRUCTION_START))
def step(event):
    i = event.u.instruction
    if i.method_id in same: offsets[i.offset] = offsets.get(i.offset, 0) + 1
told["INSTRUCTION_START"] = step
@on("CLASS_LOAD")
def loaded(event):
    c = event.u.class_load
    if c.class_name == "Work": print("one", p.EnableEvent(p.EVENT_INSTRUCTION_START, event.env_id))
    if c.class_name == "Work$Thing": same.extend(m.method_id for m in c.methods if m.method_name == "same")
@on("JVM_SHUT_DOWN")
def end(event): print("told", p.DisableEvent(p.EVENT_INSTRUCTION_START, event.env_id), *[f"{at}:{n}" for at, n in sorted(offsets.items())])
""",
        "Work",
        "calls",
    )
    assert said(result, "early") == ["0 0"]
    assert said(result, "one") == ["0"]
    text = subprocess.run(
        [jvm.tool("javap"), "-c", "-cp", classes, "Work$Thing"], capture_output=True, text=True, check=True
    ).stdout
    lines = text.partition(" same(")[2].partition("Code:")[2].partition("\n\n")[0].splitlines()
    code = {int(at): words for line in lines if line.strip() for at, _, words in [line.strip().partition(": ")]}
    thrown, back = (
        next(at for at, words in code.items() if "athrow" in words),
        next(at for at, words in code.items() if "areturn" in words),
    )
    times = {at: 4 if at < 4 else 1 if at <= thrown else 3 for at in code if at <= back}
    assert said(result, "told") == ["0 " + " ".join(f"{at}:{n}" for at, n in times.items())]


@pytest.mark.measured  # which methods run a loop is found by looks, which another program's work can defeat
def test_calls_in_a_loop_that_runs(profiled: Profiled) -> None:
    """Disabled in a call of the loop, the loop goes on in compiled code: the class keeps its probes, which do nothing,
    and which can be enabled again. An event that needs new probes is not available until the loop has ended."""
    result = profiled(
        NAMES.replace("Work", "Signed")
        + """
import time
n = 0
@on("METHOD_ENTRY", arg="Signed::add(..)")
def entry(event):
    global n
    n += 1
    if n == 1000:
        print("disabled", p.DisableEvent(p.EVENT_METHOD_ENTRY))
        p.CreateSystemThread("later", p.NORMAL_PRIORITY, later)
def later():
    print("exit", p.EnableEvent(p.EVENT_METHOD_EXIT, "Signed::ready(..)"))
    print("again", p.EnableEvent(p.EVENT_METHOD_ENTRY, "Signed::add(..)"))
    until = time.monotonic() + 20
    while n == 1000 and time.monotonic() < until: time.sleep(0.001)
    print("told", n > 1000, p.DisableEvent(p.EVENT_METHOD_ENTRY), flush=True)
    p.ProfilerExit(0)
told["METHOD_EXIT"] = lambda event: None
""",
        "Signed",
        "loop",
    )
    assert said(result, "disabled") == ["0"]
    assert said(result, "exit") == ["1"]
    assert said(result, "again") == ["0"]
    assert said(result, "told") == ["True 0"]


def test_ids_of_methods_that_run_when_their_class_is_changed(profiled: Profiled) -> None:
    """A stack has the ids that CLASS_LOAD told."""
    result = profiled(
        NAMES
        + """
@on("METHOD_ENTRY", arg="Work$Thing::same(..)")
def same(event):
    if not asked: asked.append(p.EnableEvent(p.EVENT_METHOD_EXIT, "Work::mark(..)"))
    trace = p.CallTrace(event.env_id)
    p.GetCallTrace(trace, 9)
    print("stack", *(names.get(frame.method_id) for frame in trace.frames))
asked = []
told["METHOD_EXIT"] = lambda event: print("exit")
""",
        "Work",
        "calls",
    )
    assert set(said(result, "stack")) == {"Work$Thing.same Work.calls Work.main"}


def test_objects_of_constructors(profiled: Profiled) -> None:
    """If they are asked for: the id that the object has afterwards, too."""
    result = profiled(
        """
made = []
print("answers", p.EnableEvent(p.EVENT_METHOD_ENTRY2, "Work$Thing::*", constructors=True), p.EnableEvent(p.EVENT_METHOD_ENTRY, constructors=True))
told["METHOD_ENTRY2"] = lambda event: made.append(event.u.method_entry2.obj_id)
@on("JVM_SHUT_DOWN")
def end(event): print("objects", len(made), len(set(made)), sum(id_ > 0 for id_ in made))
""",
        "Work",
        "calls",
    )
    assert said(result, "answers") == ["0 1"]
    assert said(result, "objects") == ["6 2 5"]  # <clinit>; <init> and four calls
