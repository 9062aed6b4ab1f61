"""The tables of a dump, and the SQL of docs/questions/heap-sql.md asked of a program whose heap is known."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from classhook.extensions.heap.classes import PRIMITIVE
from classhook.extensions.heap.field_columns import integers, reals
from classhook.extensions.heap.graph import Graph, graph
from classhook.extensions.heap.heap import opened
from classhook.extensions.heap.object_columns import objects
from classhook.extensions.heap.parquet import write
from classhook.extensions.heap.values import fields, primitive
from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm
from tests.extensions.heap import made
from tests.extensions.heap.test_jvms import SOURCE

PAGE = Path(__file__).parents[3] / "docs" / "questions" / "heap-sql.md"
SUBS = 1000  # objects of tests/extensions/heap/java/Kept.java


@pytest.fixture(scope="module")
def dump(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, jvm = tmp_path_factory.mktemp("sql"), find_jvm(17)
    compiling.javac(jvm.tool("javac"), "-d", folder, SOURCE)
    with subprocess.Popen(
        [jvm.java, "-cp", folder, "Kept"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as program:
        assert program.stdout is not None
        pid = program.stdout.readline().split()[1]
        line = [jvm.tool("jcmd"), pid, "GC.heap_dump", folder / "kept.hprof"]
        subprocess.run(line, check=True, capture_output=True, timeout=PATIENCE)
        program.communicate("\n", timeout=PATIENCE)
    return folder / "kept.hprof"


@pytest.fixture(scope="module")
def tables(dump: Path) -> Path:
    folder = dump.parent / "tables"
    line = [sys.executable, "-m", "classhook.cli", "heap", dump, "-f", "parquet", "-o", folder]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{folder / 'objects.parquet'}: " in done.stdout
    return folder


@pytest.fixture(scope="module")
def read(dump: Path) -> Graph:
    return graph(objects(opened(dump)))


def ask(tables: Path, sql: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = duckdb.sql(re.sub(r"'(\w+\.parquet)'", rf"'{tables}/\1'", sql)).fetchall()
    return found


@pytest.fixture(scope="module")
def answers(tables: Path) -> list[list[tuple[Any, ...]]]:
    """The rows that the page's SQL statements select, in the order of the statements."""
    return [ask(tables, sql) for sql in re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.S)]


def test_what_the_page_asks_is_answered(answers: list[list[tuple[Any, ...]]]) -> None:
    fills, consists, refers, texts, maps, threads, _, garbage, fields_ = answers
    assert {row[0] for row in fills} >= {"byte[]", "java.lang.String", "Kept$Node", "Kept$Sub", "int[]"}
    assert consists
    assert ("Kept$Sub", "name", SUBS, SUBS) in refers
    assert [row[1] for row in texts if row[0].startswith("again ")][:3] == [100, 100, 100]
    hash_maps = next(row for row in maps if row[0] == "java.util.HashMap")
    assert hash_maps[3] >= 3000
    assert hash_maps[4] > hash_maps[3]
    main = next(row for row in threads if row[0] == "main")
    assert main[2] > 100_000, "a local variable holds an array of 100,000 bytes"
    assert all(row[1] > 0 for row in garbage)
    assert len(fields_) == 10


def test_each_object_is_there_with_what_it_refers_to(tables: Path, read: Graph) -> None:
    """Beside the reader of single objects, which the views and --level use."""
    all_ = read.objects
    rows = ask(tables, "select id, class, length, bytes, retained, reachable from 'objects.parquet'")
    expected = [
        (
            int(all_.id[i]),
            all_.class_of(i),
            None if all_.tag[i] in (0x20, 0x21) else int(all_.length[i]),
            int(all_.size[i]),
            int(read.retained[i]),
            bool(read.reached[i]),
        )
        for i in range(len(all_))
    ]
    assert rows == expected
    references: dict[int, list[tuple[str, int]]] = {}
    for source, field, element, target in ask(
        tables, "select source, field, element, target from 'references.parquet'"
    ):
        references.setdefault(source, []).append((f"[{element}]" if field is None else field, target))
    numbers: dict[int, list[tuple[str, str, float]]] = {}
    for object_, field, kind, integer, real in ask(
        tables, "select object, field, type, integer, real from 'values.parquet' where not static"
    ):
        numbers.setdefault(object_, []).append((field, kind, real if integer is None else integer))
    for i in range(0, len(all_), 7):
        id_ = int(all_.id[i])
        values = list(fields(all_, i))
        assert sorted(references.get(id_, [])) == sorted(
            (name, value) for name, type_, value in values if type_ == 2 and value
        )
        own = [
            (name, PRIMITIVE[type_][0], primitive(type_, value))
            for name, type_, value in values
            if isinstance(value, bytes)
        ]
        assert sorted((name, kind, written(kind, number)) for name, kind, number in numbers.get(id_, [])) == sorted(own)


def written(kind: str, number: float) -> str:
    """Writes a value of a primitive type as Java does."""
    if kind == "boolean":
        return str(bool(number)).lower()
    return (
        repr(chr(int(number))) if kind == "char" else str(number) if kind in ("float", "double") else str(int(number))
    )


@pytest.mark.parametrize("id_size", [4, 8])
def test_small_dumps(id_size: int, tmp_path: Path) -> None:
    """Also those with ids of four bytes, and without any object."""
    (tmp_path / "made.hprof").write_bytes(made.graph([[1], [2, 0], []], [0], id_size))
    rows = write(graph(objects(opened(tmp_path / "made.hprof"))), tmp_path / "made")
    assert ask(
        tmp_path / "made", "select count(*) from 'roots.parquet' join 'objects.parquet' on id = object where reachable"
    ) == [(rows["roots"],)]
    assert len(ask(tmp_path / "made", "select * from 'objects.parquet'")) == rows["objects"]
    (tmp_path / "none.hprof").write_bytes(made.graph([], [], id_size))
    write(graph(objects(opened(tmp_path / "none.hprof"))), tmp_path / "none")
    assert ask(tmp_path / "none", "select count(*) from 'references.parquet' where weak") == [(0,)]


def test_numbers_have_their_signs() -> None:
    column = np.array([0xFF, 0x7F], np.uint64)
    assert integers(column, 8, 1).tolist() == [-1, 127]
    assert integers(column, 4, 1).tolist() == [255, 127]
    assert integers(np.array([0xFFFF], np.uint64), 5, 2).tolist() == [0xFFFF]
    assert integers(np.array([1 << 63], np.uint64), 11, 8).tolist() == [-(1 << 63)]
    assert reals(np.array([0xBF800000], np.uint64), 6, 4).tolist() == [-1.0]


@pytest.mark.parametrize("more", [["--show", "roots"], ["--path", "p.A"], []])
def test_what_does_not_fit_is_refused(dump: Path, more: list[str]) -> None:
    line = [
        sys.executable,
        "-m",
        "classhook.cli",
        "heap",
        dump,
        "-f",
        "parquet",
        *(["-o", dump.parent / "x", *more] if more else []),
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "-f parquet writes" in done.stderr


def test_a_dump_is_not_replaced(dump: Path) -> None:
    before = dump.stat()
    line = [sys.executable, "-m", "classhook.cli", "heap", str(dump), "-f", "json", "-o", str(dump)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (2, f"classhook: {dump} is both input and output; name another output\n")
    assert (dump.stat().st_ino, dump.stat().st_size) == (before.st_ino, before.st_size)


def test_without_pyarrow_a_message_says_what_to_install(dump: Path) -> None:
    script = "import sys\nfrom importlib import util\nfound = util.find_spec\n"
    script += "util.find_spec = lambda name, package=None: None if name == 'pyarrow' else found(name, package)\n"
    script += "from classhook.cli import main\nsys.exit(main())"
    line = [sys.executable, "-c", script, "heap", dump, "-f", "parquet", "-o", dump.parent / "none"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == 2
    assert "-f parquet needs pyarrow, which is not installed: pip install 'classhook[heap,parquet]'" in done.stderr
