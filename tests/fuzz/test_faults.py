"""Calls of the agent that fail: those that once crashed the JVM, changed what the program did, or lost counts without a
word. The long form: python -m tools.strangers faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Jvm
from tools.compare.fetching import Failed
from tools.strangers.suites.faults.preload import Fault, Preload
from tools.strangers.suites.faults.program import SETTINGS, Program

#: By the setting: the kind of call, whether later ones fail, too, and the functions that call.
CASES = {
    "warm": [
        ("memory", "once", ("decoded", "remember_class", "ch_text_copy", "made", "way_of")),
        ("files", "once", ("move",)),
        ("files", "from", ("replace",)),
        ("maps", "once", ("ch_region_memory",)),
        ("jni", "once", ("ch_loader_query_prepare", "ch_unsafe_offset", "id_in", "measure", "size_of_instance")),
        ("jni", "once", ("ch_local_room",)),
    ],
    "cold": [("memory", "once", ("append_paths",))],
    "samplers": [
        ("jvmti", "once", ("ch_jvm_prepare",)),
        ("jni", "once", ("ch_jvm_prepare", "register_natives", "ch_weak_add", "ch_key_prepare")),
    ],
    "handlers": [
        ("memory", "once", ("_cffi_f_malloc", "ch_text_copy")),
        ("memory", "from", ("ch_handler_add",)),
    ],
}
EACH = [(setting, *case) for setting, cases in CASES.items() for case in cases]


@pytest.fixture(scope="module")
def preload(find_jvm: Callable[[int], Jvm], tmp_path_factory: pytest.TempPathFactory) -> Preload:
    try:
        return Preload.built(tmp_path_factory.mktemp("preload"), find_jvm(25).java)
    except Failed as failed:
        pytest.skip(str(failed))


@pytest.fixture(scope="module")
def programs(find_jvm: Callable[[int], Jvm], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Program]:
    known: dict[str, Program] = {}

    def program(name: str) -> Program:
        if name not in known:
            setting = next(one for one in SETTINGS if one.name == name)
            known[name] = Program.prepared(tmp_path_factory.mktemp("faults") / name, find_jvm(25).java, setting)
        return known[name]

    return program


@pytest.mark.parametrize(
    ("setting", "kind", "how", "functions"), EACH, ids=[f"{one[0]}-{one[1]}-{one[2]}-{one[3][0]}" for one in EACH]
)
def test_a_call_that_fails(
    programs: Callable[[str], Program], preload: Preload, setting: str, kind: str, how: str, functions: tuple[str, ...]
) -> None:
    program = programs(setting)
    notes = program.noted(preload, Fault(kind, 0, 0))
    firsts = {place: n for n, place in reversed([*enumerate(notes, 1)])}
    wanted = [n for place, n in firsts.items() if preload.place(place).split()[0] in functions]
    assert wanted, "the agent does not call that here"
    for n in wanted:
        program.judge(preload, Fault(kind, n, n if how == "once" else Fault.ALL))
