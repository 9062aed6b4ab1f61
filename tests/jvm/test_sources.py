"""`from`: rules for classes of some jars and directories only."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Run, classhook_command, execute

pytestmark = pytest.mark.any_jvm

URLS = (
    "file:/app/lib/some.jar",
    "file:/app/target/test%20classes/",
    "jar:file:/app/boot.jar!/BOOT-INF/lib/in.jar!/",
    "",
    "jar:nested:/app/boot.jar/!BOOT-INF/lib/in.jar!/",
    "https://example.org/far.jar",
    "jar:nested:/app/boot.jar/!BOOT-INF/classes/!/",
)


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        (
            "**",
            255 - 16,
        ),  # the one in the class path, and all but one of the others; without a known place none is right
        ("some.jar", 2),
        ("**/some.jar, lib/in*.jar", 2 + 8 + 32),
        ('"**/test classes/**"', 4),
        ('"target/test classes"', 4),
        ("/app/*.jar", 0),
        ("**/boot.jar!/**", 8 + 32 + 128),
        ("**/boot.jar!/BOOT-INF/classes", 128),
        ("https://example.org/*.jar", 64),
    ],
)
def test_where_classes_come_from(source: str, calls: int, find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    done = run(f"count **::run from {source}", find_jvm(17).java, "-cp", compiled("Places"), "Places", *URLS)
    assert (done.status, done.stderr) == (0, "")
    assert sum(row["calls"] for row in done.report["methods"]) == calls


def test_the_class_path(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    shutil.copytree(compiled("Places"), tmp_path / "with blank" / "classes")
    with zipfile.ZipFile(tmp_path / "app.jar", "w") as jar:
        for file in compiled("Places").iterdir():
            jar.write(file, file.name)
    rules = ["count Runnable+::* from classes", "count java.lang.Runnable+::run from app.jar except **.Job2"]
    for place, calls in {tmp_path / "with blank" / "classes": {}, tmp_path / "app.jar": {"Places$Job": 1}}.items():
        done = run(rules, jvm.java, "-cp", place, "Places")
        assert {row["class"]: row["calls"] for row in done.report["methods"]} == calls
    done = run("count **::main from **/classes/**", jvm.java, "-cp", tmp_path / "with blank" / "classes", "Places")
    assert done.method("Places::main")["calls"] == 1


def test_check_and_weave_know_places(compiled: Compiled, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.jar", "w") as jar:
        jar.write(compiled("Places") / "Places.class", "BOOT-INF/classes/Places.class")
    for source, status in {"**/app.jar!/**": 0, "/nowhere/**": 1, f"{tmp_path}/*.jar!/BOOT-INF/classes/": 0}.items():
        rule = f"count **::main from {source}"
        assert execute([*classhook_command(), "check", "-e", rule, tmp_path / "app.jar"]).status == status
        assert (
            execute(
                [*classhook_command(), "weave", "-e", rule, tmp_path / "app.jar", "-o", tmp_path / "out.jar"]
            ).status
            == status
        )
    assert (
        execute(
            [*classhook_command(), "check", "-e", f"count **::main from {compiled('Places')}", compiled("Places")]
        ).status
        == 0
    )


def test_links_in_paths_are_resolved_in_a_run_and_before(
    jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    shutil.copytree(compiled("Places"), tmp_path / "target" / "classes")
    (tmp_path / "tgt").symlink_to("target")
    classes = tmp_path / "tgt" / "classes"
    for source, found in {"target/classes": True, "tgt/classes": False}.items():
        rule = f"count **::main from {source}"
        assert bool(run(rule, jvm.java, "-cp", classes, "Places").report["methods"]) == found
        assert execute([*classhook_command(), "check", "-e", rule, classes]).status == (not found)
