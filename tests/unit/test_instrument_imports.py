"""Which modules import which: the order of the folders, and what is imported when a JVM starts."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Folder -> the project's folders that it may import.
MAY_IMPORT = {
    "rules": set[str](),
    "classfile": set[str](),
    "native": set[str](),
    "instrument": {"rules", "classfile", "native"},
}
#: Folder -> what it may import besides the standard library; mypy_extensions only for types, which are not used at run time.
LIBRARIES = {
    "rules": {"lark"},
    "classfile": {"mutf8", "mypy_extensions"},
    "native": {"cffi", "jawa", "setuptools", "mypyc", "_cffi_backend"},
    "instrument": {"numpy", "rich", "pyarrow", "pandas", "mutf8", "mypy_extensions", "_sha2", "_sha256",  # the latter by the version of Python
                   "classhook_events", "classhook_jvmpi"},  # native/events/python/module.c, native/jvmpi/module.c
}
NEVER_IN_THE_JVM = [
    "lark", "jawa", "re", "json", "rich", "dataclasses", "typing", "cffi", "argparse", "inspect", "enum", "pathlib", "ctypes",
    "mypy_extensions",
]  # fmt: skip


def imported(file: Path) -> set[str]:
    """The top-level packages that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found.add((node.module or "").partition(".")[0])
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


def in_fresh_interpreter(script: str) -> str:
    """The output of a script in an interpreter configured like the one in the JVM."""
    paths = [str(ROOT), sysconfig.get_paths()["purelib"]]
    line = [sys.executable, "-S", "-I", "-c", f"import sys; sys.path += {paths!r}\n{script}"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def compiled_rules() -> bytes:
    from rules.compiled import dumps
    from rules.parse import load

    annotated = "count @java.lang.Deprecated **::@javax.ws.rs.GET *"
    return dumps(load([], ["time java.lang.Object::*", annotated, "alloc byte[] in java.**", "count a.B+::c(int, ..)"])).encode()


def test_the_hook_imports_little(compiled_rules: bytes) -> None:
    """Weaves a class and a damaged one with all kinds of rules."""
    out = in_fresh_interpreter(f"""
before = set(sys.modules)
from instrument.jvm import agent_calls
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
    assert "instrument.weaving.weave" in modules
    assert not {name for name in modules if name.partition(".")[0] in NEVER_IN_THE_JVM}
    assert len(modules) < 74, modules


def test_the_command_line_starts_without_what_it_may_not_need() -> None:
    out = in_fresh_interpreter("from instrument import cli\ncli.parser_for('agent')\nprint(*sys.modules)")
    assert not {"rich", "lark", "jawa", "cffi"} & set(out.split())


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
