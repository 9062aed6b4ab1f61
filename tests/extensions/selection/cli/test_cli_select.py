"""`classhook select`: tests are recorded, the program is changed, and those that may notice are selected."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import compiling
from tests.cli.conftest import Classhook
from tests.conftest import ENVIRONMENT

SHOP = Path(__file__).parents[4] / "docs" / "examples" / "shop"
TESTS = {
    f"shop.ShopTests#test{name}"
    for name in ("AnItemIsFound", "WhatThereIsNotIsNotFound", "PricesHaveDiscounts", "AnOrderThatCannotBe")
}
RULES = ("-e", "count shop.**::*", "-e", "context shop.ShopTests::test*()")
Change = Callable[[str, str, str], None]


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.email=me@example.org", "-c", "user.name=Me")
    subprocess.run(
        ["git", *identity, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env=ENVIRONMENT | {"GIT_CONFIG_GLOBAL": os.devnull},
    )


def javac(folder: Path) -> None:
    sources = sorted((folder / "src").glob("*.java"))
    compiling.javac("javac", "-d", folder / "target" / "classes", *sources)


@pytest.fixture(scope="module")
def recorded_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git with compiled classes, and recorded tests in `data`."""
    from tests.cli.tools import CLASSHOOK, call

    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(SHOP, folder / "src")
    (folder / ".gitignore").write_text("target\ndata\n*.out\n")
    (folder / "pom.xml").write_text("<project/>\n")
    (folder / "README.md").write_text("The shop.\n")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    javac(folder)
    run = [*CLASSHOOK, "run", "--quiet", "-o", "data", *RULES, "--", "java", "-cp", "target/classes", "shop.ShopTests"]
    assert call(run, folder).status == 0
    done = call([*CLASSHOOK, "select", "--record", "--data", "data"], folder)
    assert (done.status, done.err) == (0, "classhook: 4 tests recorded in data/tests.selection\n")
    return folder


@pytest.fixture
def shop(recorded_shop: Path, tmp_path: Path) -> Path:
    """A copy of the project, which a test may change."""
    shutil.copytree(recorded_shop, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def change(shop: Path) -> Change:
    """Replaces text in a source and compiles."""

    def replace(file: str, before: str, after: str) -> None:
        text = (shop / "src" / file).read_text()
        assert before in text
        (shop / "src" / file).write_text(text.replace(before, after))
        javac(shop)

    return replace


def selected(classhook: Classhook, *options: str) -> tuple[set[str], dict[str, Any]]:
    done = classhook("select", "--data", "data", "-f", "json", *options)
    assert done.status == 0, done.err
    content = json.loads(done.out)
    return {test["name"] for test in content["tests"]}, content


@pytest.mark.core
def test_a_change_selects_those_that_reach_it(classhook: Classhook, change: Change) -> None:
    done = classhook("select", "--data", "data")
    assert (done.status, done.out, done.err) == (0, "0 of 4 selected.\n", "")
    change("Prices.java", "cents -= cents", "cents -= 1 * cents")
    done = classhook("select", "--data", "data", "--why")
    test = "shop.ShopTests#testPricesHaveDiscounts"
    assert (
        done.out == f"1 of 4 selected: 1 reach changed code.\n  {test}: reaches changed code: shop.Prices.of changed\n"
    )
    assert selected(classhook, "--changes", "HEAD")[0] == {test}
    assert selected(classhook, "--changes", "HEAD..")[0] == {test}


def test_forms_for_build_tools(classhook: Classhook, change: Change, shop: Path) -> None:
    expected = {
        "surefire": "none/selected\n",
        "gradle": "-x test\n",
        "bazel": "--test_filter=^$\n",
        "junit": "--select-package=none.selected\n",
    }
    for form, text in expected.items():
        done = classhook("select", "--data", "data", "-f", form)
        assert (done.out, done.err) == (text, "classhook: 0 of 4 selected.\n"), (
            "without names, build tools would run all tests"
        )
    change("Stock.java", "Item find(String name) {", "Item find(String name) {\n        if (name == null) return null;")
    assert classhook("select", "--data", "data", "-f", "surefire", "-o", "chosen.out").out == ""
    methods = sorted(name.partition("#")[2] for name in selected(classhook)[0])
    assert "testAnItemIsFound" in methods
    assert (shop / "chosen.out").read_text() == f"shop/ShopTests#{'+'.join(methods)}\n"
    assert classhook("select", "--data", "data", "-f", "gradle").out == "".join(
        f"--tests shop.ShopTests.{method}\n" for method in methods
    )
    option, _, pattern = classhook("select", "--data", "data", "-f", "bazel").out.rstrip("\n").partition("=")
    assert option == "--test_filter"
    for test in TESTS:
        assert bool(re.search(pattern, test)) == (test.partition("#")[2] in methods), (pattern, test)
    assert re.search(pattern, f"shop.ShopTests#{methods[0]}[1]")
    assert not re.search(pattern, f"shop.ShopTests#{methods[0]}Too")


def test_the_test_itself_changed(classhook: Classhook, change: Change) -> None:
    change("ShopTests.java", '"item-500"', '"item-501"')
    _, content = selected(classhook)
    assert [(test["name"], test["kind"]) for test in content["tests"]] == [
        ("shop.ShopTests#testWhatThereIsNotIsNotFound", "changed")
    ]


def test_files_that_anything_may_depend_on(classhook: Classhook, shop: Path) -> None:
    (shop / "README.md").write_text("Our shop.\n")
    assert selected(classhook)[0] == set(), "nothing reads it"
    (shop / "rates.csv").write_text("1\n")
    names, content = selected(classhook)
    assert (names, content["all"]) == (TESTS, ["rates.csv changed, which tests may read"])
    (shop / "rates.csv").unlink()
    (shop / "pom.xml").write_text("<project></project>\n")
    assert selected(classhook)[1]["all"] == ["pom.xml changed, which says how the program is built"]
    git(shop, "checkout", "pom.xml")
    (shop / "target" / "classes" / "messages.properties").write_text("a=b\n")
    assert selected(classhook)[1]["all"] == ["messages.properties beside the classes changed"]


def test_what_is_refused(classhook: Classhook, shop: Path) -> None:
    for options, said in (
        (("--changes", "nowhere"), "git knows no such commit"),
        (("--changes", "HEAD..HEAD~1"), "git knows no such commit"),
        (("--data", "nothing"), "no tests were recorded here"),
        (("--classes", "nothing"), "no such directory or jar"),
        (("--merge", "data"), "name it with -o DIR"),
    ):
        done = classhook("select", "--data", "data", *options)
        assert (done.status, said in done.err) == (2, True), done.err
    (shop / "broken").mkdir()
    (shop / "broken" / "1.classhook").write_bytes(b"nothing")
    done = classhook("select", "--record", "--data", "broken")
    assert (done.status, done.err.count("broken/1.classhook"), "no tests were recorded" in done.err) == (2, 1, True), (
        done.err
    )
    (shop / "data" / "tests.selection").write_bytes(b"\x1f\x8bnothing")
    assert "damaged" in classhook("select", "--data", "data").err


def test_classes_must_be_those_of_now(classhook: Classhook, change: Change, shop: Path) -> None:
    source = shop / "src" / "Prices.java"
    source.write_text(source.read_text() + "\n")
    os.utime(source, (4_000_000_000, 4_000_000_000))
    done = classhook("select", "--data", "data")
    assert done.status == 1
    assert "src/Prices.java is newer than all classes: compile the program" in done.err
    file = shop / "target" / "classes" / "shop" / "Prices.class"
    os.utime(file, (4_000_000_000, 4_000_000_000))
    assert classhook("select", "--record", "--data", "data").status == 0, "it is the same"
    old = file.read_bytes()
    change("Prices.java", "cents -= cents", "cents -= 1 * cents")
    os.utime(file, (1_000_000_000, 1_000_000_000))  # as unpackers do
    done = classhook("select", "--record", "--data", "data")
    assert (done.status, "compiled later, or exchanged" in done.err) == (2, True), "what ran is not what is there"
    file.write_bytes(old)
    assert classhook("select", "--record", "--data", "data").status == 0


def test_merged_data(classhook: Classhook, shop: Path) -> None:
    assert (
        classhook("select", "--merge", "data", "data", "-o", "all").err
        == "classhook: 4 tests recorded in all/tests.selection\n"
    )
    assert classhook("select", "--data", "all").out == "0 of 4 selected.\n"


def test_what_ran_in_a_jvm_without_tests(classhook: Classhook, change: Change, shop: Path) -> None:
    """A test may have started it."""
    run = classhook("run", "--quiet", "-o", "data", *RULES[:2], "--", "java", "-cp", "target/classes", "shop.Shop", "1")
    assert run.status == 0, run.err
    assert classhook("select", "--record", "--data", "data").status == 0
    change("Prices.java", "cents -= cents", "cents -= 1 * cents")
    names, content = selected(classhook)
    assert names == TESTS
    assert content["all"] == ["shop.Prices.of changed, and ran outside of tests, too"]


def test_what_is_not_followed_is_said(classhook: Classhook, change: Change, shop: Path) -> None:
    """State of the JDK and of libraries, where tests are left out."""
    start = "void testPricesHaveDiscounts() {"
    change("ShopTests.java", start, f'{start} System.setProperty("shop.discount", "7");')
    run = classhook("run", "--quiet", "-o", "data", *RULES, "--", "java", "-cp", "target/classes", "shop.ShopTests")
    assert run.status == 0, run.err
    assert classhook("select", "--record", "--data", "data").status == 0
    done = classhook("select", "--data", "data")
    kept = "system properties that libraries read (shop.ShopTests.testPricesHaveDiscounts)"
    assert (done.out, done.err) == (
        "0 of 4 selected.\n",
        f"classhook: not followed, so tests that see it may be left out: {kept}\n",
    )
    (shop / ".gitignore").write_text("target\ndata\nsettings.txt\n")
    (shop / "settings.txt").touch()
    assert classhook("select", "--record", "--data", "data").status == 0
    (shop / ".gitignore").write_text("target\ndata\n*.out\nsettings.txt\n")
    assert classhook("select", "--data", "data").err.endswith(
        f"{kept}; what tests read from files that git ignores (settings.txt)\n"
    )
    (shop / "pom.xml").write_text("<project> </project>\n")
    assert "not followed" not in classhook("select", "--data", "data").err, "all tests are selected"
