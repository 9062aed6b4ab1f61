"""Globs, types, parameters and annotations: what matches, and how long matching may take."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.rules.patterns import (
    compile_annotations,
    compile_glob,
    compile_method_name,
    compile_parameters,
    compile_type,
    parameter_types,
)

# A glob, names that it matches, names that it does not match.
GLOBS = """
com.acme.Orders      com.acme.Orders                     com.acme.Order com.acme.Orders2 xcom.acme.Orders
com.acme.*           com.acme.Orders com.acme.O$1        com.acme.a.B com.acme com.acmex.B
com.acme.Ord*        com.acme.Ord com.acme.Orders        com.acme.Or com.acme.Ord.x
com.acme.**          com.acme.Orders com.acme.a.b.C      com.acme com.acmes.Orders org.acme.Orders
com.acme**           com.acme.Orders com.acmes.Orders    com.acm
**                   A a.B a.b.C$D
**.*                 A a.B a.b.C$D
*                    A A$B                               a.B
*.*                  a.B                                 A a.b.C
**.Orders            Orders com.acme.Orders a.Orders     MyOrders a.MyOrders a.Orders.B a.Orders$B
**.*Stub             Stub MyStub a.Stub a.b.MyStub       Stubs a.Stub.B a.Stub$1
**Stub               Stub a.Stub                         Stubs
**.a.*Stub           a.Stub x.a.MyStub                   Stub ba.Stub a.b.Stub
com.**.Orders        com.a.Orders com.a.b.Orders         com.Orders com.a.Orders2 xcom.a.Orders
com.*.Orders         com.a.Orders                        com.a.b.Orders com.Orders com..b.Orders
com.*.*.Orders       com.a.b.Orders                      com.a.Orders
**.*$$*              A$$B a.b.C$$Lambda a.$$             A$B
*.**                 a.B a.b.C                           A
a.**.*Impl           a.b.Impl a.b.c.XImpl                a.Impl b.a.Impl
a**b**c              abc a.b.c axxbxxc                   acb ab bc
a*b*c                abc axbxc                           a.bc abxc.
**.\u00e9t\u00e9*    \u00e9t\u00e9 a.\u00e9t\u00e9s      ete
"""

METHODS = """
*           run <init> <clinit>
<*>         <init> <clinit>                     run init
<init>      <init>                              <clinit> init
*it*        it init edit                        <init> <clinit>
**          run                                 <init>
get*        get getName                         forget <init>
*Name       Name getName                        names
g*N*e       getName gNe                         getNames
"""

TYPES = """
*                     int byte[] java.lang.String a.B[][]
**                    int a.B[]
*[]                   int[] byte[][] a.B[]                   int a.B
*[][]                 int[][] a.B[][][]                      int[]
byte[]                byte[]                                 byte byte[][] bytes[]
java.util.HashMap     java.util.HashMap                      java.util.HashMap[] java.util.HashMap$Node
java.util.*           java.util.HashMap                      java.util.HashMap[] java.util.a.B int
java.util.*[]         java.util.HashMap[]                    java.util.HashMap java.util.HashMap[][]
**.*Map               a.b.Map HashMap                        a.Map[]
i*                    iffy                                   int int[]
"""

# Parameters, and descriptors that match and that do not.
PARAMETERS = """
..                              ()V (I)V (Ljava/lang/String;[[J)V
                                ()V                                         (I)V
int                             (I)V                                        ()V (II)V (J)V ([I)V
*                               (I)V ([[Ljava/lang/String;)V                ()V (II)V
*[]                             ([I)V ([[La/B;)V                            (I)V (La/B;)V
int,..                          (I)V (IJ)V                                  ()V (J)V (JI)V
..,int                          (I)V (JI)V (II)V                            ()V (IJ)V
..,int,..                       (I)V (JIJ)V (II)V                           ()V (JJ)V
int,..,int                      (II)V (IJI)V                                (I)V (IJ)V
..,..                           ()V (IJ)V
java.lang.String,..             (Ljava/lang/String;)V (Ljava/lang/String;I)V  ()V (La/B;)V
java.lang.String[]              ([Ljava/lang/String;)V                      (Ljava/lang/String;)V
java.util.*                     (Ljava/util/Map;)V                          (Ljava/util/a/B;)V (I)V ([Ljava/util/Map;)V
int                             (I)V                                        I) (I (V)V (Ljava/lang/String)V ([)V (Q)V
"""


def cases(table: str) -> list[tuple[str, str, bool]]:
    """Returns pattern, name and whether it matches, from a table whose columns are two or more blanks apart."""
    found = []
    for line in filter(None, table.split("\n")):
        pattern, *columns = re.split(r" {2,}", line) if line[0] != " " else ["", *re.split(r" {2,}", line.strip())]
        columns += [""] * (2 - len(columns))
        found += [
            (pattern, name, yes)
            for names, yes in zip(columns[:2], (True, False), strict=True)
            for name in names.split()
        ]
    return found


@pytest.mark.parametrize(("glob", "name", "expected"), cases(GLOBS))
def test_glob(glob: str, name: str, expected: bool) -> None:
    assert compile_glob(glob)(name) is expected


@pytest.mark.parametrize(("glob", "name", "expected"), cases(METHODS))
def test_method_name(glob: str, name: str, expected: bool) -> None:
    assert compile_method_name(glob)(name) is expected


@pytest.mark.parametrize(("pattern", "name", "expected"), cases(TYPES))
def test_type(pattern: str, name: str, expected: bool) -> None:
    assert compile_type(pattern)(name) is expected


@pytest.mark.parametrize(("parameters", "descriptor", "expected"), cases(PARAMETERS))
def test_parameters(parameters: str, descriptor: str, expected: bool) -> None:
    assert compile_parameters(tuple(filter(None, parameters.split(","))))(descriptor) is expected


def test_no_parameters_written_means_any_even_of_a_malformed_descriptor() -> None:
    assert compile_parameters(None)("(I)V")
    assert compile_parameters(None)("nonsense")


def test_parameter_types_are_written_as_in_rules() -> None:
    assert parameter_types("(I[[JLjava/util/Map$Entry;[La/B;)V") == ["int", "long[][]", "java.util.Map$Entry", "a.B[]"]


@pytest.mark.parametrize(
    "descriptor", ["", "(", "()", ")", "(I", "I)V", "([)V", "(L)V", "(La/B)V;", "(X)V", "(La/B;[)V"]
)
def test_a_malformed_descriptor_is_no_error(descriptor: str) -> None:
    assert parameter_types(descriptor) in (None, [], [""])


@pytest.mark.parametrize(
    ("globs", "names", "expected"),
    [
        (("GET",), {"javax.ws.rs.GET"}, True),
        (("GET",), {"GET"}, True),
        (("GET",), {"javax.ws.rs.TARGET"}, False),
        (("javax.ws.rs.GET",), {"jakarta.ws.rs.GET"}, False),
        (("javax.**",), {"jakarta.A", "javax.ws.rs.GET"}, True),
        (("GET", "Path"), {"a.GET"}, False),
        (("GET", "Path"), {"a.GET", "a.Path"}, True),
        (("*",), set(), False),
        (("*",), {"a.b.C"}, True),
    ],
)
def test_annotations(globs: tuple[str, ...], names: set[str], expected: bool) -> None:
    assert compile_annotations(globs)(names) is expected


@pytest.mark.parametrize("glob", ["**a" * 60 + "b*", "*a" * 60 + "b*", "**.*a" * 60 + "b*", "x" + "**a*" * 60 + "b*"])
def test_many_wildcards_take_linear_time(glob: str) -> None:
    started = time.thread_time()  # not affected by other processes
    assert not compile_glob(glob)("x" + "a.a" * 2000 + "c")
    assert (
        time.thread_time() - started < 1
    )  # it takes about a thousandth of that; with backtracking, it would never end


def oracle(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", glob.removeprefix("**."))
    body = "".join({"**": ".*", "*": "[^.]*"}.get(part) or re.escape(part) for part in parts)
    return re.compile(("(.*[.])?" if glob.startswith("**.") else "") + body, re.DOTALL)


@given(st.from_regex(r"(\*\*\.)?([ab.]|\*{1,2}(?!\*)){1,8}", fullmatch=True), st.text("ab.", max_size=12))
def test_every_glob_agrees_with_a_regular_expression(glob: str, name: str) -> None:
    if "***" not in glob:
        assert compile_glob(glob)(name) is bool(oracle(glob).fullmatch(name))


@pytest.mark.parametrize("name", ["a.\U00020000", "a.\ud800x", "a.x y-z"])
def test_any_name_of_a_class_file_matches(name: str) -> None:
    assert compile_glob("a.**")(name)
    assert compile_glob("**." + name[2:])(name)
    assert compile_glob("a*" + name[1:])(name)
