"""A program, changed in many ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.extensions.selection import program, recording
from classhook.extensions.selection.deciding import Selection, select
from classhook.extensions.selection.observed import Observed, TestData
from tests import compiling
from tests.conftest import FindJvm

PROGRAM = """
package a;

import java.util.HashMap;
import java.util.Map;

class Table {
    static int[] fill() {
        int[] found = {1, 2, 3};
        return found;
    }
}

class Rates {
    static final int[] ALL = Table.fill();

    static int of(int n) {
        return ALL[n];
    }
}

class Slow {
    static String make(String key) {
        return key + "!";
    }

    private static String never(String key) {
        return key + "?";
    }
}

class Cache {
    static final Map<String, String> KNOWN = new HashMap<>();

    static String of(String key) {
        return KNOWN.computeIfAbsent(key, Slow::make);
    }
}

class Shape {
    int area() {
        return 0;
    }

    static void check(Shape shape) {
        if (shape.area() < 0) throw new IllegalStateException("a.text");
    }
}

class Square extends Shape {
    int side = 2;

    int area() {
        return side * side;
    }
}

class Limits {
    static final int MOST = 10;
}

class Plugs {
    static String name(String key) {
        return "a.Plug" + key;
    }
}

class Check {
    static boolean fits(int n) {
        return n < Limits.MOST;
    }
}

class Maker {
    static String made(String key) {
        return key + "=";
    }
}

class Registry {
    static final Registry ONE = new Registry();

    private final Map<String, String> entries = new HashMap<>();

    static Registry one() {
        return ONE;
    }

    void put(String key) {
        entries.put(key, Maker.made(key));
    }

    String get(String key) {
        return entries.get(key);
    }
}

class Names {
    private static final Map<String, String> ALL = new HashMap<>();

    static Map<String, String> all() {
        return ALL;
    }
}

class Lender {
    static void fill() {
        Names.all().put("a", given("a"));
    }

    static String given(String key) {
        return key + "/";
    }
}

class Config {
    private static String name;
    private static final java.util.List<Shape> SHAPES = new java.util.ArrayList<>();

    static void set(String name) {
        Config.name = name;
    }

    static void add(Shape shape) {
        SHAPES.add(shape);
    }

    static String get() {
        return name + SHAPES;
    }
}

class Parsed {
    static String name() {
        return "parsed";
    }

    static Shape shape() {
        return name().length() == 6 ? new Shape() : null;
    }
}

class Starts {
    static void start() {
        Config.set(Parsed.name());
        Config.add(Parsed.shape());
    }
}

@interface Test {}

@org.junit.jupiter.api.TestInstance
class SharedTest {}

class OrderTest {
    @Test
    void places() {
        Check.fits(1);
    }

    void helps() {}
}
"""
#: By name, what is replaced in the program.
VARIANTS = {
    "same": (),
    "comments": (
        ("package a;", "/* Rates and shapes. */\n\npackage a;\n\n"),
        ("int[] found", "int[] other"),
        ("return found", "return other"),
    ),
    "order": (
        ('    static String make(String key) {\n        return key + "!";\n    }\n\n', ""),
        (
            'return key + "?";\n    }\n',
            'return key + "?";\n    }\n\n    static String make(String key) {\n        return key + "!";\n    }\n',
        ),
    ),
    "called by an initialiser": (("{1, 2, 3}", "{1, 2, 4}"),),
    "called to fill a cache": (('key + "!"', 'key + "."'),),
    "called to fill a singleton": (('key + "="', 'key + ":"'),),
    "called to fill a map of another class": (('key + "/"', 'key + ":"'),),
    "passed to a setter": (('"parsed"', '"read"'),),
    "passed to a registry": (("length() == 6", "length() == 7"),),
    "not called": (('key + "?"', 'key + "."'),),
    "constant": (("MOST = 10", "MOST = 20"),),
    "override": (("int side = 2;", "int side = 2;\n\n    public int hashCode() {\n        return 1;\n    }"),),
    "field": (("class Shape {", "class Shape {\n    int more;"),),
    "private method": (("class Shape {", "class Shape {\n    private int more() {\n        return 1;\n    }"),),
    "new class": (
        ("return n < Limits.MOST", "return Extra.fits(n)"),
        ("class Limits", "class Extra {static boolean fits(int n) {return true;}} class Limits"),
    ),
    "unnamed class": (("class Limits", "class Extra {} class Limits"),),
    "annotated class": (
        ("return n < Limits.MOST", "return Extra.fits(n)"),
        (
            "class Limits",
            (
                '@javax.annotation.processing.SupportedOptions("x") class Extra {static boolean fits(int n) {return'
                " true;}} class Limits"
            ),
        ),
    ),
    "now annotated": (("class Check {", '@javax.annotation.processing.SupportedOptions("x") class Check {'),),
    "named in text": (
        ("return n < Limits.MOST", "return text.fits(n)"),
        ("class Limits", "class text {static boolean fits(int n) {return true;}} class Limits"),
    ),
    "read resolve": (
        ("class Shape {", "class Shape {\n    private Object readResolve() {\n        return this;\n    }"),
    ),
    "name put together": (
        ("return n < Limits.MOST", "return PlugIn.fits(n)"),
        ("class Limits", "class PlugIn {static boolean fits(int n) {return true;}} class Limits"),
    ),
    "named by new classes": (("class Limits", "class Some {Other other;} class Other {Some some;} class Limits"),),
    "new test": (("    void helps() {}", "    @Test void cancels() {}\n    void helps() {}"),),
    "renamed test": (("void places()", "void placed()"),),
    "new set-up": (("    void helps() {}", "    @Deprecated void prepare() {}\n    void helps() {}"),),
    "gone": (("class Square extends Shape", "class Circle extends Shape"),),
}
INIT, CLINIT = "<init>()V", "<clinit>()V"
MAKE = "make(Ljava/lang/String;)Ljava/lang/String;"
MADE, PUT = "made(Ljava/lang/String;)Ljava/lang/String;", "put(Ljava/lang/String;)V"
CACHED = "of(Ljava/lang/String;)Ljava/lang/String;"
#: The methods that ran in each test, in the order of the tests: an initialiser runs once, and a cache is filled once.
RAN = {
    "a.RatesTest#first": {("a/Rates", CLINIT), ("a/Table", "fill()[I"), ("a/Rates", "of(I)I")},
    "a.RatesTest#second": {("a/Rates", "of(I)I")},
    "a.CacheTest#first": {("a/Cache", CLINIT), ("a/Cache", CACHED), ("a/Slow", MAKE)},
    "a.CacheTest#second": {("a/Cache", CACHED)},
    "a.RegistryTest#first": {("a/Registry", "one()La/Registry;"), ("a/Registry", PUT), ("a/Maker", MADE)},
    "a.RegistryTest#second": {
        ("a/Registry", "one()La/Registry;"),
        ("a/Registry", "get(Ljava/lang/String;)Ljava/lang/String;"),
    },
    "a.NamesTest#first": {
        ("a/Names", "all()Ljava/util/Map;"),
        ("a/Lender", "fill()V"),
        ("a/Lender", "given(Ljava/lang/String;)Ljava/lang/String;"),
    },
    "a.NamesTest#second": {("a/Names", "all()Ljava/util/Map;")},
    "a.ConfigTest#first": {
        *(("a/Starts", "start()V"), ("a/Config", "set(Ljava/lang/String;)V"), ("a/Config", "add(La/Shape;)V")),
        *(("a/Parsed", "name()Ljava/lang/String;"), ("a/Parsed", "shape()La/Shape;")),
    },
    "a.ConfigTest#second": {("a/Config", "get()Ljava/lang/String;")},
    "a.ShapeTest#area": {
        ("a/Square", INIT),
        ("a/Shape", INIT),
        ("a/Shape", "check(La/Shape;)V"),
        ("a/Square", "area()I"),
    },
    "a.CheckTest#fits": {("a/Check", "fits(I)Z")},
    "a.OrderTest#places": {("a/OrderTest", INIT), ("a/OrderTest", "places()V"), ("a/Check", "fits(I)Z")},
}
Program = Callable[[str], program.Program]
Selected = Callable[[str], Selection]


@pytest.fixture(scope="session")
def variants(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder of classes for each variant."""
    top = tmp_path_factory.mktemp("variants")
    junit = (
        "package org.junit.jupiter.api; import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) public"
        " @interface TestInstance {}"
    )
    for name, replaced in VARIANTS.items():
        text = PROGRAM
        for before, after in replaced:
            assert before in text, before
            text = text.replace(before, after)
        (top / name).mkdir()
        (top / name / "Program.java").write_text(text)
        (top / name / "TestInstance.java").write_text(junit)
        words = ["-proc:none", "-g" if name == "same" else "-g:none", "-d", top / name / "classes"]
        compiling.javac(find_jvm(17).tool("javac"), *words, *sorted((top / name).glob("*.java")))
    return top


@pytest.fixture
def variant(variants: Path) -> Program:
    """The program of a variant."""
    return lambda name: program.read_program([variants / name / "classes"])


@pytest.fixture
def recorded(variant: Program) -> recording.Recording:
    """The tests, of the program as it was."""
    observed = Observed({name: TestData(duration_ns=1000, ran=set(ran)) for name, ran in RAN.items()})
    return recording.make(observed, variant("same"), 1, "", {}, {})


@pytest.fixture
def selected(variant: Program, recorded: recording.Recording) -> Selected:
    """selected(name): the selection of tests after the change of this name."""
    return lambda name: select([recorded], variant(name), [])
