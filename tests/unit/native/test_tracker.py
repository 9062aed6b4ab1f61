"""The tracker class as it is made from Java sources: what the JIT's decisions depend on, and what javac cannot do."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
from jawa.cf import ClassFile

from classhook.native.building import prerequisites
from classhook.native.building.tracker import compiled as sources
from classhook.native.building.tracker import probes
from classhook.native.building.tracker.whole import made
from tests.conftest import ENVIRONMENT, Compiled, FindJvm

VARIANTS = pytest.mark.parametrize("variant", [(False,), (True,), (True, True)], ids=["plain", "carriers", "values"])

#: Bytes of the probes that count, until JDK 18 and from 19 on: C2 stops inlining into a method at 8,000.
SIZES = {
    "count": (62, 74),
    "allocated": (75, 87),
    "array1": (108, 119),
    "array2": (110, 121),
    "array4": (110, 121),
    "array8": (110, 121),
    "arrayRef": (112, 123),
    "due": (84, 96),
    "covered": (37, 37),
    "keyOf": (118, 118),
    "fieldOf": (172, 172),
}


def methods(*variant: bool) -> dict[str, tuple[int, list[str]]]:
    """The bytes of each method, and what methods it calls."""
    file, found = ClassFile(io.BytesIO(made(*variant))), {}
    for method in file.methods:
        if method.code:
            calls = [
                file.constants.get(one.operands[0].value).name_and_type.name.value
                for one in method.code.disassemble()
                if one.mnemonic.startswith("invoke")
            ]
            found[method.name.value] = (len(method.code._code), calls)
    return found


@pytest.mark.parametrize("carriers", [False, True])
def test_probes_have_the_sizes_that_were_measured(carriers: bool) -> None:
    found = methods(carriers)
    assert {name: found[name][0] for name in SIZES} == {name: sizes[carriers] for name, sizes in SIZES.items()}


def test_a_probe_looks_at_the_current_thread_and_then_at_its_carrier() -> None:
    found = methods(True)
    assert found["count"][1] == ["currentThread", "getReference", "getLong", "getLong", "putLong", "countCarrier"]
    assert found["countCarrier"][1] == [
        "currentCarrierThread", "getReference", "getLong", "getLong", "putLong", "currentCarrierThread", "countSlowly"
    ]  # fmt: skip


def test_older_jdks_have_no_carriers() -> None:
    found = methods(False)
    assert found["count"][1] == ["currentThread", "getLong", "getLong", "putLong", "currentThread", "countSlowly"]
    assert not [name for name, (_, calls) in found.items() if "Carrier" in name or "currentCarrierThread" in calls]


@VARIANTS
def test_what_the_class_has_beside_code(variant: tuple[bool, ...]) -> None:
    file = ClassFile(io.BytesIO(made(*variant)))
    assert (file.this.name.value, file.super_.name.value) == (
        "java/lang/ClasshookTracker",
        "java/lang/ref/WeakReference",
    )
    assert file.version == (49, 0), "without frames"
    attributes = {attribute.name.value for method in file.methods for attribute in method.attributes}
    assert attributes == {"Code", "RuntimeVisibleAnnotations"}
    hidden = [b"Hidden" in text(file, method) for method in file.methods]
    assert all(hidden)
    assert len(hidden) > 150
    assert [one.name.value for one in file.fields if b"Stable" in text(file, one)] == (
        ["slot", "key", "at", "next", "SEEN", "FIELDS"]
    )
    assert {one.name.value for one in file.methods if b"DontInline" in text(file, one)} >= {"begun", "coveredFirst"}
    named = {constant.value for constant in file.constants if type(constant).__name__ == "UTF8"}
    parts = sources.classes().keys() - {"Thread", "Thread$FieldHolder"}
    assert not [part for part in parts if f"java/lang/{part}" in named]


def text(file: ClassFile, member: object) -> bytes:
    """The types of a member's annotations."""
    found = member.attributes.find_one(name="RuntimeVisibleAnnotations")  # type: ignore[attr-defined]
    indices = range(2, len(found.info), 4) if found else ()
    return b" ".join(
        file.constants.get(int.from_bytes(found.info[at : at + 2], "big")).value.encode() for at in indices
    )


@VARIANTS
def test_a_jvm_verifies_the_class(
    variant: tuple[bool, ...], find_jvm: FindJvm, compiled: Compiled, tmp_path: Path
) -> None:
    file = tmp_path / "java" / "lang" / "ClasshookTracker.class"
    file.parent.mkdir(parents=True)
    file.write_bytes(made(*variant))
    java = find_jvm(25 if variant[0] else 17).java
    line = [java, "-Xverify:all", f"--patch-module=java.base={tmp_path}", "-cp", compiled("Linked"), "Linked"]
    out = subprocess.run([*line, "java.lang.ClasshookTracker"], capture_output=True, text=True, env=ENVIRONMENT)
    assert "UnsatisfiedLinkError: 'int java.lang.ClasshookTracker.mask()'" in out.stdout, "it began to run"


def test_sizes_with_which_the_jit_would_treat_a_method_otherwise_are_refused() -> None:
    nothing = ("nop",)
    assert probes.checked({"a": [nothing] * 325, "link": [nothing] * 326, "b": []}, False)
    with pytest.raises(ValueError, match="a has 326 bytes, and C2 inlines"):
        probes.checked({"a": [nothing] * 326}, False)
    with pytest.raises(ValueError, match="a has 35 bytes, and C1 inlines"):
        probes.checked({"a": [nothing] * 35}, True)


@pytest.mark.rest
def test_every_jdk_compiles_the_same(find_jvm: FindJvm, monkeypatch: pytest.MonkeyPatch) -> None:
    by_version = []
    for version in (17, 25):
        monkeypatch.setenv("JAVA_HOME", str(find_jvm(version).java.parents[1]))
        by_version.append(sources.classes.__wrapped__())
    assert by_version[0] == by_version[1]


def test_a_jdk_without_a_compiler_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "jvmti.h").touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(prerequisites.Missing, match="bin/javac is missing, which compiles the tracker class"):
        prerequisites.javac()
