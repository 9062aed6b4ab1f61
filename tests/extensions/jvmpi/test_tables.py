"""The specification's names: each constant, event and function is there, and answers as the table says; so does
docs/reference/jvmpi.md."""

from __future__ import annotations

import json
from pathlib import Path

from classhook import jvmpi
from classhook.extensions.jvmpi.events import EVENTS, NEVER, REQUESTED
from classhook.extensions.jvmpi.functions import FUNCTIONS, MORE
from tests.events.conftest import said
from tests.extensions.jvmpi import page
from tests.extensions.jvmpi.conftest import Profiled

#: The specification's numbers.
NUMBERS = {
    "METHOD_ENTRY": 1,
    "METHOD_ENTRY2": 2,
    "METHOD_EXIT": 3,
    "OBJECT_ALLOC": 4,
    "OBJECT_FREE": 5,
    "OBJECT_MOVE": 6,
    "COMPILED_METHOD_LOAD": 7,
    "COMPILED_METHOD_UNLOAD": 8,
    "INSTRUCTION_START": 9,  # version 1.2's
    "THREAD_START": 33,
    "THREAD_END": 34,
    "CLASS_LOAD_HOOK": 35,
    "HEAP_DUMP": 37,
    "JNI_GLOBALREF_ALLOC": 38,
    "JNI_GLOBALREF_FREE": 39,
    "JNI_WEAK_GLOBALREF_ALLOC": 40,
    "JNI_WEAK_GLOBALREF_FREE": 41,
    "CLASS_LOAD": 42,
    "CLASS_UNLOAD": 43,
    "DATA_DUMP_REQUEST": 44,
    "DATA_RESET_REQUEST": 45,
    "JVM_INIT_DONE": 46,
    "JVM_SHUT_DOWN": 47,
    "ARENA_NEW": 48,
    "ARENA_DELETE": 49,
    "OBJECT_DUMP": 50,
    "RAW_MONITOR_CONTENDED_ENTER": 51,
    "RAW_MONITOR_CONTENDED_ENTERED": 52,
    "RAW_MONITOR_CONTENDED_EXIT": 53,
    "MONITOR_CONTENDED_ENTER": 54,
    "MONITOR_CONTENDED_ENTERED": 55,
    "MONITOR_CONTENDED_EXIT": 56,
    "MONITOR_WAIT": 57,
    "MONITOR_WAITED": 58,
    "MONITOR_DUMP": 59,
    "GC_START": 60,
    "GC_FINISH": 61,
}


def test_all_events_are_there_with_the_specifications_numbers() -> None:
    assert {kind.name: kind.number for kind in EVENTS} == NUMBERS
    assert len(NUMBERS) == 37
    assert len({one.name for one in FUNCTIONS}) == 25
    for name, number in NUMBERS.items():
        assert getattr(jvmpi, f"JVMPI_EVENT_{name}") == getattr(jvmpi, f"EVENT_{name}") == number


def test_constants_have_the_specifications_values() -> None:
    assert (jvmpi.JVMPI_SUCCESS, jvmpi.JVMPI_NOT_AVAILABLE, jvmpi.JVMPI_FAIL) == (0, 1, -1)
    assert (jvmpi.JVMPI_VERSION_1, jvmpi.JVMPI_REQUESTED_EVENT, jvmpi.JVMPI_MAX_EVENT_TYPE_VAL) == (
        0x10000001,
        0x10000000,
        61,
    )
    assert (jvmpi.THREAD_RUNNABLE, jvmpi.THREAD_MONITOR_WAIT, jvmpi.THREAD_CONDVAR_WAIT) == (1, 2, 3)
    assert (jvmpi.THREAD_SUSPENDED, jvmpi.THREAD_INTERRUPTED) == (0x8000, 0x4000)
    assert [2, *range(4, 12)] == [
        jvmpi.CLASS,
        jvmpi.BOOLEAN,
        jvmpi.CHAR,
        jvmpi.FLOAT,
        jvmpi.DOUBLE,
        jvmpi.BYTE,
        jvmpi.SHORT,
        jvmpi.INT,
        jvmpi.LONG,
    ]
    assert (jvmpi.GC_CLASS_DUMP, jvmpi.GC_PRIM_ARRAY_DUMP, jvmpi.GC_ROOT_THREAD_OBJ, jvmpi.GC_ROOT_UNKNOWN) == (
        0x20,
        0x23,
        8,
        0xFF,
    )


def test_each_function_is_there_and_each_event_answers(profiled: Profiled) -> None:
    result = profiled(
        """
import json
from inspect import signature
from classhook.extensions.jvmpi.functions import FUNCTIONS, MORE
from classhook.extensions.jvmpi.events import EVENTS
print("functions", json.dumps({f.name: list(signature(getattr(p, f.name)).parameters) for f in FUNCTIONS + MORE if f.name != "NotifyEvent"}))
print("answers", json.dumps({k.name: [p.EnableEvent(k.number, None), p.DisableEvent(k.number, None)] for k in EVENTS}))
print("unknown", p.EnableEvent(10), p.DisableEvent(62), p.RequestEvent(10), p.DisableGC(), p.EnableGC())
""",
        "Work",
    )
    found = json.loads(said(result, "functions")[0])
    assert found == {one.name: list(one.parameters) for one in FUNCTIONS + MORE if one.name != "NotifyEvent"}
    answers = json.loads(said(result, "answers")[0])
    none = {kind.name for kind in EVENTS if kind.comes in (NEVER, REQUESTED)}
    assert none == {"ARENA_NEW", "ARENA_DELETE", "OBJECT_MOVE", "HEAP_DUMP", "MONITOR_DUMP", "OBJECT_DUMP"}
    assert answers == {name: [1, 1] if name in none else [0, 0] for name in NUMBERS}
    assert said(result, "unknown") == ["-1 -1 -1 1 1"]


def test_a_name_that_jvmpi_has_not(profiled: Profiled) -> None:
    result = profiled("try: p.EnableEvents\nexcept AttributeError as e: print('said', e)", "Work")
    assert said(result, "said") == ["JVMPI has no `EnableEvents`"]


def test_the_page_agrees_with_the_tables() -> None:
    text = page.PATH.read_text()
    assert page.with_tables(text) == text, "python -m tests.extensions.jvmpi.page writes the tables again"


def test_each_row_has_a_test() -> None:
    """By its name, in the tests of this folder or the examples."""
    folder = Path(__file__).parent
    scripts = "".join(
        path.read_text()
        for path in [*folder.glob("test_*.py"), *page.EXAMPLES.glob("*.py")]
        if path.name != Path(__file__).name
    )
    for kind in EVENTS:
        assert f'"{kind.name}"' in scripts or f"EVENT_{kind.name}" in scripts or kind.comes == NEVER, kind.name
    for function in FUNCTIONS + MORE:
        assert f"{function.name}" in scripts or function.path == "-", function.name
