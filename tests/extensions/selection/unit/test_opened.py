"""Tests that depend on a file which one of them opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.opened import BESIDE, CHANGED, NEW, Names, Opening, concerned, dependencies, opening
from classhook.extensions.selection.reach import Reach, bits
from classhook.model.opened_files import MOST_METHODS, OpenedFile
from tests.extensions.selection.unit.conftest import CLINIT, RAN, Program

FILL, RATES, FITS = ("a/Table", "fill()[I"), ("a/Rates", CLINIT), ("a/Check", "fits(I)Z")
RATES_TESTS = {"a.RatesTest#first", "a.RatesTest#second"}
FITS_TESTS = {"a.CheckTest#fits", "a.OrderTest#places"}


SOURCES = ["JUnit"] * (len(RAN) - 1) + ["ArchUnit"]


@pytest.mark.parametrize(
    ("test", "methods", "is_direct", "is_whole", "depend"),
    [
        (
            "a.CheckTest#fits",
            [FITS],
            True,
            True,
            {"a.CheckTest#fits"},
        ),  # another test that runs the method may read another file
        ("a.CheckTest#fits", [FITS], False, True, FITS_TESTS),  # the library may keep it for others
        ("a.RatesTest#first", [FILL, RATES], True, True, RATES_TESTS),  # static state
        ("a.RatesTest#first", [FILL], True, True, {"a.RatesTest#first"}),  # not while the state was made
        ("a.RatesTest#first", [FILL], True, False, RATES_TESTS),  # perhaps
        ("a.CheckTest#fits", [], False, False, set(RAN)),
    ],
)
def test_who_may_see_what_was_read(
    variant: Program, test: str, methods: list[tuple[str, str]], is_direct: bool, is_whole: bool, depend: set[str]
) -> None:
    one = Opening("/p/a.txt", tuple(methods), is_direct, is_whole)
    reach = Reach(variant("same").classes, [*RAN.values()])
    opened = [{one} if name == test else set[Opening]() for name in RAN]
    names, reads = dependencies(reach, [*RAN.values()], opened, SOURCES, set(), lambda path: path)
    assert names == ["/p/a.txt"]
    assert {name for name, found in zip(RAN, reads, strict=True) if found} == depend
    names, reads = dependencies(reach, [*RAN.values()], opened, SOURCES, {one}, lambda path: path)
    assert all([*bits(found)] == [0] for found in reads), "what was opened outside of tests may belong to any"
    assert dependencies(reach, [*RAN.values()], opened, SOURCES, set(), lambda path: "") == ([], [0] * len(RAN)), (
        "files elsewhere do not count"
    )


def test_class_files_that_a_framework_reads(variant: Program) -> None:
    """Without a method of the program: its own tests depend on them, and no others."""
    reach = Reach(variant("same").classes, [*RAN.values()])
    opened = [
        {Opening("/p/A.class", (), False, False)} if source == "ArchUnit" else set[Opening]() for source in SOURCES
    ]
    _, reads = dependencies(reach, [*RAN.values()], opened, SOURCES, set(), lambda path: path)
    assert reads == [0] * (len(RAN) - 1) + [1]


def test_whose_methods_are_on_the_stack(variant: Program) -> None:
    hierarchy = Hierarchy(variant("same").classes)

    def found(*methods: str, is_direct: bool = True) -> Opening:
        return opening(OpenedFile("/a", "a.OrderTest::places", methods, is_direct), "a/OrderTest", hierarchy)

    fits, test, library = "a/Check.fits(I)Z", "a/OrderTest.places()V", "org/Runner.run()V"
    assert found(fits, test, library) == Opening(
        "/a", (FITS, ("a/OrderTest", "places()V")), is_direct=True, is_whole=True
    )
    assert not found(library, fits, test).is_direct, "a rule matches the library, too"
    assert not found(fits, test, is_direct=False).is_direct
    assert not found(fits).is_whole, "in another thread"
    assert not found(*([fits] * (MOST_METHODS - 1)), test).is_whole, "there may be others"
    assert found(library) == Opening("/a", (), is_direct=False, is_whole=False)


def test_names_of_files(tmp_path: Path) -> None:
    classes = tmp_path / "target" / "classes"
    classes.mkdir(parents=True)
    (tmp_path / "link").symlink_to(classes)
    names = Names([classes, tmp_path / "lib.jar"], tmp_path)
    for path, name in {
        "target/classes/a/b.txt": f"{BESIDE}a/b.txt",
        "link/a.txt": f"{BESIDE}a.txt",
        "data/../data/a.txt": "data/a.txt",
        "data/": "data/",
        "": "./",
        "../elsewhere": "",
    }.items():
        assert names.name_of(f"{tmp_path}/{path}") == name


def test_directories_are_concerned_by_what_is_new_in_them() -> None:
    opened = dict.fromkeys(["data/", "data/a", "./", f"{BESIDE}./"], "")
    assert concerned(opened, "data/a", CHANGED) == ["data/a"]
    assert concerned(opened, "data/b", CHANGED) == []
    assert concerned(opened, "data/b", NEW) == ["./", "data/"]
    assert concerned(opened, f"{BESIDE}b", NEW) == [f"{BESIDE}./"]
