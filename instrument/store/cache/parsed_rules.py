"""Rules that were parsed before, kept compiled in the cache directory: until its parser is there, lark takes a tenth of
a second.

1. A file is named by a digest of the rules' texts and files, and of the modules that parse: their sizes and times of
   change.
2. If a file is damaged, or cannot be read or written, rules are parsed as if there were no cache. Mistakes are not
   kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG

from classhook.base.files import listed, unlink, whole
from classhook.rules import stock_rules
from classhook.rules.errors import RuleError
from classhook.rules.ruleset import RuleSet

SUFFIX = ".rules"
MOST = 100  # files in the cache
MOST_BYTES = 1 << 20  # of a file of rules
PACKAGE = Path(__file__).parents[2]
PARSING = ("rules", "measures")


def load(cache: Path, files: Sequence[str], texts: Sequence[str], given: Mapping[str, str] | None = None) -> RuleSet:
    """The rules of files, and then of texts, in order. `given`: values of their parameters. Raises RuleError with all
    mistakes."""
    from classhook.measures import rules_of
    from classhook.rules.compiled import dumps

    known = _place(cache, files, texts, given or {})
    if known:
        with suppress(OSError, UnicodeDecodeError, RuleError):
            return rules_of(known.read_text())  # imports the measures of these rules, and no others
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules.parse import load as parse

    rules = parse(files, texts, given)
    if known:
        with suppress(OSError, UnicodeEncodeError):
            cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole(known, 0o600) as file:
                file.write(dumps(rules).encode())
    return rules


def prune(folder: int, most: int = MOST) -> None:
    """Removes all but the newest ones of a cache directory, which is open."""
    for name in sorted(listed(folder, SUFFIX), key=lambda name: _changed(folder, name), reverse=True)[most:]:
        unlink(folder, name)


def _changed(folder: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0  # another process has just removed it


def _place(cache: Path, files: Sequence[str], texts: Sequence[str], given: Mapping[str, str]) -> Path | None:
    """The path for these rules; None if a file cannot be read twice."""
    digest = sha256()
    try:
        for part in _parts(files, texts, given):
            digest.update(b"%d\n" % len(part) + part)
    except (OSError, ValueError):
        return None
    return cache / f"{digest.hexdigest()[:32]}{SUFFIX}"


def _parts(files: Sequence[str], texts: Sequence[str], given: Mapping[str, str]) -> Iterator[bytes]:
    """The data that the rules depend on. Raises OSError, ValueError."""
    for folder in PARSING:
        for entry in sorted(os.scandir(PACKAGE / folder), key=lambda entry: entry.name):
            status = entry.stat()
            if entry.name.endswith((".py", ".lark", ".so")):
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}".encode(errors="surrogateescape")
    for file in files:
        yield b"-r " + os.fsencode(file)
        yield from _read(stock_rules.real(stock_rules.find(file)), set())
    for text in texts:
        yield b"-e " + text.encode(errors="surrogateescape")
    for name, value in given.items():
        yield f"-D {name}={value}".encode()


def _read(path: Path, known: set[Path]) -> Iterator[bytes]:
    """The content of a file, and of those that it uses. Raises OSError, ValueError."""
    known.add(path)
    status = os.stat(path)
    if not S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        raise ValueError(path)
    data = path.read_bytes()
    yield os.fsencode(path)
    yield data
    if b"use" not in data:
        return  # most often, and without splitting the text
    from classhook.rules.definitions import used_files

    for file in used_files(data.decode(), path):
        if file not in known:
            yield from _read(file, known)
