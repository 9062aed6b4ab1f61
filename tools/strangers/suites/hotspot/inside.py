"""The tests of JDKs that this machine lacks: the suite once more, in the root folder of `make next-jdks`, which has them.

1. The committed state of this checkout is installed there, and Debian's newest jtreg.
2. The sources that were fetched here are linked into it, so that they are not fetched twice.
3. The command runs there for these JDKs only, and what it keeps is read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tools.compare.fetching import Failed
from tools.next_jdks.root import PYTHONS, Root
from tools.roots import missing
from tools.strangers.outcome import Outcome, read
from tools.strangers.suite import Place
from tools.strangers.suites.hotspot.parts import INSIDE, JTREG, PACKAGES, chosen
from tools.wheels import shell

KEPT = "tools/strangers/results/hotspot.json"
DIFFERS = 1  # the command's status if a test differs and nobody has explained it


def run(place: Place) -> Outcome:
    """The rows of the JDKs `INSIDE`. Raises Failed."""
    if absent := missing():
        raise Failed(absent)
    assert place.root
    root = Root(place.root / "root")
    try:
        if not root.is_made():
            root.make()
        root.call("apt-get", "install", "-y", "--no-install-recommends", JTREG)
        clone = root.install(PYTHONS[0], {})
    except shell.Failed as failed:
        raise Failed(str(failed)) from None
    at = root.folder / clone.relative_to("/")
    for release in {part.source for part, _ in chosen(place, INSIDE)}:
        with suppress(Failed):  # the run inside says which are missing
            _link(place.fetcher.debian(PACKAGES[release], "test/").parent, at / "build/strangers/fetched/debian")
    jdks = [word for jdk in INSIDE for word in ("--jvm", str(jdk))]
    words: list[str | Path] = [
        clone / ".venv/bin/python",
        "-m",
        "tools.strangers",
        "hotspot",
        *jdks,
        *(["--more"] if place.more else []),
    ]
    (kept := at / KEPT).unlink(missing_ok=True)
    done = subprocess.run(root.line(*words, cwd=clone), capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, DIFFERS) or not kept.exists():
        raise Failed(f"in {root.folder}: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return read(kept.read_text())


def _link(source: Path, folder: Path) -> None:
    """Hard links to a source's files, in a folder of the same file system."""
    if not (to := folder / source.name).exists():
        shutil.copytree(source, to, copy_function=os.link)
