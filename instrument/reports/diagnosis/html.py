"""The page as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TextIO

from classhook.reports import Options
from classhook.reports.diagnosis.page import Page
from classhook.reports.diagnosis.part import TEXT, Part, cell
from classhook.reports.web_page import style


def write(page: Page, options: Options, out: TextIO) -> None:
    out.write('<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n')
    out.write('<meta name="viewport" content="width=device-width, initial-scale=1">\n')
    out.write(f"<title>{escape(page.title)}</title>\n<style>\n{style()}</style>\n<h1>{escape(page.title)}</h1>\n")
    out.writelines(f"<p>{escape(text)}</p>\n" for text in page.about)
    out.writelines(f'<p class="warning">{escape(text)}</p>\n' for text in page.warnings)
    for part in page.parts:
        _part(part, out)
    if page.missing:
        out.write("<h2>Left out</h2>\n")
        out.writelines(f'<p class="dim">{escape(f"{one.name}: {one.title}")}</p>\n' for one in page.missing)
    out.write("</html>\n")


def _part(part: Part, out: TextIO) -> None:
    classes = ["" if unit is TEXT else ' class="number"' for _, unit in part.columns]
    out.write(f"<h2>{escape(part.title)}</h2>\n<table>\n<tr>")
    out.writelines(f"<th{kind}>{escape(name)}</th>" for kind, (name, _) in zip(classes, part.columns, strict=True))
    for row in part.rows:
        out.write("</tr>\n<tr>")
        out.writelines(f"<td{kind}>{escape(cell(part, at, row))}</td>" for at, kind in enumerate(classes))
    out.write("</tr>\n</table>\n")
    notes = [*([f"{part.more:,} more"] if part.more else []), *part.notes]
    out.writelines(f'<p class="dim">{escape(note)}</p>\n' for note in notes)
