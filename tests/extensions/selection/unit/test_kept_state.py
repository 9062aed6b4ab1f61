"""State that one test leaves for another one in other ways than by setting a static field: what a change of the value
selects."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.selection.deciding import Selection, select
from classhook.extensions.selection.kept import kept
from classhook.extensions.selection.observed import Observed, TestData
from classhook.extensions.selection.program import Program, read_program
from classhook.extensions.selection.recording import make
from tests import compiling
from tests.conftest import FindJvm

#: Ways of setting a field of the class Place: the field, the code that sets it to `made()`, and the code that reads it.
WAYS = {
    "Field.set": ("static String text;", 'Place.class.getDeclaredField("text").set(null, made());', "Place.text"),
    "Field.get": ("static String text;", "Place.text = made();", 'Place.class.getDeclaredField("text").get(null)'),
    "Field.get of what an initialiser made": (
        "static String text = made();",
        "made();",
        'Class.forName("Place").getField("text").get(0)',
    ),
    "all fields": (
        "static String text;",
        "for (var one : Place.class.getDeclaredFields()) one.set(null, made());",
        "Place.text",
    ),
    "a helper": ("static String text;", 'set(Place.class, "text", made());', "Place.text"),
    "VarHandle": (
        "static String text;",
        'MethodHandles.lookup().findStaticVarHandle(Place.class, "text", String.class).setVolatile(made());',
        "Place.text",
    ),
    "VarHandle of a Field": (
        "static String text;",
        'MethodHandles.lookup().unreflectVarHandle(Place.class.getDeclaredField("text")).compareAndSet(null, made());',
        "Place.text",
    ),
    "MethodHandle": (
        "static String text;",
        'MethodHandles.lookup().findStaticSetter(Place.class, "text", String.class).invoke(made());',
        "Place.text",
    ),
    "Unsafe": (
        "static String text;",
        (
            'Field f = Place.class.getDeclaredField("text"); '
            "unsafe().putObject(unsafe().staticFieldBase(f), unsafe().staticFieldOffset(f), (Object) made());"
        ),
        "Place.text",
    ),
}
TEXT = """
import java.lang.invoke.*;
import java.lang.reflect.Field;

class Place {{ {field} static String made() {{ return Sets.made(); }} }}

class Sets {{
    static void run() throws Throwable {{ {sets} }}

    static String made() {{ return "{value}"; }}

    static void set(Class<?> of, String name, Object value) throws Exception {{ of.getDeclaredField(name).set(null, value); }}

    static sun.misc.Unsafe unsafe() {{ return null; }}
}}

class Reads {{ static Object run() throws Throwable {{ return {reads}; }} }}

class Other {{ static void run() {{}} }}
"""
RAN = {
    "SetsTest#sets": {("Sets", "run()V"), ("Sets", "made()Ljava/lang/String;")},
    "ReadsTest#reads": {("Reads", "run()Ljava/lang/Object;")},
    "OtherTest#other": {("Other", "run()V")},
}


@pytest.fixture(scope="module")
def javac(find_jvm: FindJvm) -> Path:
    return find_jvm(17).tool("javac")


def compiled(javac: Path, folder: Path, path: Path | None = None, **parts: str) -> Program:
    """`path`: where sources of libraries are."""
    folder.mkdir()
    source = folder / "Program.java"
    source.write_text(TEXT.format(**parts))
    libraries = ["-sourcepath", path] if path else []
    compiling.javac(javac, "-nowarn", "-implicit:none", *libraries, "-d", folder, source)
    source.unlink()
    return read_program([folder])


def selection(javac: Path, folder: Path, field: str, sets: str, reads: str) -> Selection:
    """After a change of the value."""
    before, after = (
        compiled(javac, folder / one, field=field, sets=sets, reads=reads, value=one) for one in ("before", "after")
    )
    ran = {name: set(methods) for name, methods in RAN.items()}
    if "set(Place" in sets:
        ran["SetsTest#sets"].add(("Sets", "set(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Object;)V"))
    if "made()" in field:
        ran["SetsTest#sets"] |= {("Place", "<clinit>()V"), ("Place", "made()Ljava/lang/String;")}
    recording = make(Observed({name: TestData(ran=methods) for name, methods in ran.items()}), before, 1, "", {}, {})
    return select([recording], after, [])


@pytest.mark.parametrize("way", WAYS)
def test_static_fields_that_reflection_sets(way: str, javac: Path, tmp_path: Path) -> None:
    found = selection(javac, tmp_path, *WAYS[way])
    assert (set(found.reasons), found.anything) == ({"SetsTest#sets", "ReadsTest#reads"}, [])


def test_other_reflection_selects_no_more(javac: Path, tmp_path: Path) -> None:
    """Neither handles of fields of objects, nor fields with other names."""
    of_objects = 'MethodHandles.lookup().findVarHandle(String.class, "hash", int.class).set("", made().length());'
    of_another = 'Thread.class.getDeclaredField("name").set(null, made());'
    for number, sets in enumerate((of_objects, of_another)):
        (folder := tmp_path / str(number)).mkdir()
        assert set(selection(javac, folder, "static String text;", sets, "Place.text").reasons) == {"SetsTest#sets"}, (
            sets
        )


def test_system_properties(javac: Path, tmp_path: Path) -> None:
    for number, (sets, reads) in enumerate(
        (
            ('System.setProperty("a", made());', 'System.getProperty("a")'),
            ('System.getProperties().put("a", made());', 'Boolean.getBoolean("a")'),
        )
    ):
        (folder := tmp_path / str(number)).mkdir()
        assert set(selection(javac, folder, "", sets, reads).reasons) == {"SetsTest#sets", "ReadsTest#reads"}, sets


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ('System.setProperty("a", "b");', ["system properties that libraries read (Sets.run)"]),
        ("java.util.Locale.setDefault(java.util.Locale.ROOT);", ["defaults of the JVM (Sets.run)"]),
        ("System.setOut(null);", ["standard streams (Sets.run)"]),
        ('String url = "jdbc:h2:mem:orders";', ["databases in memory (Sets)"]),
        ("lib.Registry.register(made());", ["what static methods of libraries set (Sets.run)"]),
        ("lib.Registry.text = made();", ["static fields of libraries (Sets.run)"]),
        ("new lib.Registry() {}.more = made();", ["static fields of libraries (Sets.run)"]),
        ('java.util.logging.Logger.getLogger("a").setLevel(null);', ["levels and handlers of loggers (Sets.run)"]),
        ("Thread.currentThread().setContextClassLoader(null);", ["context class loaders of threads (Sets.run)"]),
        ('java.util.prefs.Preferences.userRoot().put("a", made());', ["preferences (Sets.run)"]),
        ("Place.text = made();", []),
        ("lib.Registry.count(made());", []),
        ("new lib.Registry().setText(made());", []),
    ],
)
def test_what_is_kept(sets: str, expected: list[str], javac: Path, tmp_path: Path) -> None:
    """It is said where a method that ran in a test does it."""
    lib = tmp_path / "lib"
    lib.mkdir()
    methods = ("static void register(Object o)", "static void count(Object o)", "void setText(Object o)")
    fields = "public static String text, more;"
    (lib / "Registry.java").write_text(
        f"package lib; public class Registry {{{fields}" + "".join(f"public {one} {{}}" for one in methods) + "}"
    )
    program = compiled(
        javac, tmp_path / "program", path=tmp_path, field="static String text;", sets=sets, reads="null", value=""
    )
    assert kept(program, {("Sets", "run()V")}) == expected
    assert kept(program, {("Reads", "run()Ljava/lang/Object;")}) == []


def test_files_that_name_a_database_in_memory(tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text("spring.datasource.url=jdbc:h2:mem:orders\n")
    assert kept(read_program([tmp_path]), set()) == ["databases in memory (application.properties)"]


def both(javac: Path, folder: Path, text: str, path: Path | None = None, **parts: str) -> list[Program]:
    """The program with "before" and with "after" in the place of `value`; the sources are not beside the classes."""
    programs = []
    libraries = ["-sourcepath", path] if path else []
    for value in ("before", "after"):
        source, classes = folder / value / "Place.java", folder / f"{value}-classes"
        source.parent.mkdir()
        source.write_text(text.format(**{**parts, "value": value}))
        compiling.javac(javac, "-nowarn", "-implicit:none", *libraries, "-d", classes, source)
        programs.append(read_program([classes]))
    return programs


#: Code of an initialiser, after which Made.made() may have run, and code that does not call it.
CALLS = {
    "Method.invoke": ('Made.class.getMethod("made").invoke(null)', True),
    "Constructor.newInstance": ("Made.class.getConstructor().newInstance()", True),
    "Class.forName": ('Class.forName("Made")', True),
    "MethodHandle": ("MethodHandles.lookup().findConstructor(Made.class, null).invoke()", True),
    "ServiceLoader": ("ServiceLoader.load(Made.class).iterator()", True),
    "ObjectInputStream": ("new ObjectInputStream((InputStream) null).readObject()", True),
    "ResourceBundle": ('ResourceBundle.getBundle("Made")', True),
    "MethodHandleProxies": ("MethodHandleProxies.asInterfaceInstance(Runnable.class, null)", True),
    "a JMX bean": ("java.lang.management.ManagementFactory.getPlatformMBeanServer().getAttribute(null, null)", True),
    "java.beans": ('new java.beans.Expression(null, "made", null).getValue()', True),
    "a library that is passed a class": ("library.Beans.make(Made.class)", True),
    "a library that is passed a method": ("library.Beans.call((Method) null)", True),
    "a library that is passed a text": ('library.Beans.length("Made")', False),
    "Class.getName": ("Place.class.getName() + Place.class.getSimpleName() + Place.class.isInterface()", False),
    "Class.getDeclaredFields": ("Place.class.getDeclaredFields().length + Place.class.getModifiers()", False),
    "Class.desiredAssertionStatus": ("check(1)", False),
    "Method.getName": ("((Method) null).getName() + ((Constructor<?>) null).getParameterCount()", False),
    "a logger that is passed a class": ("org.slf4j.LoggerFactory.getLogger(Place.class)", False),
}
CALLING_TEXT = """
import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;

class Place {{
    static Object text = make();
    static Object make() {{ try {{ return {call}; }} catch (Throwable e) {{ return null; }} }}
    static int check(int one) {{ assert one > 0; return one; }}
}}

class Made {{ public static String made() {{ return "{value}"; }} }}
class Reads {{ static Object run() {{ return Place.text; }} }}
"""
LIBRARIES = {
    "library/Beans.java": (
        "package library; public class Beans { public static native Object make(Class<?> of);"
        " public static native Object call(java.lang.reflect.Method of); public static native int length(String of); }"
    ),
    "org/slf4j/LoggerFactory.java": (
        "package org.slf4j; public class LoggerFactory { public static native Object getLogger(Class<?> of); }"
    ),
}


@pytest.mark.parametrize("way", CALLS)
def test_what_an_initialiser_may_have_called(way: str, javac: Path, tmp_path: Path) -> None:
    """The first test initialises a class, and runs another method that changes; a later test uses the class."""
    call, calls = CALLS[way]
    for name, text in LIBRARIES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    programs = both(javac, tmp_path, CALLING_TEXT, path=tmp_path, call=call)
    made = ("Made", "made()Ljava/lang/String;")
    first = {made, ("Place", "<clinit>()V"), ("Place", "make()Ljava/lang/Object;"), ("Place", "check(I)I")}
    tests = {"FirstTest#first": first, "ReadsTest#reads": {("Reads", "run()Ljava/lang/Object;")}}
    observed = Observed({name: TestData(ran=methods) for name, methods in tests.items()})
    found = select([make(observed, programs[0], 1, "", {}, {})], programs[1], [])
    assert set(found.reasons) == {"FirstTest#first", *(["ReadsTest#reads"] if calls else [])}


#: A field that an initialiser of another class sets, and what changes it later.
STEADY_TEXT = """
class Place {{
    static Object text;
    static void set() {{ text = made(); }}
    static String made() {{ return "{set}"; }}
}}
class Sets {{ static {{ Place.text = "{initialised}"; }} static void run() {{}} }}
class Other {{ static final String name = String.valueOf(1); }}
class Reads {{ static Object run() {{ return Place.text; }} }}
"""
SETS = {("Place", "set()V"), ("Place", "made()Ljava/lang/String;")}
INITIALISES = {("Sets", "<clinit>()V"), ("Sets", "run()V"), ("Other", "<clinit>()V")}


@pytest.mark.parametrize(
    ("steady", "changed", "selected"),
    [
        (None, "set", ["a#sets", "c#reads"]),
        (None, "initialised", ["b#initialises", "c#reads"]),
        ({}, "set", ["a#sets"]),
        ({}, "initialised", ["b#initialises"]),
        ({"Sets"}, "set", ["a#sets"]),
        ({"Sets"}, "initialised", ["b#initialises", "c#reads"]),
        ({"NoClass"}, "set", ["a#sets", "c#reads"]),
        ({"Other"}, "set", ["a#sets", "c#reads"]),
    ],
    ids=str,
)
def test_static_state_that_no_test_found_changed(
    steady: set[str] | None, changed: str, selected: list[str], javac: Path, tmp_path: Path
) -> None:
    """`steady`: the classes whose initialisers changed it; None: a test found it changed. Where such a class is not
    known, or cannot have changed it, something else did."""
    programs = both(javac, tmp_path, STEADY_TEXT.replace(f"{{{changed}}}", "{value}"), set="", initialised="")
    tests = {"a#sets": SETS, "b#initialises": INITIALISES, "c#reads": {("Reads", "run()Ljava/lang/Object;")}}
    observed = Observed({name: TestData(ran=methods) for name, methods in tests.items()})
    if steady is not None:
        observed.steady = {("Place", "text"): {*steady}}
    found = select([make(observed, programs[0], 1, "", {}, {})], programs[1], [])
    assert sorted(found.reasons) == selected


def test_a_field_is_steady_if_it_is_in_each_jvm() -> None:
    field, other = ("Place", "text"), ("Place", "other")
    whole = Observed()
    for steady, unsteady in (({field: {"A"}, other: set()}, set()), ({field: {"B"}}, {other}), ({other: {"A"}}, set())):
        whole.add(Observed(steady=steady, unsteady=unsteady))
    assert whole.steady == {field: {"A", "B"}}


CACHED_TEXT = """
class Settings {{ static String language = "en"; }}
class Made {{ static String made() {{ return "{value}"; }} }}
class Messages {{ static String cached; static String get() {{
    if (cached == null) cached = Settings.language;
    return cached;
}} }}
class Sets {{ static void run() {{ Settings.language = Made.made(); Messages.get(); Settings.language = "en"; }} }}
class Reads {{ static Object run() {{ return Messages.get(); }} }}
"""


def test_state_that_a_test_restores_is_seen_by_what_it_caches_meanwhile(javac: Path, tmp_path: Path) -> None:
    programs = both(javac, tmp_path, CACHED_TEXT)
    get = ("Messages", "get()Ljava/lang/String;")
    sets = {("Sets", "run()V"), ("Made", "made()Ljava/lang/String;"), get}
    tests = {"a#sets": sets, "b#reads": {("Reads", "run()Ljava/lang/Object;"), get}}
    observed = Observed({name: TestData(ran=methods) for name, methods in tests.items()})
    observed.steady = {("Settings", "language"): set()}
    found = select([make(observed, programs[0], 1, "", {}, {})], programs[1], [])
    assert sorted(found.reasons) == ["a#sets", "b#reads"]
