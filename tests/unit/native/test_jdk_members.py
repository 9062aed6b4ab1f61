"""The list of the JDK's members that are not public: all that code names is in it, and each has a use."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from jawa.cf import ClassFile

from classhook.native import jdk_members
from classhook.native.building import build
from classhook.native.building.tracker.whole import made
from classhook.native.jdk_members.asked_by_agent import ASKED_BY_AGENT
from classhook.native.jdk_members.member import Form, Member
from classhook.native.jdk_releases import TESTED, newer, release_of
from classhook.weaving import hand_over
from classhook.weaving.class_weaver import VIRTUAL_THREAD

C_SOURCES = {path: path.read_text() for path in sorted(build.HERE.rglob("*.[ch]"))}
LISTED = {(form.owner, form.name) for member in jdk_members.MEMBERS for form in member.forms}
LISTED_NAMES = {name for _, name in LISTED}
#: Names in C's text by which it asks JNI for public methods of Java, and for members of the tracker.
PUBLIC = {
    "forName",
    "getMessage",
    "getDeclaredMethods",
    "getDeclaredConstructors",
    "getRuntime",
    "toString",
    "exit",
    "<init>",
    "link",
    "invoke",
}
PUBLIC |= {"SEEN", "SILENT", "entered", "getThreadMXBean", "identityHashCode"}


def tracker_references(*variant: bool) -> Iterator[tuple[str, str]]:
    """The members of other classes that the tracker's code names."""
    for constant in ClassFile(io.BytesIO(made(*variant))).constants:
        if type(constant).__name__ in (
            "FieldReference",
            "MethodReference",
            "InterfaceMethodRef",
            "FieldRef",
            "MethodRef",
        ):
            yield constant.class_.name.value, constant.name_and_type.name.value
        if type(constant).__name__ == "UTF8" and constant.value.startswith("Ljdk/internal/vm/annotation/"):
            yield constant.value[1:-1], ""


@pytest.mark.parametrize("variant", [(False,), (True,), (True, True)], ids=["plain", "carriers", "values"])
def test_what_the_tracker_names_is_listed(variant: tuple[bool, ...]) -> None:
    named = {
        one for one in tracker_references(*variant) if one[0].startswith("jdk/") or one[1] == "currentCarrierThread"
    }
    assert len(named) > 15
    assert named <= LISTED


def test_methods_of_the_jdk_into_which_code_is_woven_are_listed() -> None:
    woven = {
        (name, method)
        for table in (hand_over.SUBMITTED, hand_over.AROUND)
        for name, methods in table.items()
        for method in methods
    }
    woven |= {
        (name, method) for name, methods in hand_over.LOOPS.items() for method in methods if method and method != "run"
    }
    woven |= {(name, method) for name, (methods, _) in hand_over.AT_ONCE.items() for method in methods}
    woven |= {(VIRTUAL_THREAD, "mount"), (VIRTUAL_THREAD, "unmount")}
    ours = {(name.replace(".", "/"), method) for name, method in woven if name.startswith(("java.", "jdk."))}
    assert ours == {(form.owner, form.name) for member in jdk_members.WOVEN for form in member.forms}


def test_the_agent_asks_for_each_member_by_its_symbol() -> None:
    asked = set(re.findall(r"\bCH_JDK_(?!MEMBERS|ROWS|FORMS|OLDEST)([A-Z_]+)\b", "".join(C_SOURCES.values())))
    assert asked == {member.symbol for member in ASKED_BY_AGENT}


def test_members_in_the_text_of_c_are_public_or_listed() -> None:
    named = re.findall(r'Get(?:Static)?(?:Method|Field)ID\(env, [^",]+, "([^"]+)"', "".join(C_SOURCES.values()))
    assert len(named) > 15
    assert set(named) - PUBLIC - LISTED_NAMES == set()


def test_fields_of_collections_are_listed() -> None:
    text = C_SOURCES[build.HERE / "watch" / "collections.c"]
    recipes = re.findall(r'\{UTIL\("([^"]+)"\), \w+, OF\(([^)]*)\), OF\(([^)]*)\)\}', text)
    assert len(recipes) > 40
    fields = {field.strip('"') for _, *both in recipes for field in both} | set(
        re.findall(r'to_\w+ = OF\("(\w+)"\)', text)
    )
    assert fields - {"", "NULL"} <= LISTED_NAMES
    assert text.count("UTIL(") == len(recipes) + 1, "the pattern above finds all"


def test_every_release_has_one_form_of_each_member() -> None:
    for member in jdk_members.MEMBERS:
        for release in range(17, TESTED + 1):
            assert len(member.expected(release)) <= 1, member
    assert [str(form) for form in jdk_members.MEMBERS[0].forms] == [
        "java.lang.Class.forName0(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;",
        "java.lang.Class.forName0(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
    ]


def test_what_is_missing_is_what_the_release_should_have() -> None:
    there = {
        form for form in jdk_members.queries() if form.name != "doExec" and form.owner != "jdk/internal/vm/Continuation"
    }
    assert [str(member.forms[0]) for member in jdk_members.missing(25, there)] == [
        "jdk.internal.vm.Continuation.target",
        "java.util.concurrent.ForkJoinTask.doExec",
    ]
    assert [str(member.forms[0]) for member in jdk_members.missing(17, there)] == [
        "java.util.concurrent.ForkJoinTask.doExec"
    ]


def test_doctor_names_what_a_jdk_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    from classhook.commands.self import doctor

    lacking = [
        Member((Form("java/lang/Class", "forName9", "()V"),), "nothing works"),
        Member((Form("java/lang/Gone"),), "no names"),
    ]
    lacking.append(Member((Form("com/sun/management/Bean", "dump", "()V"),), "no dumps", module="jdk.management"))
    monkeypatch.setattr("classhook.live.jdk_check.check", lambda java, release: lacking)
    assert list(doctor.members("java", TESTED + 1)) == [
        (False, f"JDK {TESTED + 1} lacks something that classhook needs:"),
        (False, "no java.lang.Class.forName9()V: nothing works"),
        (False, "no java.lang.Gone: no names"),
        (True, "this runtime image has no module jdk.management: no dumps"),
        (True, f"JDK {TESTED + 1} is newer than any that classhook was tested with (up to {TESTED})"),
    ]


def test_a_jdk_that_is_newer_than_any_tested_one_is_said_to_be_so() -> None:
    assert not newer([])
    assert not newer(["17.0.15+6", f"{TESTED}-ea+18-1", "?"])
    assert newer([f"{TESTED + 1}-ea", "17.0.15", f"{TESTED + 1}.0.2+3"]).startswith(
        f"JDK {TESTED + 1} is newer than any that classhook was tested with"
    )
    assert release_of("28-ea+18-1-Debian") == 28
