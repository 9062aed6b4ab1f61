"""The section of docs/explained/verification.md about JDKs that are newer than those of `make test-all`."""

from __future__ import annotations

from datetime import date

from tools.next_jdks.runs import CORPUS, Outcome, Run

SECTION = "next-jdks"
TEXT = """## JDK 26 to 28

`make next-jdks` wrote this section on {date}. The tests ran in a root folder with Debian's suite sid, where the JDK takes the places of 17, 21 and
25: what `make test-all` runs on each of these runs once, on it. {jdks}. *Failed* are tests that failed and tests that could not begin.

| JDK | Python | tests | passed | skipped | failed |
|---|---|---|---:|---:|---:|
{rows}

{corpus}
"""


def section(results: dict[Run, dict[str, Outcome]], versions: dict[int, str], pythons: dict[str, str]) -> str:
    """`versions`: of the JDKs; `pythons`: with the patch release."""
    of_corpus = [one[CORPUS] for one in results.values() if CORPUS in one]
    text = TEXT.format(
        date=date.today().isoformat(),
        jdks="; ".join(f"JDK {jdk}: {version}" for jdk, version in sorted(versions.items(), reverse=True)),
        rows="\n".join(row(run, parts, pythons[run.python]) for run, parts in results.items()),
        corpus="\n".join(
            f"All classes of java.base, woven by each measure and by all at once, as above: {one.said}."
            for one in of_corpus
        ),
    )
    return text + failures(results)


def row(run: Run, parts: dict[str, Outcome], python: str) -> str:
    whole = total(parts)
    names = ", ".join(part for part in run.parts if part != CORPUS)
    return (
        f"| {run.jdk} | {python} | {names} | {whole.passed:,} | {sum(whole.skipped.values())} | {len(whole.failed)} |"
    )


def total(parts: dict[str, Outcome]) -> Outcome:
    """Adds up the outcomes of all parts but the corpus."""
    whole = Outcome()
    for part, one in parts.items():
        if part != CORPUS:
            whole.add(one)
    return whole


def failures(results: dict[Run, dict[str, Outcome]]) -> str:
    lines = [f"- {run}: `{name}`" for run, parts in results.items() for one in parts.values() for name in one.failed]
    return "\nFailed were:\n\n" + "\n".join(lines) + "\n" if lines else ""
