"""A coverage-guided fuzzer of reader and weaver, with atheris (pip install atheris).

1. The modules are copied without their compiled forms, which cannot be traced, and instrumented when imported.
2. It starts from generated classes, from those that tests/rare assembles and, if given, from jars.
3. Inputs are mutated by atheris and, equally often, by mutate.py, which knows class files.
An input that breaks a promise (tools/fuzz/check.py), or takes more than a second or 512 MB, ends the run and is
saved in the current directory.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from random import Random

from classhook.native.building import tree

ROOT = Path(__file__).resolve().parents[2]
SLOWEST = 1.0  # seconds of processor time; the pure modules are some four times as slow as the compiled ones


def pure_copy(folder: Path) -> None:
    """Copies the package without its compiled modules, the tests and the tools."""
    for package in (tree.TREE / tree.PACKAGE, ROOT / "tests", ROOT / "tools"):
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.c"))


def fill_corpus(folder: Path, jars: list[Path]) -> None:
    from tests.rare.assembler import assemble
    from tools.fuzz.differential import generated

    for data in generated(0, 60):
        (folder / f"generated-{len(list(folder.iterdir()))}").write_bytes(data)
    for path in sorted((ROOT / "tests" / "rare" / "asm").glob("*.asm")):
        for one in assemble(path.read_text()):
            (folder / one.name).write_bytes(one.data)
    for jar in jars:
        with zipfile.ZipFile(jar) as file:
            names = [
                name for name in file.namelist() if name.endswith(".class") and file.getinfo(name).file_size < 8000
            ]
            for name in Random(1).sample(names, min(200, len(names))):
                (folder / name.replace("/", ".")).write_bytes(file.read(name))


def run(seconds: int, seed: int, jars: list[Path]) -> int:
    """`jars`: jars whose classes to start from."""
    try:
        import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        print("atheris is missing: pip install atheris", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        code, corpus = Path(scratch, "code"), Path(scratch, "corpus")
        corpus.mkdir()
        pure_copy(code)
        sys.path.insert(0, str(code))
        for name in [name for name in sys.modules if name.partition(".")[0] in (tree.PACKAGE, "tests", "tools")]:
            del sys.modules[name]
        with atheris.instrument_imports(include=[tree.PACKAGE]):
            from tools.fuzz.check import RULE_SETS, check
        from time import process_time

        from tools.fuzz.mutate import mutate

        fill_corpus(corpus, jars)
        woven = runs = 0

        def test(data: bytes) -> None:
            nonlocal woven, runs
            start = process_time()
            runs += 1
            which = data[-1] if data else 0  # the last byte selects the rules; in most classes it does not matter
            woven += check(data, RULE_SETS[which % len(RULE_SETS)], bool(which & 0x80)) or check(data, RULE_SETS[2])
            assert process_time() - start < SLOWEST * 4, "slow"

        def mutator(data: bytes, max_size: int, seed: int) -> bytes:
            rnd = Random(seed)
            if rnd.randrange(2):
                return bytes(atheris.Mutate(data, len(data) + 100))[:max_size]
            return mutate(rnd, data)[:max_size]

        options = [
            sys.argv[0],
            f"-max_total_time={seconds}",
            f"-seed={seed + 1}",
            "-max_len=30000",
            "-rss_limit_mb=700",
            "-timeout=5",
            "-print_final_stats=1",
            str(corpus),
        ]
        atheris.Setup(options, test, custom_mutator=mutator)
        try:
            atheris.Fuzz()
        finally:
            print(f"{runs} runs, {woven} woven", file=sys.stderr)
    return 0
