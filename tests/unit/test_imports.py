"""Imports of modules by others: the order of the folders, and what is imported when a JVM starts."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from classhook import extensions
from classhook.extensions import ALL
from classhook.native.building import hotpath, imports, tree

ROOT = Path(__file__).parents[2]
#: Folder -> the project's folders that it may import.
MAY_IMPORT = {
    "rules": set[str](),
    "classfile": set[str](),
    "native": set[str](),
    "instrument": {"rules", "classfile", "native"},
}
#: Folder -> what it may import besides the standard library; mypy_extensions only for types, which are not used at run
#: time.
LIBRARIES = {
    "rules": {"lark"},
    "classfile": {"mutf8", "mypy_extensions"},
    "native": {"cffi", "jawa", "setuptools", "mypyc", "_cffi_backend"},
    "instrument": {
        "numpy",
        "argcomplete",
        "lsprotocol",
        "mcp",
        "pydantic",
        "pygls",
        "rich",
        "duckdb",
        "fsspec",
        "pyarrow",
        "pandas",
        "mutf8",
        "mypy_extensions",
        "_sha2",
        "_sha256",  # the latter by the version of Python
        "classhook_events",
        "classhook_jvmpi",
    },  # native/embedded/events_module.c, native/extensions/jvmpi/jvmpi_module.c
}
#: Modules of probes that a reader of probe tables may import.
PROBE_TABLE = {"probes.probe_table", "probes.records", "probes.reasons"}
IN_THE_JVM = {"coverage", "probes", "measures", "weaving"}
READING = {"store", "store.cache", "model", "readers", "model.reading"}
SHOWING = {"tables", "shown", "reports"}
#: Room of instrument/ (a folder within one has its name, too) -> the rooms, or single modules of them, that it may
#: import besides. Each line names only rooms above it.
ROOMS: dict[str, set[str]] = {
    "base": set(),  # errors, files, names, progress, the terminal: for all rooms
    "coverage": set(),  # where probes of coverage go, and from their hits to counters
    "probes": set(),  # what measures share to insert probes
    "measures": {"coverage", "probes"},  # what each measure inserts: all of its modules but `reader*` and `table*`
    "weaving": {"coverage", "probes", "measures"},
    "store": set(),  # data files
    "store.cache": {"measures"},
    "model": {"store"} | PROBE_TABLE,  # what data files add up to
    "readers": {"coverage", "measures", "store", "model"} | PROBE_TABLE,  # how each measure's records become rows
    "model.reading": {"measures", "store", "model", "readers"} | PROBE_TABLE,  # data files, read
    "tables": {"model"},  # what a table is
    "shown": {"measures", "model", "readers", "tables"},  # how each measure's rows are shown
    "reports": PROBE_TABLE
    | {"weaving.plan", "coverage", "measures", "store", "model", "readers", "model.reading", "tables", "shown"}
    | {"extensions"},
    "checking": {"measures", "model"},  # which rules match nothing, and what they may have meant
    "ahead": IN_THE_JVM | {"store", "model.unweavable_methods", "checking"},
    "live": {"measures", "store", "model.unweavable_methods", "checking"},  # JVMs and the agents in them
    "live.observe": {"measures", "live"} | READING | SHOWING,  # what they count, shown while they run
    "api": {"measures", "checking", "live", "live.observe"} | READING | SHOWING,
    "agent": {"probes", "measures", "live", "api"},  # handlers in Python
    "agent.testing": {"agent"},  # which test runs; a script of handlers imports it
    "weaving.agent_calls": {"live", "agent"} | IN_THE_JVM,  # what C calls in the JVM
    # on top: nothing above imports them
    "commands": {"checking", "ahead", "live", "live.observe", "api", "extensions"} | IN_THE_JVM | READING | SHOWING,
}
#: Beside the rooms: what imports some of them.
ENTRANCES = {"": {"api", "extensions"}, "cli": {"commands", "extensions"}, "extensions": set[str]()}
EXTENSIONS = {f"extensions.{one.name}": one for one in ALL}
PRESENT = {one.name for one in extensions.EXTENSIONS}
#: Imports for editors and type checkers only: at run time the list of extensions finds the module.
FOR_TYPES = {("", "extensions.jvmpi")}
NEVER_IN_THE_JVM = [
    "lark",
    "jawa",
    "re",
    "json",
    "rich",
    "dataclasses",
    "typing",
    "cffi",
    "argparse",
    "inspect",
    "enum",
    "pathlib",
    "ctypes",
    "mypy_extensions",
]


def folder_of(module: str) -> str:
    """The folder that a module of the package lies in; of others, their top-level package."""
    first, _, rest = module.partition(".")
    within = rest.partition(".")[0]
    return first if first != "classhook" else within if within in MAY_IMPORT else "instrument"


def imported(file: Path) -> set[str]:
    """The folders, and top-level packages of others, that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {folder_of(name.name) for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            if node.module == "classhook":
                found |= {folder_of(f"classhook.{name.name}") for name in node.names}
            else:
                found.add(folder_of(node.module or ""))
    return found


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_folders_import_in_one_direction(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        ours = imported(file) & MAY_IMPORT.keys()
        assert ours <= {folder} | MAY_IMPORT[folder], file
        others = imported(file) - MAY_IMPORT.keys() - sys.stdlib_module_names
        assert others <= LIBRARIES[folder], file


def test_tools_and_tests_do_not_import_each_other() -> None:
    """Tests import tools, and these what tests share, which imports no tool."""
    of_tools = {
        f"{file.relative_to(ROOT).with_suffix('')}"
        for file in (ROOT / "tests").rglob("*.py")
        if "tools" in imported(file)
    }
    used = set()
    for file in (ROOT / "tools").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                used |= {f"{node.module}.{name.name}".replace(".", "/") for name in node.names}
                used.add(node.module.replace(".", "/"))
    assert {"tests/peers", "tests/conftest"} <= used
    assert used & of_tools == set()


@pytest.fixture(scope="module")
def graph() -> imports.Graph:
    return imports.graph(imports.sources())


def test_no_modules_import_each_other(graph: imports.Graph) -> None:
    """Imports for types only, and within functions, are imports, too."""
    assert circles(graph) == []


def test_what_weaves_is_compiled() -> None:
    """All but packages that import modules of their own, which mypyc's do not find reliably."""
    files = imports.sources()
    compiled = {str(path) for path in hotpath.sources()}
    reached = imports.reached(imports.graph(files, only_at_import=True), hotpath.ROOTS)
    left = {
        name
        for name in reached
        if name.partition(".")[0] in hotpath.ROOMS and str(files[name].relative_to(tree.TREE)) not in compiled
    }
    assert left == {"weaving.agent_calls", "measures", "measures.watch", "coverage.filters"}


def circles(graph: imports.Graph) -> list[list[str]]:
    """Modules that import each other, directly or not: the strongly connected components of more than one module (R. E.
    Tarjan, 1972)."""
    found: list[list[str]] = []
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}) == [["b", "c"]]


def room_of(module: str) -> str:
    """The room of instrument/ that a module lies in; of an extension's, the extension."""
    room, *inner = module.split(".")
    if room == "measures" and inner:
        last = inner[-1]
        return "readers" if last.startswith("reader") else "shown" if last.startswith("table") else room
    within = f"{room}.{inner[0]}" if inner else room
    return within if within in ROOMS or room == "extensions" else room


def may_import(room: str) -> set[str]:
    """The rooms that modules of a room may import. An extension: the core, itself, and the extensions it needs."""
    if room not in EXTENSIONS:
        return {"base"} | MAY_IMPORT.keys() | {**ROOMS, **ENTRANCES}[room] | {room}
    needs = {f"extensions.{name}" for name in EXTENSIONS[room].needs}
    return {*ROOMS, *MAY_IMPORT, "extensions", room, *needs}


def test_rooms_import_in_one_direction(graph: imports.Graph) -> None:
    wrong = []
    for module, others in graph.items():
        room = room_of(module)
        if room in MAY_IMPORT:
            assert not {room_of(other) for other in others} & {*ROOMS, *ENTRANCES, *EXTENSIONS}, module
            continue
        assert room in {*ROOMS, *ENTRANCES, *EXTENSIONS}, f"{module}: what may it import? Its room is missing in ROOMS"
        allowed = may_import(room)
        for other in others:
            if not {room_of(other), other} & allowed and (module, other) not in FOR_TYPES:
                wrong.append(f"{module} imports {other}")
    assert wrong == []


def test_the_rules_for_rooms_have_one_direction() -> None:
    above = [*ROOMS]
    for at, (room, others) in enumerate(ROOMS.items()):
        assert {room_of(other) for other in others} <= {*above[:at], *ENTRANCES}, room


def test_the_house_has_few_rooms() -> None:
    inside = [path for path in (ROOT / "instrument").iterdir() if path.name != "__pycache__"]
    assert sorted(path.name for path in inside if path.is_file()) == ["__init__.py", "cli.py", "py.typed"]
    assert len([path for path in inside if path.is_dir()]) <= 16


def in_fresh_interpreter(script: str) -> str:
    """The output of a script in an interpreter configured like the one in the JVM."""
    paths = [str(tree.TREE), sysconfig.get_paths()["purelib"]]
    line = [sys.executable, "-S", "-I", "-c", f"import sys; sys.path += {paths!r}\n{script}"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def compiled_rules() -> bytes:
    from classhook.rules.compiled import dumps
    from classhook.rules.parse import load

    annotated = "count @java.lang.Deprecated **::@javax.ws.rs.GET *"
    return dumps(
        load([], ["time java.lang.Object::*", annotated, "alloc byte[] in java.**", "count a.B+::c(int, ..)"])
    ).encode()


def test_modules_of_a_measure_are_found_beside_its_package() -> None:
    """Whoever imports them first: mypyc gives a compiled package the path of its library."""
    out = in_fresh_interpreter("""
from classhook.measures import context
context.__path__ = ["/nowhere"]
from classhook.measures.context.reader import CONTEXTS
print(CONTEXTS.name)
""")
    assert out.strip() == "contexts"


def test_the_hook_imports_little(compiled_rules: bytes) -> None:
    """Weaves a class and a damaged one with all kinds of rules."""
    out = in_fresh_interpreter(f"""
before = set(sys.modules)
from classhook.weaving import agent_calls
assert agent_calls.load({compiled_rules!r}, 10.0) == 1
data = {OBJECT!r}
result = agent_calls.transform(b"java/lang/Object", data, True)
assert result.status == agent_calls.WOVEN, result.meta
assert result.data.count(b"ClasshookTracker") == 1
assert agent_calls.transform(b"java/lang/Object", data[:-9], True).status == agent_calls.SKIPPED
assert agent_calls.transform(b"java/lang/Objekt", data.replace(b"Object", b"Objekt"), False).status == agent_calls.LEFT
print(*sorted(set(sys.modules) - before))
""")
    modules = out.split()
    assert "classhook.weaving.weave" in modules
    assert not {name for name in modules if name.partition(".")[0] in NEVER_IN_THE_JVM}
    own = [
        name for name in modules if name.startswith("classhook.")
    ]  # when compiled, the importer needs some of Python's, too
    assert len(own) < 75, own
    measures = {name.split(".")[2] for name in own if name.startswith("classhook.measures.")}
    assert measures == {
        "time",
        "profile",
        "stack_samples",
        "count",
        "alloc",
        "context",
        "keys",
        "within",
        "chosen_calls",
    }, "a measure that no rule asks for delays every start"


def test_measures_are_in_order_whenever_they_are_imported() -> None:
    out = in_fresh_interpreter("""
from classhook.measures import MEASURES, register
from classhook.rules.words import WORDS, in_order
register(["count"])
register(["watch line", "time"])
print([word.text for word in in_order(WORDS.values())], sorted(MEASURES))
""")
    assert out == "['time', 'count', 'watch line'] ['count', 'time', 'watch line']\n"


def test_the_command_line_starts_without_what_it_may_not_need() -> None:
    out = in_fresh_interpreter("from classhook import cli\ncli.parser_for('self', 'agent')\nprint(*sys.modules)")
    assert not {"rich", "lark", "jawa", "cffi"} & set(out.split())


def test_attaching_imports_nothing_that_reports_need() -> None:
    """A program is measured sooner then."""
    out = in_fresh_interpreter(
        "from classhook import cli\nfor name in ('attach', 'detach'): cli.parser_for(name)\nprint(*sys.modules)"
    )
    assert not {
        "rich",
        "lark",
        "jawa",
        "cffi",
        "classhook.commands.report",
        "classhook.measures.tables",
        "classhook.api.reading",
    } & set(out.split())


def test_rules_that_were_parsed_before_are_read_without_what_parses_them(tmp_path: Path) -> None:
    script = f"""if True:
        import argparse, sys
        from classhook.commands.common import doubts, load_rules
        args = argparse.Namespace(rules=[], rule=["time a.B::c"], define=[])
        print(*doubts(load_rules(args, cache={str(tmp_path)!r})), *sys.modules)
        """
    first, second = (set(in_fresh_interpreter(script).split()) for _ in range(2))
    parsing = {"lark", "unicodedata", *(f"classhook.rules.{name}" for name in ("parse", "explain", "definitions"))}
    assert parsing <= first
    assert not (parsing | {"classhook.rules.condition_parser"}) & second


def test_only_the_language_server_imports_what_it_is_made_with(graph: imports.Graph) -> None:
    wide = [path for path in (ROOT / "instrument").rglob("*.py") if {"pygls", "lsprotocol"} & imported(path)]
    if "servers" in PRESENT:
        assert sorted(path.name for path in wide) == ["rule_server.py", "server.py"]
    editor = "extensions.servers.editor"
    importing = [module for module, others in graph.items() if {f"{editor}.server", f"{editor}.rule_server"} & others]
    assert importing == ["extensions.servers.commands.lsp", f"{editor}.server"] * ("servers" in PRESENT)


def test_only_the_server_for_assistants_imports_its_sdk(graph: imports.Graph) -> None:
    wide = [path.name for path in (ROOT / "instrument").rglob("*.py") if {"mcp", "pydantic"} & imported(path)]
    assert wide == ["server.py"] * ("servers" in PRESENT)
    importing = [module for module, others in graph.items() if "extensions.servers.assistant.server" in others]
    assert importing == ["extensions.servers.commands.mcp"] * ("servers" in PRESENT)


def test_compiled_modules_import_nothing_over_what_they_define() -> None:
    """mypyc takes a name that a function imports for the module's own: importing it would replace what the module has
    under that name."""
    found = []
    for path in (tree.TREE / file for file in hotpath.sources()):
        module = ast.parse(path.read_text())
        own = {one.name for one in module.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
        own |= {
            to.id
            for one in module.body
            if isinstance(one, ast.Assign)
            for to in one.targets
            if isinstance(to, ast.Name)
        }
        own |= {
            one.target.id for one in module.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        for function in (one for one in ast.walk(module) if isinstance(one, ast.FunctionDef)):
            names = [name for one in ast.walk(function) if isinstance(one, ast.ImportFrom) for name in one.names]
            found += [(path.name, function.name, name.name) for name in names if (name.asname or name.name) in own]
    assert found == []


def _object_class() -> bytes:
    """The smallest class that can be woven: java.lang.Object with a constructor and a method."""
    utf8 = [b"java/lang/Object", b"<init>", b"()V", b"Code", b"hashCode", b"()I"]
    pool = b"".join(b"\1" + len(text).to_bytes(2, "big") + text for text in utf8) + b"\7\0\1"

    def method(name: int, descriptor: int, code: bytes) -> bytes:
        attribute = b"\0\1\0\1" + len(code).to_bytes(4, "big") + code + b"\0\0\0\0"
        return b"\0\1" + bytes((0, name, 0, descriptor)) + b"\0\1\0\4" + len(attribute).to_bytes(4, "big") + attribute

    methods = method(2, 3, b"\xb1") + method(5, 6, b"\x03\xac")
    return b"\xca\xfe\xba\xbe\0\0\0\x34\0\x08" + pool + b"\0\x21\0\7\0\0\0\0\0\0\0\2" + methods + b"\0\0"


OBJECT = _object_class()
