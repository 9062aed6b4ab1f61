"""The classes of a project, before and after it was built again."""

from __future__ import annotations

import os
import shutil
import threading
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from classhook.extensions.servers.editor.project import Project, home, places_of
from classhook.extensions.servers.editor.worker import Worker


def jar(path: Path, **files: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        for name, data in files.items():
            made.writestr(name.replace("__", "/").replace("_class", ".class").replace("_jar", ".jar"), data)
    return path


@pytest.mark.parametrize(
    ("there", "found"),
    [
        (["target/classes", "target/test-classes"], ["target/classes", "target/test-classes"]),
        (["target/classes", "target/app.jar"], ["target/classes"]),  # the same classes
        (["target/app.jar", "target/app-sources.jar"], ["target/app.jar"]),
        (["core/target/classes", "web/target/web.jar"], ["core/target/classes", "web/target/web.jar"]),
        (["a/b/build/classes/kotlin/main", "a/b/build/libs/b.jar"], ["a/b/build/classes/kotlin/main"]),
        (["out/production/shop", "out/test/shop"], ["out/production/shop", "out/test/shop"]),
        (["src/main/java", "node_modules/x.jar"], []),
    ],
)
def test_where_build_tools_put_classes(tmp_path: Path, there: list[str], found: list[str]) -> None:
    for name in there:
        (tmp_path / name).mkdir(parents=True) if not name.endswith(".jar") else jar(tmp_path / name)
    assert places_of([tmp_path]) == [tmp_path / name for name in found]


def test_where_the_settings_say(tmp_path: Path) -> None:
    jar(tmp_path / "libs" / "a.jar")
    jar(tmp_path / "libs" / "b.jar")
    (tmp_path / "target" / "classes").mkdir(parents=True)
    assert places_of([tmp_path], ["libs/*.jar", "made", str(tmp_path / "libs" / "a.jar")]) == [
        tmp_path / name for name in ("libs/a.jar", "libs/b.jar", "made")
    ]


def test_the_project_around_a_file(tmp_path: Path) -> None:
    assert home(tmp_path / "my.rules") == tmp_path
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pom.xml").touch()
    assert home(tmp_path / "a" / "b" / "my.rules") == tmp_path / "a"


def test_classes_of_directories_and_jars(classes: Path, tmp_path: Path) -> None:
    orders = (classes / "com" / "acme" / "Orders.class").read_bytes()
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr("com/acme/Customer.class", (classes / "com" / "acme" / "Customer.class").read_bytes())
    jar(
        tmp_path / "app.jar",
        **{"BOOT-INF__classes__com__acme__Orders_class": orders, "BOOT-INF__lib__a_jar": inner.getvalue()},
        module_info=b"",
    )
    (tmp_path / "broken.jar").write_bytes(b"PK no jar")
    project = Project([tmp_path], ["*.jar", "none"])
    assert project.refresh()
    assert project.sorted_names == ["com.acme.Customer", "com.acme.Orders"]
    assert {method.name for facts in project.named("com.acme.Orders") for method in facts.methods} >= {"place", "total"}
    assert project.named("com.acme.Customer")[0].super_name == "com.acme.Party"
    assert project.named("com.acme.Party") == []
    assert project.subtype_has("java.lang.Object", "limit")


def test_what_was_built_again(classes: Path, tmp_path: Path) -> None:
    package = tmp_path / "target" / "classes" / "com" / "acme"
    shutil.copytree(classes / "com" / "acme", package)
    project = Project([tmp_path])
    assert project.refresh()
    assert not project.refresh()
    assert not project.refresh(after=3600)
    before = project.version
    assert project.named("com.acme.Party")[0].fields
    assert project.subtype_has("com.acme.Party", "names")
    shutil.copy(package / "Customer.class", package / "Party.class")  # another class, by its content
    os.utime(package / "Party.class", (1, 1))
    (package / "Orders.class").write_bytes(b"damaged")
    assert project.refresh()
    assert project.version > before
    assert project.named("com.acme.Party")[0].super_name == "com.acme.Party"
    assert project.named("com.acme.Orders") == []
    shutil.rmtree(package)
    assert project.refresh()
    assert project.names() == set()
    assert not project.subtype_has("com.acme.Party", "names")


def test_a_worker_does_the_newest_job_of_each_key() -> None:
    worker, done, begun, go = Worker("test"), list[str](), threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        go.wait(60)
        raise ValueError("a defect")

    worker.submit("a", first)
    assert begun.wait(60)
    over = threading.Event()
    worker.submit("b", lambda: done.append("old"))
    worker.submit("b", lambda: done.append("new"))
    worker.submit("c", over.set, delay=0.01)
    go.set()
    assert over.wait(60)
    assert done == ["new"]
