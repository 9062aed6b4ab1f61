"""Verdicts as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TextIO

from classhook.extensions.fleet.dead.rows import last_used, name
from classhook.extensions.fleet.dead.summary import head
from classhook.extensions.fleet.dead.verdicts import GROUPS, Verdict, Verdicts
from classhook.reports import Options
from classhook.reports.web_page import style

STYLE = f"""{style()}
.where {{ color: var(--dim) }}
.doubt {{ border-left: .3rem solid var(--doubt); padding-left: .7rem }}
input {{ width: min(30rem, 100%) }}
"""
SCRIPT = """
document.querySelector('input').addEventListener('input', event => {
  const wanted = event.target.value.toLowerCase()
  for (const row of document.querySelectorAll('tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted)
})
"""
HEADS = ("days", "runs", "hosts", "tests", "last call")


def html(found: Verdicts, groups: Sequence[str], options: Options, out: TextIO) -> None:
    """Writes the page: how many methods are in which group, then a table for each of the groups that are asked for."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in head(found, options))
    counts = {group: f"{len(found.in_group(group)):,}" for group in GROUPS}
    out.write(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dead code</title><style>{STYLE}</style></head><body>
<h1>Dead code</h1>
<table style="width: auto"><thead><tr><th></th><th>tested</th><th>not tested</th></tr></thead>
<tr><th>used</th><td class="number">{counts["normal"]}</td><td class="number">{counts["untested"]}</td></tr>
<tr><th>not used</th><td class="number">{counts["unused"]}</td><td class="number">{counts["dead"]}</td></tr></table>
<ul>{lines}</ul>
""")
    if found.doubt:
        out.write(f'<p class="doubt">{escape(found.doubt)}</p>\n')
    out.write('<p><input type="search" placeholder="filter by class, method, file" aria-label="filter"></p>\n')
    for group in groups:
        rows = found.in_group(group)
        heads = "".join(f'<th class="number">{one}</th>' for one in HEADS)
        out.write(f"<h2>{GROUPS[group].title}: {len(rows):,}</h2><p>{GROUPS[group].about}</p>\n")
        out.write(f"<table><thead><tr>{heads}<th>method</th></tr></thead><tbody>\n")
        for one in rows:
            out.write(_row(one))
        out.write("</tbody></table>\n")
    out.write(f"<script>{SCRIPT}</script></body></html>\n")


def _row(one: Verdict) -> str:
    production = one.production
    numbers = (production.days, production.runs, len(production.hosts), one.tests, last_used(one))
    cells = "".join(
        f'<td class="number">{escape(f"{value:,}" if isinstance(value, int) else value)}</td>' for value in numbers
    )
    line = f":{one.about.line}" if one.about.line else ""
    where = f' <span class="where">{escape(one.path + line)}</span>' if one.file else ""
    return f"<tr>{cells}<td>{escape(name(one))}{where}</td></tr>\n"
