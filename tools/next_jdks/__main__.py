"""``python -m tools.next_jdks FOLDER``: the tests with JDK 26, 27 and 28 as the JVMs, and Python 3.14 and 3.15:
`make next-jdks`.

1. FOLDER/root becomes a root folder with Debian's suite sid, where these are (tools/next_jdks/root.py); 2
   minutes, once.
2. The committed state of this checkout is installed there: with Python 3.14 as it is, with 3.15 without compiling the
   weaver.
3. The tests run there, each JDK in the places of 17, 21 and 25 (CLASSHOOK_TEST_RELEASE). What they print is kept in
   FOLDER.

Without options, all tests run with JDK 28 and Python 3.14, and some with the others. With options, all tests, or those
of the parts that are named, run with each chosen JDK and Python. The exit status is 1 if a test fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools.corpus.__main__ import PAGE
from tools.next_jdks import page
from tools.next_jdks.root import JDKS, PYTHONS, Root
from tools.next_jdks.runs import CORPUS, FOLDERS, Outcome, Run, chosen, outcomes
from tools.roots import CHECKOUT, missing
from tools.sections import with_section
from tools.wheels.shell import Failed, call

#: The environment in which classhook is installed for each Python.
COMPILED: dict[str, dict[str, str]] = {PYTHONS[0]: {}, PYTHONS[1]: {"CLASSHOOK_PURE": "1"}}


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def prepared(folder: Path, again: bool) -> Root:
    """The root folder, made if need be. Raises Failed."""
    root = Root(folder / "root")
    if again or not root.is_made():
        say(f"Debian's JDKs and Pythons go to {root.folder}; 2 minutes")
        root.make()
    if call("git", "-C", CHECKOUT, "status", "--porcelain"):
        say("what is not committed is not tested")
    return root


def run_all(runs: list[Run], root: Root, logs: Path, resume: bool) -> dict[Run, dict[str, Outcome]]:
    """Raises Failed if it cannot be installed."""
    state = call("git", "-C", CHECKOUT, "rev-parse", "HEAD").strip()
    if not resume:
        for log in logs.glob("*.log"):
            log.unlink()
    clones: dict[str, Path] = {}
    for python in dict.fromkeys(run.python for run in runs):
        say(f"Python {python}: installing; some minutes")
        clones[python] = root.install(python, COMPILED[python])
    results: dict[Run, dict[str, Outcome]] = {}
    for run in runs:
        results[run] = {}
        for part, outcome in outcomes(run, root, clones[run.python], logs, state):
            results[run][part] = outcome
            say(f"{run}, {part}: {outcome}")
            for name in outcome.failed:
                say(f"  failed: {name}")
    return results


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tools.next_jdks", description=__doc__, formatter_class=form)
    parser.add_argument("folder", type=Path, help="where the root folder and the tests' output go")
    parser.add_argument(
        "parts",
        nargs="*",
        help=f"only these, usually with JDK {JDKS[-1]}: {', '.join((*FOLDERS, CORPUS))}, or paths in tests/",
    )
    parser.add_argument(
        "--jdk", type=int, action="append", choices=JDKS, default=[], help="only this one; may be repeated"
    )
    parser.add_argument("--python", action="append", choices=PYTHONS, default=[], help="only this one; may be repeated")
    parser.add_argument("--all", action="store_true", help="everything with each JDK and Python; hours")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep what has run to its end at this commit, also if it was run by itself",
    )
    parser.add_argument(
        "--again", action="store_true", help="make the root folder anew, with Debian's packages of today"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=PAGE,
        help=f"the page; {PAGE.name} is written only without choices, or with --all",
    )
    args = parser.parse_intermixed_args()
    if first := missing():
        sys.exit(f"next-jdks: {first}")
    args.folder.mkdir(parents=True, exist_ok=True)
    runs = chosen(args.jdk, args.python, args.parts, args.all)
    try:
        root = prepared(args.folder.resolve(), args.again)
        results = run_all(runs, root, args.folder, args.resume)
        if not (args.jdk or args.python or args.parts):
            versions = {jdk: root.version(jdk) for jdk in JDKS}
            pythons = {python: root.call(f"python{python}", "-V").split()[1] for python in PYTHONS}
            args.output.write_text(
                with_section(args.output.read_text(), page.SECTION, page.section(results, versions, pythons))
            )
    except Failed as error:
        sys.exit(f"next-jdks: {error}")
    return any(outcome.failed for parts in results.values() for outcome in parts.values())


if __name__ == "__main__":
    sys.exit(main())
