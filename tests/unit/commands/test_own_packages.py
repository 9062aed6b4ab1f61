"""The rules of a run without rules."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from classhook.commands.own_packages import rules_for
from classhook.store.woven_ahead import MAGIC


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLASSPATH", raising=False)
    return tmp_path


def put(folder: Path, *names: str, text: bytes = b"") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)


def jar(file: Path, manifest: str, **files: bytes) -> Path:
    with ZipFile(file, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", manifest)
        for name, data in files.items():
            archive.writestr(name.replace("__", "/") + ".class", data)
    return file


def test_what_a_build_has_made(folder: Path) -> None:
    put(folder / "app/target/classes", "com/acme/shop/web/Api.class", "com/acme/shop/Db.class", "org/tool/A.class")
    put(folder / "app/target/test-classes", "com/acme/shop/DbTest.class", "module-info.class")
    assert rules_for(["mvn", "test"]) == ["profile com.acme.shop.**::*", "profile org.tool.**::*"]


def test_sources_if_nothing_is_built(folder: Path) -> None:
    put(folder / "core/src/main/java", "com/acme/core/A.java", "com/acme/core/b/B.java")
    put(folder / "app/src/main/kotlin", "com/acme/app/Main.kt")
    assert rules_for(["./gradlew", "test"]) == ["profile com.acme.**::*"]
    assert rules_for(["/usr/bin/env", "true"]) == ["profile com.acme.**::*"]


def test_the_class_that_java_starts(folder: Path) -> None:
    put(folder / "classes", "shop/Main.class", "shop/db/Db.class", "Alone.class")
    for words in (
        ["java", "-cp", "classes", "shop.Main", "x.Y"],
        ["/opt/bin/java", "-Xmx1g", "--add-opens", "a/b=c", "-cp", "lib.jar:classes", "shop.Main"],
    ):
        assert rules_for(words) == ["profile *::*", "profile shop.**::*"]
    put(folder / "one", "Alone.class")
    assert rules_for(["java", "-cp", "one", "Alone"]) == ["profile *::*"]
    assert rules_for(["java", "-cp", "none.jar", "com.acme.app.Main"]) == ["profile com.acme.app.**::*"]
    assert rules_for(["java", "-m", "com.acme/com.acme.app.Main"]) == ["profile com.acme.app.**::*"]
    assert rules_for(["java", "-version"]) == rules_for(["java", "Main.java"]) == []


def test_jars(folder: Path) -> None:
    boot = "Main-Class: org.springframework.boot.loader.JarLauncher\r\nStart-Class: com.acme.shop.\r\n Shop\r\n"
    jar(folder / "boot.jar", boot)
    assert rules_for(["java", "-jar", "boot.jar"]) == ["profile com.acme.shop.**::*"]
    jar(folder / "tool.jar", "Main-Class: com.acme.Tool\n")
    assert rules_for(["java", "-jar", "tool.jar", "-cp", "x"]) == ["profile com.acme.**::*"]
    put(folder, "broken.jar", text=b"PK")
    assert rules_for(["java", "-jar", "broken.jar"]) == rules_for(["java", "-jar", "none.jar"]) == []


def test_woven_classes_need_no_rules(folder: Path) -> None:
    jar(folder / "woven.jar", "Main-Class: shop.Main\n", shop__Main=b"class" + MAGIC)
    put(folder / "classes", "shop/Main.class", text=b"class" + MAGIC)
    put(folder / "target/classes", "shop/Main.class", text=b"class" + MAGIC)
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
