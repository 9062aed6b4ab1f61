"""`python -m tools.site FOLDER`: the documentation as a static site, with search, light and dark.

Sphinx with MyST and Furo makes it (`pip install -e '.[site]'`): MyST reads CommonMark with the anchors of code hosts,
which the pages are written for, and knows each link and anchor that leads nowhere. Nothing is fetched when a page is
read, so the folder works from a disk, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from classhook.base.errors import Failure
from tools.release.version import version
from tools.site import pages, structure

CONF = Path(__file__).with_name("conf.py")


def build(to: Path) -> int:
    """Writes the site; returns how many pages it has. Raises Failure."""
    with tempfile.TemporaryDirectory() as name:
        sources = Path(name) / "sources"
        written = pages.write(sources)
        structure.add_trees(sources, written)
        shutil.copyfile(CONF, sources / "conf.py")
        if to.exists() and any(to.iterdir()) and not (to / "searchindex.js").exists():
            raise Failure(f"{to} is not empty, and is no site")
        shutil.rmtree(to, ignore_errors=True)
        line = [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            "-d",
            f"{name}/trees",
            sources,
            to,
        ]
        environment = {"SOURCE_DATE_EPOCH": "1", **os.environ, "CLASSHOOK_SITE_VERSION": version()}
        done = subprocess.run(list(map(str, line)), env=environment, capture_output=True, text=True)
        if done.returncode:
            raise Failure(done.stderr.replace(f"{sources}/", ""))
    for rest in (".buildinfo", "objects.inv"):
        (to / rest).unlink(missing_ok=True)
    shutil.copytree(pages.DOCS / "images", to / "images")  # for pictures in light and dark, which Sphinx does not know
    shutil.rmtree(to / "_sources", ignore_errors=True)
    return len(written)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.site", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/site"), help="(%(default)s)")
    folder = parser.parse_args().folder
    try:
        count = build(folder)
    except Failure as failure:
        print(f"site: {failure}", file=sys.stderr)
        return 1
    print(f"{count} pages: {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
