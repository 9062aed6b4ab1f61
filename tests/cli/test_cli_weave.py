"""`classhook weave` and `check`: jars and directories in, jars and directories out; files that cannot be read or
written are reported."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classhook.classfile.reader import ClassFile
from tests import compiling
from tests.cli.conftest import RULES, Agent, Classhook
from tests.cli.tools import WORK_CALLS, WORK_OUT, calls

Counts = Callable[..., dict[str, Any]]
RULE = ("-e", "count p.Work::*")


def contents(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as opened:
        assert opened.testzip() is None
        return {info.filename: opened.read(info) for info in opened.infolist()}


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_jar_keeps_all_that_is_no_class(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    done = classhook("weave", *RULE, jar, "-o", "new/woven.jar")
    assert (done.status, done.out) == (0, "")
    assert done.err == "2 classes, 2 woven; 6 other files copied\n"
    old, new = contents(jar), contents(tmp_path / "new" / "woven.jar")
    assert list(old) == list(new)
    assert {name for name in old if old[name] != new[name]} == {"p/Work.class", "META-INF/versions/17/p/Work.class"}
    with zipfile.ZipFile(jar) as before, zipfile.ZipFile(tmp_path / "new" / "woven.jar") as after:
        assert after.comment == b"made by a test"
        for one, other in zip(before.infolist(), after.infolist(), strict=True):
            for key in ("filename", "date_time", "compress_type", "external_attr", "comment", "extra"):
                assert getattr(one, key) == getattr(other, key)


@pytest.mark.core
def test_a_woven_jar_counts_right_without_python(classhook: Classhook, jar: Path, counts: Counts) -> None:
    rules = [word for rule in RULES for word in ("-e", rule)]
    assert classhook("weave", *rules, jar, "-o", "woven.jar").status == 0
    done = classhook("run", "--no-cache", "-o", "data", "--", "java", "-jar", "woven.jar", "5")
    assert (done.status, done.out) == (5, WORK_OUT)
    report = counts("data")
    assert [process["python_start_ns"] for process in report["processes"]] == [0]
    assert calls(report) == WORK_CALLS
    assert {row["method"]: row["exceptions"] for row in report["methods"] if row["exceptions"]} == {"fail": 3}
    (site,) = [site for site in report["allocations"] if site["type"] == "byte[]"]
    assert (site["method"], site["count"], site["bytes"]) == ("bytes", 5, 600)
    assert {rule["rule"]: rule["matched_methods"] for rule in report["rules"]} == {RULES[0]: 5, RULES[1]: 2}
    assert report["classes"]["woven"] == 1
    assert all(row["total_ns"] > 0 for row in report["methods"] if row["completed"])


def test_a_woven_jar_under_rules_of_the_run(classhook: Classhook, jar: Path, counts: Counts) -> None:
    """A class woven ahead of time counts by its own rules, once; other classes count by the rules of the run."""
    classhook("weave", "-e", "count p.Work::add", jar, "-o", "woven.jar")
    classhook("run", "-e", "count p.*::*", "-o", "data", "--", "java", "-jar", "woven.jar")
    assert calls(counts("data")) == {"p.Work::add": 10}


def test_weaving_again_changes_nothing(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    classhook("weave", *RULE, jar, "-o", "once.jar")
    done = classhook("weave", "-e", "time p.*::*", "once.jar", "-o", "twice.jar")
    assert done.status == 1
    assert "2 classes, 0 woven, 2 already woven; 6 other files copied" in done.err
    assert (tmp_path / "once.jar").read_bytes() == (tmp_path / "twice.jar").read_bytes()


def test_weaving_is_the_same_every_time(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    for name in ("one.jar", "other.jar"):
        classhook("weave", *RULE, jar, "-o", name)
    assert (tmp_path / "one.jar").read_bytes() == (tmp_path / "other.jar").read_bytes()


@pytest.mark.parametrize("adjusted", [False, True])
def test_an_executable_jar_stays_one(
    classhook: Classhook, jar: Path, tmp_path: Path, counts: Counts, adjusted: bool
) -> None:
    """Some tools put a script before the jar; offsets are relative to the script or to the jar."""
    script = b'#!/bin/sh\nexec java -jar "$0" "$@"\n'
    if adjusted:
        with zipfile.ZipFile(jar) as old, (tmp_path / "new.jar").open("wb") as file:
            file.write(script)
            with zipfile.ZipFile(file, "w") as out:
                for info in old.infolist():
                    out.writestr(info, old.read(info))
        (tmp_path / "new.jar").rename(jar)
    else:
        jar.write_bytes(script + jar.read_bytes())
    jar.chmod(0o750)
    assert classhook("weave", *RULE, jar, "-o", "woven").status == 0
    woven = tmp_path / "woven"
    data = woven.read_bytes()
    assert data.startswith(script + b"PK\3\4")
    directory = int.from_bytes(data[(end := data.rindex(b"PK\5\6")) + 16 : end + 20], "little")
    first = int.from_bytes(data[directory + 42 : directory + 46], "little")
    assert (data[directory : directory + 4], first) == (
        b"PK\1\2",
        len(script),
    ), "offsets count from the file's beginning"
    assert woven.stat().st_mode & 0o777 == 0o750 & ~umask()
    assert contents(woven).keys() == contents(jar).keys()
    for number, line in enumerate((["java", "-jar", "woven", "5"], ["./woven", "5"])):
        done = classhook("run", "-o", f"data{number}", "--", *line)
        assert (done.status, done.out) == (5, WORK_OUT)
        assert calls(counts(f"data{number}")) == WORK_CALLS


def test_a_directorys_files_keep_their_modes(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    shutil.copytree(classes, tmp_path / "in")
    for name, mode in {"start.sh": 0o755, "secret": 0o600, "p/Work.class": 0o640}.items():
        (tmp_path / "in" / name).touch()
        (tmp_path / "in" / name).chmod(mode)
    assert classhook("weave", *RULE, "in", "-o", "out").status == 0
    for path in (tmp_path / "in").rglob("*.*"):
        assert (tmp_path / "out" / path.relative_to(tmp_path / "in")).stat().st_mode == path.stat().st_mode & ~umask()


def test_directories_and_classes(classhook: Classhook, classes: Path, tmp_path: Path, counts: Counts) -> None:
    shutil.copytree(classes, tmp_path / "in")
    (tmp_path / "in" / "notes.txt").write_text("keep")
    (tmp_path / "in" / "empty").mkdir()
    assert classhook("weave", *RULE, "in", "-o", "out").status == 0
    assert (tmp_path / "out" / "notes.txt").read_text() == "keep"
    assert (tmp_path / "out" / "p" / "Many.class").read_bytes() == (classes / "p" / "Many.class").read_bytes()
    classhook("run", "-o", "data", "--", "java", "-cp", "out", "p.Work")
    assert calls(counts("data")) == WORK_CALLS
    assert classhook("weave", *RULE, classes / "p" / "Work.class", "-o", "single").status == 0
    assert (tmp_path / "single" / "Work.class").read_bytes() == (tmp_path / "out" / "p" / "Work.class").read_bytes()


def test_an_empty_directory(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = classhook("weave", *RULE, "in", "-o", "out")
    assert done.status == 1
    assert done.err == "0 classes, 0 woven; 0 other files copied\nthis rule matched nothing: count p.Work::*\n"
    done = classhook("check", *RULE, "in")
    assert (done.status, done.err) == (1, "")


def test_several_jars_into_a_directory(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    shutil.copy(jar, tmp_path / "other.jar")
    assert classhook("weave", *RULE, jar, "other.jar", "-o", "out").status == 0
    assert contents(tmp_path / "out" / "app.jar") == contents(tmp_path / "out" / "other.jar")


def test_a_signed_jar(classhook: Classhook, java: Agent, jar: Path, tmp_path: Path) -> None:
    key = ["-keystore", "keys", "-storepass", "secret"]
    make_key = ["keytool", "-genkeypair", *key, "-alias", "me", "-dname", "CN=me", "-keyalg", "EC"]
    for line in (make_key, ["jarsigner", *key, "app.jar", "me"]):
        subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
    assert "META-INF/ME.SF" in contents(jar)
    done = classhook("weave", *RULE, jar, "-o", "woven.jar")
    assert done.status == 0
    assert "signatures were removed: they are not valid for woven classes" in done.err
    assert {name for name in contents(jar) if name not in contents(tmp_path / "woven.jar")} == {
        "META-INF/ME.SF",
        "META-INF/ME.EC",
    }
    done = classhook("run", "-o", "data", "--", "java", "-jar", "woven.jar")
    assert (done.status, done.out) == (0, WORK_OUT)


def test_entries_of_one_name(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(jar, "a") as out:
        out.writestr("data/empty", b"again")
    done = classhook("weave", *RULE, jar, "-o", "woven.jar")
    assert done.err == "2 classes, 2 woven; 7 other files copied\n"
    with zipfile.ZipFile(tmp_path / "woven.jar") as woven:
        assert [woven.read(info) for info in woven.infolist() if info.filename == "data/empty"] == [b"", b"again"]


def test_a_jar_with_a_bad_class(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    bad = b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x10" + b"\1\0\4abcd" * 3
    with zipfile.ZipFile(jar, "a") as out:
        out.writestr("p/Bad.class", bad)
    done = classhook("weave", *RULE, jar, "-o", "woven.jar")
    assert done.status == 1
    assert "skipped: p/Bad.class: malformed-class: " in done.err
    assert contents(tmp_path / "woven.jar")["p/Bad.class"] == bad
    done = classhook("check", *RULE, jar)
    assert done.status == 1
    assert "app.jar:p/Bad.class: malformed-class: " in done.out


# ---- invalid input


@pytest.mark.parametrize("command", [["weave", "-o", "out"], ["check"]])
def test_inputs_that_are_none(classhook: Classhook, jar: Path, tmp_path: Path, command: list[str]) -> None:
    whole = jar.read_bytes()
    (tmp_path / "cut.jar").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.jar").write_text("no jar")
    (tmp_path / "empty.jar").touch()
    said = {
        "nowhere.jar": "no such file or directory",
        "cut.jar": "a truncated or damaged jar",
        "text.jar": "neither a jar, a directory nor a class file",
        "empty.jar": "neither a jar",
    }
    for name, words in said.items():
        done = classhook(*command, *RULE, name)
        assert (done.status, done.out) == (2, "")
        assert f"classhook: {name}: {words}" in done.err
        assert not (tmp_path / "out").exists()


def test_jars_with_damage_anywhere(jar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A jar that zipfile can open may still contain damage."""
    from classhook.cli import main

    whole = jar.read_bytes()
    for seed in range(150):
        chance = random.Random(seed)
        spoilt = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        (tmp_path / "bad.jar").write_bytes(spoilt)
        for command in (["weave", "-o", str(tmp_path / "out.jar")], ["check"]):
            assert main([*command, *RULE, str(tmp_path / "bad.jar")]) in (0, 1, 2)
    assert "bad.jar: the jar is damaged: " in capsys.readouterr().err
    assert not list(tmp_path.glob(".*")), "nothing half written stays"


# ---- invalid output


def test_outputs_that_would_lose_something(classhook: Classhook, jar: Path, classes: Path, tmp_path: Path) -> None:
    shutil.copytree(classes, tmp_path / "classes")
    (tmp_path / "lib").mkdir()
    shutil.copy(jar, tmp_path / "lib")
    (tmp_path / "link.jar").symlink_to(jar)
    (tmp_path / "file").write_text("mine")
    same, other = "is both input and output; name another output", "the output must be a directory"
    for words, said in {
        ("app.jar", "-o", "app.jar"): same,
        ("app.jar", "-o", "link.jar"): same,
        ("app.jar", "-o", "./lib/../app.jar"): same,
        ("lib/app.jar", "-o", "lib"): same,
        ("classes", "-o", "classes"): same,
        ("classes/p/Work.class", "-o", "classes/p"): same,
        ("classes", "-o", "classes/out"): "the output classes/out is inside the input classes",
        ("app.jar", "lib/app.jar", "-o", "out"): "two inputs would both be written to out/app.jar",
        ("classes", "-o", "out.jar"): other,
        ("app.jar", "classes", "-o", "out.jar"): other,
        ("classes", "-o", "file"): other,
        ("classes/p/Work.class", "-o", "Work.class"): other,
    }.items():
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        done = classhook("weave", *RULE, *words)
        assert (done.status, done.out) == (2, "")
        assert said in done.err, words
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("inputs", "output"),
    [("app.jar", "file/woven.jar"), ("app.jar", "/proc/none/woven.jar"), ("classes", "/proc/none")],
)
@pytest.mark.usefixtures("jar")
def test_outputs_that_cannot_be_written(
    classhook: Classhook, classes: Path, tmp_path: Path, inputs: str, output: str
) -> None:
    (tmp_path / "classes").symlink_to(classes)
    (tmp_path / "file").touch()
    done = classhook("weave", *RULE, inputs, "-o", output)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("classhook: cannot write ")
    assert (tmp_path / "file").read_bytes() == b""


def test_a_link_that_leads_to_itself(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.jar").symlink_to("loop.jar")
    done = classhook("weave", *RULE, "loop.jar", "-o", "out")
    assert (done.status, done.err) == (2, "classhook: loop.jar: no such file or directory\n")
    assert classhook("weave", *RULE, jar, "-o", "loop.jar").status == 0, "as an output it is replaced"
    assert contents(tmp_path / "loop.jar").keys() == contents(jar).keys()


def test_a_device_as_output_stays_one(classhook: Classhook, jar: Path) -> None:
    assert classhook("weave", *RULE, jar, "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()
    done = classhook("weave", *RULE, jar, "-o", "/dev/full")
    assert done.status == 2
    assert "cannot write /dev/full: No space left on device" in done.err


@pytest.mark.parametrize("named", [True, False], ids=["with module-info", "without"])
def test_classes_of_java_base_stay_as_they_are(
    classhook: Classhook, classes: Path, tmp_path: Path, named: bool
) -> None:
    """The JVM loads these classes before the agent: if woven, it would not start."""
    java = Path(shutil.which("java") or "").resolve()
    wanted = (
        "regex:/java.base/(java/util/HashMap|module-info).class"
        if named
        else "regex:/java.base/java/util/HashMap.class"
    )
    modules = java.parent.parent / "lib" / "modules"
    subprocess.run(["jimage", "extract", f"--include={wanted}", "--dir=in", modules], cwd=tmp_path, check=True)
    done = classhook("weave", "-e", "count java.util.HashMap::*", "in/java.base", "-o", "out")
    assert done.status == 1
    left = (
        "skipped: java.util.HashMap: before-the-agent: the JVM loads java.base before the agent defines its tracker; "
    )
    assert left in done.err
    assert "matched nothing" not in done.err
    done = classhook("run", "-o", "data", "--", "java", "--patch-module", "java.base=out", "-cp", classes, "p.Work")
    assert (done.status, done.out.splitlines()[-1:]) == (0, WORK_OUT.splitlines())


def test_many_classes_left_for_one_reason(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    work = (classes / "p" / "Work.class").read_bytes()
    (tmp_path / "in").mkdir()
    for number in range(15):
        (tmp_path / "in" / f"{number:02}.class").write_bytes(work[:100])
    said = classhook("weave", *RULE, "in", "-o", "out").err.splitlines()
    assert len([line for line in said if line.startswith("skipped: ")]) == 11
    assert said[-1].startswith("skipped: 5 more: malformed-class: ")


def test_a_rule_that_matches_nothing(classhook: Classhook, jar: Path, tmp_path: Path) -> None:
    done = classhook("weave", *RULE, "-e", "count p.Nothing::*", jar, "-o", "woven.jar")
    assert done.status == 1
    assert "this rule matched nothing: count p.Nothing::*" in done.err
    assert (tmp_path / "woven.jar").is_file()
    assert classhook("weave", "--quiet", *RULE, jar, "-o", "quiet.jar").err == ""


# ---- check


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (
            "time p.Shape::area",
            "p.Shape.area() is abstract: it has no code; 'p.Shape+::area' matches the methods that implement it",
        ),
        (
            "time p.Base::s*",
            "p.Base.size() is abstract: it has no code; 'p.Base+::s*' matches the methods that implement it",
        ),
        ("time p.Base::low", "p.Base.low(int) is native: it has no bytecode to instrument; match its callers instead"),
        (
            "time p.Shape+::unused",
            "p.Shape.unused() is abstract: the classes that implement it are not among those given",
        ),
        ("time p.Shape::arae", "nearest: p.Shape::area"),
    ],
)
def test_methods_without_code_are_said_to_have_none(classhook: Classhook, shapes: Path, rule: str, says: str) -> None:
    done = classhook("check", "-e", rule, shapes)
    assert (done.status, done.out.splitlines()[2:]) == (1, [f"  {says}"])


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interface, and a class that has all but code."""
    folder = tmp_path_factory.mktemp("shapes")
    (folder / "Shape.java").write_text(
        "package p; interface Shape { int area(); int unused(); }\nabstract class Base { abstract int size(); native"
        " int low(int i); }\n"
    )
    compiling.javac("javac", "--release", "17", "-d", folder / "classes", folder / "Shape.java")
    return folder / "classes"


def test_check_counts_and_names(classhook: Classhook, jar: Path, classes: Path) -> None:
    done = classhook("check", "-v", *RULE, "-e", "time p.Work::add(int)", classes)
    assert (done.status, done.err) == (0, "")
    assert (
        done.out
        == "count p.Work::*\n  1 class, 5 methods\n    p.Work.<init>()\n    p.Work.add(int)\n    p.Work.bytes(int)\n   "
        " p.Work.fail()\n    p.Work.main(String[])\ntime p.Work::add(int)\n  1 class, 1 method\n   "
        " p.Work.add(int)\n"
    )
    assert classhook("check", *RULE, jar).out == "count p.Work::*\n  2 classes, 10 methods\n"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("count p.Wrk::*", "p.Work"),
        ("count p.Work::ad", "p.Work::add"),
        ("count q.Hostile::*", "p.Hostile"),
    ],
)
def test_check_names_the_nearest(classhook: Classhook, classes: Path, rule: str, hint: str) -> None:
    done = classhook("check", "-e", rule, classes)
    assert done.status == 1
    assert f"{rule}\n" in done.out
    assert re.search(r"^  \d class(es)?, 0 methods: the rule matches nothing$", done.out, re.MULTILINE)
    assert f"  nearest: {hint}\n" in done.out


def test_check_skips_what_weave_skips(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    data = bytearray((classes / "p" / "Work.class").read_bytes())
    (add,) = [method for method in ClassFile.parse(bytes(data)).methods if method.name == "add"]
    data[add.code_at + 14] = 0xFE  # no opcode
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "Bad.class").write_bytes(data)
    (tmp_path / "in" / "Large.class").write_bytes(bytes(data).ljust((8 << 20) + 1, b"\0"))
    woven, checked = classhook("weave", *RULE, "in", "-o", "out"), classhook("check", *RULE, "in")
    assert woven.status == checked.status == 1
    skipped = [line for line in woven.err.splitlines() if line.startswith("skipped: ")]
    assert [line.split(": ")[1:3] for line in skipped] == [
        ["p.Work.add(int)", "malformed-class"],
        ["Large.class", "class-too-large"],
    ]
    assert checked.out.replace("in:", "").splitlines() == ["count p.Work::*", "  1 class, 5 methods", *skipped]


def test_check_of_what_is_woven_already(classhook: Classhook, classes: Path) -> None:
    classhook("weave", *RULE, classes / "p" / "Work.class", "-o", "out")
    done = classhook("check", *RULE, "out")
    assert (done.status, done.out) == (
        1,
        "count p.Work::*\n  0 classes, 0 methods\n1 class already woven: not changed\n",
    )


def test_check_without_classes(classhook: Classhook) -> None:
    done = classhook("check", *RULE)
    assert (done.status, done.out, done.err) == (0, "1 rule, no errors\n", "")
    assert classhook("check", *RULE, "-e", "count a::b").out == "2 rules, no errors\n"


def test_check_writes_names_that_stdout_cannot(classhook: Classhook, classes: Path) -> None:
    done = classhook("check", "-e", "count p.été::*", classes, env={"PYTHONIOENCODING": "ascii"})
    assert done.status == 1
    assert r"count p.\xe9t\xe9::*" in done.out


def test_a_rule_that_only_samples(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    done = classhook("check", "-e", "cpu", "-e", "count p.Work::*", classes)
    assert done.status == 0
    assert "cpu\n  this rule weaves nothing: " in done.out
    done = classhook("weave", "-e", "cpu", classes, "-o", tmp_path / "woven")
    assert done.status == 2
    assert "cpu: this rule weaves nothing: " in done.err
    assert not (tmp_path / "woven").exists()


@pytest.fixture
def fat(classes: Path, tmp_path: Path) -> Path:
    """fat.jar, as Spring Boot packs a program: its own classes, and a stored jar with another."""
    library = tmp_path / "library.jar"
    with zipfile.ZipFile(library, "w", zipfile.ZIP_DEFLATED) as out:
        out.write(classes / "p" / "Work.class", "p/Work.class")
        out.writestr("data", b"x")
    path = tmp_path / "fat.jar"
    with zipfile.ZipFile(path, "w") as out:
        out.write(classes / "p" / "Many.class", "BOOT-INF/classes/p/Many.class")
        out.write(library, "BOOT-INF/lib/library.jar", zipfile.ZIP_STORED)
        out.write(library, "other/library.jar", zipfile.ZIP_STORED)
    return path


def test_jars_in_a_jar(classhook: Classhook, fat: Path, tmp_path: Path) -> None:
    done = classhook("check", "-v", *RULE, fat)
    assert done.status == 0
    assert "1 class, 5 methods" in done.out
    assert "p.Work.add(" in done.out
    done = classhook("weave", *RULE, fat, "-o", "woven.jar")
    assert (done.status, done.err.splitlines()[0]) == (0, "2 classes, 1 woven; 1 other file copied")
    assert f"skipped: {fat}!/other/library.jar: archive-not-read: " in done.err
    with zipfile.ZipFile(tmp_path / "woven.jar") as woven, zipfile.ZipFile(fat) as old:
        assert woven.getinfo("BOOT-INF/lib/library.jar").compress_type == zipfile.ZIP_STORED
        for name in ("BOOT-INF/classes/p/Many.class", "other/library.jar"):
            assert woven.read(name) == old.read(name)
        (tmp_path / "library.jar").write_bytes(woven.read("BOOT-INF/lib/library.jar"))
    assert contents(tmp_path / "library.jar")["data"] == b"x"
    assert contents(tmp_path / "library.jar")["p/Work.class"].endswith(b"CLSHOOK\n")


def test_supertypes_come_from_the_inputs_the_class_path_and_the_jdk(classhook: Classhook, tmp_path: Path) -> None:
    for name, text in {
        "Top": "public interface Top extends java.sql.Wrapper {}",
        "Base": "public abstract class Base implements Top { public void go() {} }",
        "Leaf": (
            "public abstract class Leaf extends Base { public void go() {} Object[] all() { return new Object[] {new"
            " java.util.TreeMap()}; } }"
        ),
    }.items():
        (tmp_path / f"{name}.java").write_text(text)
    compiling.javac("javac", "-d", tmp_path / "leaf", *(tmp_path / f"{name}.java" for name in ("Top", "Base", "Leaf")))
    (tmp_path / "base").mkdir()
    for name in ("Top", "Base"):
        shutil.move(tmp_path / "leaf" / f"{name}.class", tmp_path / "base" / f"{name}.class")
    rules = ("-e", "count java.sql.Wrapper+::go", "-e", "alloc java.util.Map+ in Leaf")
    done = classhook("check", *rules, "leaf")
    assert done.status == 1
    assert (
        "skipped: Leaf: supertypes-unknown: its supertype Base is in no input, nor in the class path (--classpath)"
        in done.out
    )
    done = classhook("check", *rules, "--classpath", "base", "leaf")
    assert (done.status, done.out.splitlines()[1], done.out.splitlines()[3]) == (
        0,
        "  1 class, 1 method",
        "  1 class, 1 method, 1 allocation site",
    )
    done = classhook("weave", *rules, "--classpath", f"nothing:{tmp_path / 'base'}", "leaf", "-o", "woven")
    assert (done.status, done.err) == (2, "classhook: --classpath: nothing: no such file or directory\n")
    done = classhook("weave", *rules, "--classpath", tmp_path / "base", "leaf", "-o", "woven")
    assert (done.status, done.err) == (0, "1 class, 1 woven; 0 other files copied\n")


def test_check_counts_the_places_that_write_a_field(classhook: Classhook, classes: Path) -> None:
    rules = ["-e", "count writes p.Measured$Order.id", "-e", "watch writes p.Measured$Order.id"]
    done = classhook("check", *rules, classes / "p" / "Measured$Order.class")
    assert done.out.count("\n  1 class, 1 method, 1 place\n") == 2, done.out


def test_a_type_without_its_package(classhook: Classhook, classes: Path) -> None:
    done = classhook("check", "-e", "alloc String, byte[] in p.**", classes / "p" / "Work.class")
    assert "-e:1: the type String has no package; did you mean java.lang.String?" in done.out
    assert "allocation site" in done.out
    done = classhook("check", "-e", "alloc String in app.**")
    assert (done.status, "did you mean java.lang.String?" in done.out) == (1, True)


def archive(files: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(out := io.BytesIO(), "w") as jar:
        for name, data in files.items():
            jar.writestr(name, data)
    return out.getvalue()


def test_archives_that_are_not_read_are_said(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    work = (classes / "p" / "Work.class").read_bytes()
    library = archive({"p/Work.class": work})
    files = {
        "BOOT-INF/lib/good.jar": archive(
            {"p/Work.class": work, "lib/deep.jar": library, "BOOT-INF/lib/deeper.jar": library}
        )
    }
    files |= {"BOOT-INF/lib/none.jar": b"no jar", "web.war": library, "data.jar": archive({"data": b""})}
    (tmp_path / "app.ear").write_bytes(archive(files))
    (tmp_path / "folder" / "lib").mkdir(parents=True)
    (tmp_path / "folder" / "lib" / "library.jar").write_bytes(library)
    for source, skipped in {
        "app.ear": [
            "app.ear!/BOOT-INF/lib/good.jar!/lib/deep.jar",
            "app.ear!/BOOT-INF/lib/good.jar!/BOOT-INF/lib/deeper.jar",
            "app.ear!/BOOT-INF/lib/none.jar",
            "app.ear!/web.war",
        ],
        "folder": ["folder/lib/library.jar"],
    }.items():
        check, weave = classhook("check", *RULE, source), classhook("weave", *RULE, source, "-o", f"{source}-woven/")
        for text in (check.out, weave.err):
            lines = [line for line in text.splitlines() if line.startswith("skipped: ")]
            assert sorted(line.split(": ")[1] for line in lines) == sorted(skipped)
        assert check.status == weave.status == (1 if source == "folder" else 0)  # no class there matches


def test_a_class_that_is_its_own_superclass(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "Base.java").write_text("class Base {} class Leaf extends Base { void go() {} }")
    compiling.javac("javac", "-d", tmp_path, tmp_path / "Base.java")
    data = (tmp_path / "Leaf.class").read_bytes()
    (tmp_path / "Leaf.class").write_bytes(data.replace(b"\0\4Base", b"\0\4Leaf"))
    done = classhook("check", "-e", "count Base+::go", "Leaf.class")
    assert done.status == 1
    assert "malformed-class: a class that is its own superclass" in done.out
    assert "supertype" not in done.out
