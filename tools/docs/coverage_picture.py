"""Draws the pictures of the coverage page from a real run: `python -m tools.docs.coverage_picture` writes
docs/images/coverage.png and docs/images/coverage-dark.png. It needs Chromium, and jsoup from Maven Central.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.peers import Artifact
from tools.compare.fetching import Fetcher
from tools.docs.pictures import draw
from tools.docs.sessions import Session, prepare, run

JSOUP = ("org.jsoup", "jsoup", "1.21.2")
PROGRAM = """
import org.jsoup.Jsoup;
import org.jsoup.safety.Safelist;

public class Clean {
    public static void main(String[] words) {
        String page = "<p>one <b onclick=f()>two</b><script>x()</script><!-- three --></p>";
        for (int i = 0; i < 1000; i++) Jsoup.clean(page, Safelist.basic());
    }
}
"""
COMMANDS = (
    "javac -cp jsoup.jar -d classes Clean.java",
    "classhook run --quiet -e 'cover org.jsoup.** hits' -- java -cp jsoup.jar:classes Clean",
    "classhook coverage -f html --title 'jsoup 1.21.2' --classes jsoup.jar --sources sources -o coverage.html",
)
WIDTH, HEIGHT = 1000, 900
#: Shows the class that docs/questions/coverage.md speaks of, and the line.
ACTIONS = """
    const field = document.querySelector("input[type=search]");
    field.value = "Cleaner"; field.dispatchEvent(new Event("input"));
    document.querySelector(".file > .row").click(); await lines();
    scrollTo(0, 0);
    const panel = document.querySelector(".source"), top = panel.getBoundingClientRect().top;
    panel.style.overflow = "hidden"; panel.style.height = "2600px";
    panel.replaceChildren(panel.firstChild, ...[...panel.querySelectorAll(".line")].slice(150));
"""


def page_in(folder: Path) -> Path:
    fetcher = Fetcher(folder / "fetched")
    (folder / "jsoup.jar").write_bytes(fetcher.jar(Artifact(*JSOUP)).read_bytes())
    (folder / "sources").symlink_to(fetcher.unpacked(Artifact(*JSOUP, classifier="sources")))
    (folder / "Clean.java").write_text(PROGRAM)
    environment = prepare(folder)
    for command in COMMANDS:
        run(Session(command), folder, environment)
    return folder / "coverage.html"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="classhook-docs-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        draw(page_in(folder).as_uri(), folder, "coverage", WIDTH, HEIGHT, ACTIONS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
