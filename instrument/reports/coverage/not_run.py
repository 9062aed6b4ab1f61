"""Changed source files that are not what ran: their lines have no code in the classes of the data, or other code, so
nothing is known of them.

1. A file that was written after the latest JVM began is compared with the commits that the runs are labelled with,
   since a fresh checkout of these is newer, too. Without such a label, nobody knows.
2. So does a file that is shorter than its classes' lines say.
3. Files of tests count only where their classes are in the report.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

from classhook.base.names import several_are
from classhook.reports.coverage import Whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.reports.coverage.changes import Changes

SOURCE = re.compile(r".*\.(?:java|kt|scala|groovy|clj)")
OF_TESTS = re.compile(r"(?:.*/)?[^/]*test[^/]*/.*", re.IGNORECASE)
NS_OF_MS = 1_000_000


def not_run(whole: Whole, changes: Changes) -> list[str]:
    """Their paths from the top of the repository."""
    began_ns = max((session.start for session in whole.sessions), default=0) * NS_OF_MS
    commits = {commit for process in whole.snapshot.processes if (commit := process.labels.get("commit"))}
    longest = {one.path: max([*one.missed, *one.covered], default=0) for one in whole.changed}
    found = []
    for path in sorted(changes.lines):
        known = path in longest
        if not SOURCE.fullmatch(path) or (OF_TESTS.fullmatch(path) and not known) or not (changes.top / path).is_file():
            continue
        shorter = longest.get(path, 0) > len(changes.text(path))
        newer = commits and (changes.top / path).stat().st_mtime_ns > began_ns
        if shorter or (newer and not any(_is_as_in(changes, path, commit) for commit in sorted(commits))):
            found.append(path)
    return found


def _is_as_in(changes: Changes, path: str, commit: str) -> bool:
    line = ["git", "-C", str(changes.top), "diff", "--quiet", "--no-ext-diff", commit, "--", path]
    return subprocess.run(line, capture_output=True, timeout=120).returncode == 0


def complaints(paths: list[str]) -> Iterator[str]:
    if paths:
        yield (
            f"{several_are(paths, 'source file')} not the version that ran: the coverage of the changed lines is"
            " unknown; compile, and run the tests again"
        )
