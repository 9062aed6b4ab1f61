"""Draws the README's picture from a real run: `python -m tools.docs.picture` writes docs/images/first-look.svg.

1. A profile of the example's tests is taken, as the page shows it.
2. The report's text becomes lines of a terminal.
3. The collapsed paths become a flame graph below it, the callers on top.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from html import escape
from pathlib import Path

from tools.docs.sessions import ROOT, Session, prepare, run

PATH = ROOT / "docs" / "images" / "first-look.svg"
COMMANDS = (
    "classhook run -e 'profile shop.**::*' -- java -cp classes shop.ShopTests",
    "classhook report --top 5 --columns self,wall,calls",
    "classhook report -f flamegraph -o calls.html",
)
WIDTH, MARGIN, LINE, ROW, CHARACTER = 860, 20, 19, 24, 7.9
LONGEST = 100  # characters of a line
COLOURS = ("#e8744f", "#eb9a4a", "#edbb55", "#d95f5f", "#e5874f", "#f0c872")


def lines_of(folder: Path) -> list[str]:
    """Returns what the terminal shows, and writes the collapsed paths into `folder`."""
    environment = prepare(folder)
    found = []
    for command in COMMANDS:
        found += [f"$ {command}", *run(Session(command), folder, environment)]
    run(Session("classhook report -f collapsed --clock wall -o paths"), folder, environment)
    return found[: next((n for n, line in enumerate(found) if line.startswith("self and total")), len(found))] + [
        "",
        f"$ {COMMANDS[-1]}",
    ]


def flames(paths: str, top: float) -> tuple[list[str], float]:
    """Rectangles of a flame graph, and where they end."""
    totals: dict[tuple[str, ...], int] = defaultdict(int)
    for line in paths.splitlines():
        path, _, weight = line.rpartition(" ")
        names = tuple(path.split(";"))
        for depth in range(1, len(names) + 1):
            totals[names[:depth]] += int(weight)
    whole = sum(weight for path, weight in totals.items() if len(path) == 1)
    scale, left, drawn = (WIDTH - 2 * MARGIN) / whole, {(): float(MARGIN)}, []
    for path in sorted(totals):
        x, width = left[path[:-1]], totals[path] * scale
        left[path], left[path[:-1]] = x, x + width
        if width < 3:
            continue
        y, name = top + ROW * (len(path) - 1), path[-1].removeprefix("shop.")
        colour = COLOURS[sum(map(ord, name)) % len(COLOURS)]
        drawn.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" height="{ROW - 2}" rx="2" fill="{colour}"/>'
        )
        for shown in (name, name.rpartition(".")[2]):
            if width > (len(shown) + 1) * CHARACTER:
                drawn.append(f'<text x="{x + 5:.1f}" y="{y + 15:.1f}" class="f">{escape(shown)}</text>')
                break
    return drawn, top + ROW * max(map(len, totals))


def picture(terminal: list[str], paths: str) -> str:
    text = []
    for number, line in enumerate(terminal):
        line = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
        kind = ' class="c"' if line.startswith("$ ") else ""
        text.append(f'<text x="{MARGIN}" y="{48 + number * LINE}"{kind}>{escape(line)}</text>')
    drawn, bottom = flames(paths, 48 + len(terminal) * LINE)
    height = bottom + MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}"'
        f' height="{height:.0f}" role="img"><title>classhook run, classhook report, and a flame graph of the same'
        " run</title><style>text{font:13px"
        " ui-monospace,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}.c{fill:#8fd694}.f{fill:#2b1d12}</style><rect"
        f' width="{WIDTH}" height="{height:.0f}" rx="8" fill="#1e2430"/><circle cx="22" cy="18" r="5"'
        ' fill="#e06c75"/><circle cx="40" cy="18" r="5" fill="#e5c07b"/><circle cx="58" cy="18" r="5" fill="#98c379"/>'
    )
    return "\n".join([head, *text, *drawn, "</svg>"]) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="classhook-docs-") as name:
        shown = lines_of(Path(name))
        PATH.write_text(picture(shown, (Path(name) / "paths").read_text()))
    print(PATH.relative_to(ROOT))
