"""Makes docs/explained/performance.md from the last results of each part: the prose is in performance.md here, the
tables come from the parts."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from tools.bench import (
    aot,
    attaching,
    coverage,
    deep,
    first,
    floor,
    growth,
    handlers,
    hprof,
    inlining,
    moobench,
    objects,
    probes,
    programs,
    questions,
    service,
    startup,
    statements,
    steady,
    tools,
    truth,
    weaving,
)
from tools.bench.common import ROOT, jvms
from tools.bench.figures import Results, kept, processor
from tools.bench.goals import goals
from tools.bench.previous import Previous
from tools.bench.summary import summary

PARTS = {
    "startup": startup,
    "aot": aot,
    "attaching": attaching,
    "weaving": weaving,
    "probes": probes,
    "floor": floor,
    "moobench": moobench,
    "handlers": handlers,
    "statements": statements,
    "questions": questions,
    "objects": objects,
    "programs": programs,
    "first": first,
    "coverage": coverage,
    "service": service,
    "hprof": hprof,
    "deep": deep,
    "growth": growth,
    "truth": truth,
    "steady": steady,
    "inlining": inlining,
    "tools": tools,
}
#: Parts that the page shows; the others are only printed.
SHOWN = [part for part in PARTS if part not in ("deep", "inlining")]
NOTHING = "Not measured yet."
NAMED = 4  # of what was not measured for a reason
#: A section of which nothing was measured.
EMPTY = re.compile(rf"^##+ [^\n]*\n\n(?:(?!##)[^\n]+\n|\n)*?{re.escape(NOTHING)}\n\n", re.MULTILINE)
TEMPLATE = Path(__file__).parent / "performance.md"
PATH = ROOT / "docs" / "explained" / "performance.md"


def page_before() -> Previous:
    return Previous(TEMPLATE.read_text(), PATH.read_text(), NOTHING)


def page() -> str:
    """The whole page. Of a part without kept results, it stays as it is; one that was never measured has no section."""
    results = {part: kept(part) for part in PARTS}
    facts = {f"{part}_{name}": value for part, one in results.items() for name, value in one.facts.items()}
    before = page_before()
    measured = {part: section(results[part]) for part in SHOWN if results[part].values}
    written = TEMPLATE.read_text().format_map(
        Fields(
            {
                **dict.fromkeys(SHOWN, NOTHING),
                **before.fields,
                **facts,
                **measured,
                "machine": (len(measured) < len(SHOWN) and before.fields.get("machine")) or machine(),
                "goals": goals(results, before),
                "summary": summary(results, before),
            }
        )
    )
    return EMPTY.sub("", written)


class Fields(dict[str, str]):
    """The names that the template may use; a fact of a part that was never measured is "unknown"."""

    def __missing__(self, name: str) -> str:
        return "?"


def section(results: Results) -> str:
    """A part's tables, when and how often it was measured, and what could not be measured."""
    if not results.values:
        return "\n\n".join([NOTHING, *absent(results)])
    said = (
        f"{results.turns}, {results.date}, {results.processor or 'processor unknown'}, {results.seconds / 60:.0f} min;"
        f" machine load at the start {results.load:.1f}."
    )
    return "\n\n".join([PARTS[results.part].tables(results), said[:1].upper() + said[1:], *absent(results)])


def absent(results: Results) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for name, why in results.absent.items():
        reasons.setdefault(why, []).append(name)
    return [f"Not measured, because {why}: {listed(names)}." for why, names in reasons.items()]


def listed(names: list[str]) -> str:
    """The first of many names, and how many follow."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED + 1 else ""
    return ", ".join(names[:NAMED] if more else names) + more


def machine() -> str:
    """Processor, system, JVMs and Python."""
    lines = [f"{os.cpu_count()} cores of {processor()}, Linux {platform.release()}"]
    for java in jvms().values():
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr.splitlines()
        lines.append(", ".join(line.strip() for line in said[1:2]) or java)
    lines.append(
        f"Python {platform.python_version()}, the weaver"
        f" {'compiled by mypyc' if weaving.COMPILED else 'in pure Python'}"
    )
    return "\n".join(f"- {line}" for line in lines)
