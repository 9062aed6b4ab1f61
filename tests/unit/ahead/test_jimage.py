"""Classes from a JDK's image are those that its tools show."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.ahead import jimage
from classhook.ahead.hierarchy import Hierarchy
from classhook.classfile.reader import ClassFile
from tests.conftest import Jvm


@pytest.fixture
def image(jvm: Jvm) -> jimage.Image:
    return jimage.Image(jvm.java.resolve().parent.parent / "lib" / "modules")


def test_classes_of_several_modules(image: jimage.Image) -> None:
    for name in (
        "java/lang/Object",
        "java/util/concurrent/ConcurrentHashMap",
        "java/sql/Statement",
        "sun/nio/ch/FileChannelImpl",
    ):
        data = image.class_bytes(name)
        assert data is not None
        assert ClassFile.parse(data).name == name
    for name in ("java/lang/Nothing", "no/such/Package", "Unpackaged", "", "java/lang/Obj\u00e9ct"):
        assert image.class_bytes(name) is None


def test_a_file_that_is_no_image(tmp_path: Path) -> None:
    (tmp_path / "modules").write_bytes(bytes(4096))
    with pytest.raises(ValueError, match="is not a JDK's image"):
        jimage.Image(tmp_path / "modules")


def test_supertypes_of_the_jdks_classes() -> None:
    if jimage.find() is None:
        pytest.skip("no JDK in JAVA_HOME or PATH")
    above, missing = Hierarchy([]).supertypes_of("java.util.concurrent.ConcurrentHashMap")
    assert missing == ""
    assert above == {
        "java.lang.Object",
        "java.util.AbstractMap",
        "java.util.Map",
        "java.util.concurrent.ConcurrentMap",
        "java.io.Serializable",
    }
    assert Hierarchy([]).supertypes_of("no.Such").missing == "no.Such"
