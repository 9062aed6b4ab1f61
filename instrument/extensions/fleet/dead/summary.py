"""The heading: what was observed, and how many methods are in each group."""

from __future__ import annotations

from classhook.base.names import printable, several
from classhook.extensions.fleet.dead.observations import Observation
from classhook.extensions.fleet.dead.verdicts import GROUPS, Verdicts
from classhook.reports import Options
from classhook.reports.text_table import footnote

VERSIONS_SHOWN = 4


def head(found: Verdicts, options: Options) -> list[str]:
    """The lines."""
    lines = [
        f"production: {window(found.production)}",
        f"tests: {window(found.tests)}" if found.tests.runs else "tests: none among the data",
    ]
    numbers = ", ".join(
        f"{len(found.in_group(group)):,} {GROUPS[group].title.lower().replace(',', '')}" for group in GROUPS
    )
    lines.append(f"{several(len(found.found), 'method')}: {numbers}")
    if found.excluded:
        reasons = ", ".join(f"{name} {count:,}" for name, count in found.excluded.most_common())
        lines.append(f"excluded: {found.excluded.total():,} ({reasons})")
    if found.unseen:
        lines.append(
            f"not observed: {found.unseen:,}, which production's rules do not match, or whose code production has not"
            " run yet"
        )
    if found.recent:
        lines.append(f"too new: {found.recent:,}, observed for fewer days than --days")
    return [footnote(line, options) for line in lines]


def window(one: Observation) -> str:
    """`14 runs on 3 hosts in 92 days, 2026-08-26 to 2026-11-26, versions 4.0, 4.1`."""
    hosts = f" on {several(len(one.hosts), 'host')}" if one.hosts else ""
    versions = sorted(map(printable, one.versions))
    named = ", ".join(versions[:VERSIONS_SHOWN]) + (
        f" and {len(versions) - VERSIONS_SHOWN} more" if len(versions) > VERSIONS_SHOWN else ""
    )
    said = f", version{'s' * (len(versions) > 1)} {named}" if versions else ""
    return (
        f"{several(one.runs, 'run')}{hosts} in {several(one.days, 'day')}, {one.first:%Y-%m-%d} to"
        f" {one.last:%Y-%m-%d}{said}"
    )
