"""The rules of a run without rules."""

from __future__ import annotations

import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from classhook.commands.own_packages import rules_for
from classhook.store.woven_ahead import MAGIC


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLASSPATH", raising=False)
    return tmp_path


def class_file(name: str) -> bytes:
    """A class without members, by its name in internal form."""
    texts = (name.encode(), b"java/lang/Object")
    constants = b"".join(
        b"\1" + len(text).to_bytes(2, "big") + text + b"\7" + (2 * i + 1).to_bytes(2, "big")
        for i, text in enumerate(texts)
    )
    return bytes.fromhex("cafebabe0000003d0005") + constants + bytes.fromhex("00210002000400000000000000000000")[:-2]


def put(folder: Path, *names: str, text: bytes = b"") -> None:
    """Files: classes of the names that their paths say, sources that begin with their packages."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        own, _, ending = name.rpartition(".")
        package = ".".join(own.split("/")[:-1])
        source = f"// comment\npackage {package};\n" if package else ""
        (folder / name).write_bytes(text or (class_file(own) if ending == "class" else source.encode()))


def jar(file: Path, manifest: str, **files: bytes) -> bytes:
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", manifest)
        for name, data in files.items():
            archive.writestr(name.replace("__", "/") + ".class", data)
    return file.read_bytes()


def test_what_a_build_has_made(folder: Path) -> None:
    put(folder / "app/target/classes", "com/acme/shop/web/Api.class", "com/acme/shop/Db.class", "org/tool/A.class")
    put(folder / "app/target/test-classes", "com/acme/shop/DbTest.class", "module-info.class")
    put(folder / "app/target/classes/META-INF/versions/11", "other/Newer.class")
    put(folder / "app/node_modules/x/target/classes", "other/Foreign.class")
    put(folder / ".gradle/target/classes", "other/Hidden.class")
    expected = ["profile com.acme.shop.**::*", "profile org.tool.**::*"]
    assert rules_for(["mvn", "test"]) == expected
    put(folder / "ant/build/classes", "com/acme/shop/Main.class")
    assert rules_for(["ant", "test"]) == expected


def test_sources_if_nothing_is_built(folder: Path) -> None:
    put(folder / "core/src/main/java", "com/acme/core/A.java", "com/acme/core/b/B.java")
    put(folder / "app/src/main/kotlin", "Main.kt", text=b'@file:JvmName("x")\npackage com.acme.app\n')
    put(folder / "app/src/main/java/${package}/x", "A.java", text=b"package ${package}.x;")
    assert rules_for(["./gradlew", "test"]) == ["profile com.acme.**::*"]
    assert rules_for(["/usr/bin/env", "true"]) == ["profile com.acme.**::*"]


def test_the_class_that_java_starts(folder: Path) -> None:
    put(folder / "classes", "shop/Main.class", "shop/db/Db.class", "Alone.class")
    for words in (
        ["java", "-cp", "classes", "shop.Main", "x.Y"],
        ["/opt/bin/java", "-Xmx1g", "--add-opens", "a/b=c", "-cp", "lib.jar:classes", "shop.Main"],
        ["java", "--class-path=junit.jar:classes", "org.junit.runner.JUnitCore", "shop.MainTest"],
    ):
        assert rules_for(words) == ["profile *::*", "profile shop.**::*"]
    put(folder / "one", "Alone.class")
    assert rules_for(["java", "-cp", "one", "Alone"]) == ["profile *::*"]
    assert rules_for(["java", "-cp", "none.jar", "com.acme.app.Main"]) == ["profile com.acme.app.**::*"]
    assert rules_for(["java", "-m", "com.acme/com.acme.app.Main"]) == ["profile com.acme.app.**::*"]
    for words in (["-version"], ["Main.java"], ["--source", "21", "Main.java"], ["-cp", "none.jar", "A B.C"], []):
        assert rules_for(["java", *words]) == []


def test_files_that_cannot_be_read(folder: Path) -> None:
    classes = folder / "target" / "classes"
    put(classes, "a/b/Good.class")
    put(classes, "c/d/Bad.class", "e/d/Empty.class", text=b"bad")
    (classes / "a" / "b" / "Link.class").symlink_to("nowhere")
    (classes / "a" / "b" / "Aaa.class").mkdir()
    os.mkfifo(classes / "a" / "b" / "Pipe.class")
    put(classes, "My Programs/x/A.class", "c++/A.class")
    assert rules_for(["mvn", "test"]) == ["profile a.b.**::*"]
    (folder / "torn.jar").write_bytes(jar(folder / "a.jar", "Main-Class: a.B\n", a__B=bytes(5000))[:-100])
    assert rules_for(["java", "-jar", "torn.jar"]) == []


def test_jars(folder: Path) -> None:
    boot = "Main-Class: org.springframework.boot.loader.JarLauncher\r\nStart-Class: com.acme.shop.\r\n Shop\r\n"
    jar(folder / "boot.jar", boot)
    assert rules_for(["java", "-jar", "boot.jar"]) == ["profile com.acme.shop.**::*"]
    jar(folder / "tool.jar", "Main-Class: com.acme.Tool\n")
    assert rules_for(["java", "-jar", "tool.jar", "-cp", "x"]) == ["profile com.acme.**::*"]
    put(folder, "broken.jar", text=b"PK")
    assert rules_for(["java", "-jar", "broken.jar"]) == rules_for(["java", "-jar", "none.jar"]) == []


def test_woven_classes_need_no_rules(folder: Path) -> None:
    jar(folder / "woven.jar", "Main-Class: shop.Main\n", shop__Main=b"class", shop__Db=b"class" + MAGIC)
    put(folder / "classes", "shop/Main.class")
    put(folder / "classes", "shop/Woven.class", text=b"class" + MAGIC)
    put(folder / "target/classes", "shop/Main.class", "shop/Next.class")
    put(folder / "target/classes", "shop/Other.class", text=b"class" + MAGIC)
    for words in (
        ["java", "-jar", "woven.jar"],
        ["java", "-cp", "woven.jar", "shop.Main"],
        ["java", "-cp", "classes", "shop.Main"],
        ["mvn", "test"],
    ):
        assert rules_for(words) == []


def test_too_many_packages_are_nobodys_project(folder: Path) -> None:
    put(folder / "target/classes", *(f"a{i}/b/C.class" for i in range(9)))
    assert rules_for(["mvn", "test"]) == []
