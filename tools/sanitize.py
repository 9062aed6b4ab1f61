"""``python -m tools.sanitize [address|thread] [TEST...]``: the native code under GCC's sanitizers.

1. A copy of the package, with libraries built for it, is made in build/sanitized; everything imports that one.
2. `address` (with undefined behaviour): the parts that need no JVM, and JVMs with each kind of measure. `thread`: the
   parts only. HotSpot's own synchronisation is invisible to that sanitizer, so each access that a lock of the JVM
   orders would look like a race.
3. What the sanitizers find goes to files and is shown at the end. Exit status: 0, nothing found; 1, a test failed, or
   something was found.

HotSpot uses SIGSEGV for null checks and safepoints, so the sanitizer leaves signals to it. Its own memory, and
Python's, is not looked at for leaks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from classhook.native.building import tree

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "build" / "sanitized"
FOUND = MADE / "found"

PARTS = ["tests/unit/native/test_parts.py", "tests/unit/native/test_table.py"]
#: For each measure a run or two; a JVM takes a few times as long as without a sanitizer.
JVMS = [
    "tests/jvm/test_known_numbers.py::test_counts[known-jdk17-default-count]",
    "tests/jvm/test_known_numbers.py::test_counts[known-jdk17-default-profile]",
    "tests/jvm/test_known_numbers.py::test_counts[known21-jdk25-default-both]",
    "tests/jvm/test_time_tree.py::test_virtual_threads_that_change_their_carriers",
    "tests/jvm/test_cache.py::test_a_warm_run_is_like_a_cold_one_without_python",
    "tests/jvm/test_locks.py::test_no_event_of_many_threads_is_lost",
    "tests/jvm/test_locks.py::test_deadlocks_are_named_by_ctl_and_at_the_end",
    "tests/jvm/test_locks.py::test_attached_detached_and_reset",
    "tests/jvm/test_objects.py::test_what_dies_later_is_taken_back",
    "tests/jvm/test_objects.py::test_a_jvm_is_attached_to_and_left",
    "tests/jvm/test_watch.py::test_values_of_all_kinds",
    "tests/jvm/test_watch.py::test_eight_threads",
    "tests/coverage/test_cover_agent.py",
    "tests/live/test_attach.py::test_each_measure_twice",
    "tests/live/test_sessions.py::test_each_session_has_a_file_of_its_own",
    "tests/events/test_events.py",
    "tests/events/test_transforms.py",
    "tests/events/test_objects.py",
    "tests/extensions/jvmpi/test_monitors.py",
    "tests/extensions/jvmpi/test_objects.py",
]
COMMON = "log_path={found}:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:allow_user_segv_handler=1"
OPTIONS = {
    "address": {
        "ASAN_OPTIONS": (
            COMMON
            + ":detect_leaks=0:halt_on_error=0:detect_stack_use_after_return=0:verify_asan_link_order=0:alloc_dealloc_mismatch=0"
        ),
        "UBSAN_OPTIONS": "log_path={found}:print_stacktrace=1:halt_on_error=0",
    },
    "thread": {
        "TSAN_OPTIONS": COMMON + ":halt_on_error=0:ignore_noninstrumented_modules=1:report_signal_unsafe=0:exitcode=0"
    },
}
LIBRARIES = {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}

BUILD = "import pathlib, sys; from classhook.native.building import build; build.build(pathlib.Path(sys.argv[1]))"


def library(name: str) -> str:
    """The sanitizer's library, which must be loaded before all others."""
    done = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return str(Path(done.stdout.strip()).resolve())


def make(which: str) -> dict[str, str]:
    """Builds the copy; returns the environment in which it is imported."""
    shutil.rmtree(MADE, ignore_errors=True)
    FOUND.mkdir(parents=True)
    shutil.copytree(
        tree.make() / tree.PACKAGE, MADE / tree.PACKAGE, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    environment = os.environ | {"CLASSHOOK_SANITIZE": which, "CLASSHOOK_PURE": "1"}
    subprocess.run([sys.executable, "-c", BUILD, MADE / tree.PACKAGE / "native"], env=environment, check=True)
    options = {name: text.format(found=FOUND / which) for name, text in OPTIONS[which].items()}
    environment["PYTHONPATH"] = str(MADE)
    return environment | options | {"LD_PRELOAD": " ".join(map(library, LIBRARIES[which]))}


def is_finding(text: str) -> bool:
    """Not only the notice that the agent runs Python on a stack of its own."""
    return any(word in text for word in ("ERROR: ", "runtime error: ", "WARNING: ThreadSanitizer"))


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m tools.sanitize",
        usage="%(prog)s [-h] [address|thread] [TEST ...]",
        description=__doc__,
        formatter_class=form,
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="TEST", help="instead of those of the sanitizer")
    arguments = parser.parse_args().words
    which = arguments.pop(0) if arguments and arguments[0] in OPTIONS else "address"
    environment = make(which)
    tests = arguments or (PARTS + JVMS if which == "address" else PARTS)
    line = [sys.executable, "-m", "pytest", "-q", f"--basetemp={MADE / 'tmp'}", *tests]
    done = subprocess.run(line, env=environment, cwd=ROOT)
    found = [text for path in sorted(FOUND.iterdir()) if is_finding(text := path.read_text(errors="replace"))]
    for text in found:
        print(text)
    print(f"the sanitizers found something in {len(found)} processes" if found else "the sanitizers found nothing")
    return 1 if done.returncode or found else 0


if __name__ == "__main__":
    sys.exit(main())
