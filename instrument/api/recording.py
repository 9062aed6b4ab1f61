"""Everything that must be ready before a JVM is instrumented: the data directory, the compiled rules in it, the cache
of woven classes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base.errors import UsageError
from classhook.base.files import listed, new_in, opened_folder, stranger, whole, write_file

if TYPE_CHECKING:
    from classhook.live.jvms import Jvm
    from classhook.rules.ruleset import RuleSet

DEFAULT_DATA = "classhook-data"
IN_A_CONTAINER = "/tmp/classhook-data"


@dataclass(frozen=True, slots=True)
class Recording:
    """A data directory and the compiled rules in it. `before`: the data files of earlier runs."""

    data: Path
    rules: Path
    before: frozenset[Path] = frozenset()

    def new_files(self) -> set[Path]:
        """The data files that were created since."""
        return set(self.data.glob("*.classhook")) - self.before


def prepare(data: Path, rules: RuleSet, erase: bool = False) -> Recording:
    """Makes a data directory ready. `erase`: remove the data of earlier runs. Raises UsageError."""
    prepared_directory(data, erase)
    return Recording(data, write_rules(data, rules), frozenset(data.glob("*.classhook")))


def prepare_for(jvm: Jvm, rules: RuleSet, data: str | Path | None) -> Recording:
    """Makes a data directory ready for a running JVM; the paths of the recording are those that the JVM sees. Raises
    UsageError, Failure."""
    from classhook.live import attachment, protocol

    attachment.check_is_free(jvm)
    inside = Path(data or (IN_A_CONTAINER if jvm.is_apart else DEFAULT_DATA))
    inside = inside if jvm.is_apart else inside.absolute()
    with protocol.as_its_user(jvm):
        compiled = write_rules(prepared_directory(jvm.outside(inside)), rules)
    return Recording(inside, inside / compiled.name)


def prepared_directory(data: Path, erase: bool = False) -> Path:
    """Creates the data directory if needed. It must be writable, and not belong to another user, who could replace our
    files. Raises UsageError."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        with opened_folder(data) as folder:
            with new_in(folder) as (_, probe):
                probe.write(b"x")
                made = os.fstat(probe.fileno())  # some file systems give all new files to one user
            if owner := stranger(os.fstat(folder).st_uid, made.st_uid):
                raise UsageError(
                    f"cannot use the data directory {data}: it belongs to {owner}; name another with -o DIR"
                )
            if listed(folder, ".classhook.live"):
                from classhook.store.tmpfs import sweep

                sweep(folder)
            if erase:
                from classhook.store.erase import erase as erase_in

                erase_in(folder)
    except OSError as error:
        reason = "it is not a directory" if isinstance(error, FileExistsError) else error.strerror
        raise UsageError(f"cannot use the data directory {data}: {reason}; name another with -o DIR") from None
    return data


def write_rules(data: Path, rules: RuleSet) -> Path:
    """Writes compiled rules to a file in the data directory, which is named by its contents. Raises UsageError."""
    from classhook.rules.compiled import digest, dumps

    path = data / f"{digest(rules)[:16]}.rules"
    write_file(path, dumps(rules).encode(), whole)
    return path


def may_use_cache(jvm: Jvm) -> bool:
    """True if a running JVM can use this user's cache of woven classes."""
    return not jvm.is_apart and jvm.uid == os.geteuid()
