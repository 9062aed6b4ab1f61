"""`python -m tools.release.trial FOLDER`: a release as somebody else would make it and use it: `make release-trial`.

1. FOLDER/root becomes a root folder of Debian, in which the command of docs/install.md installs what it names.
2. The committed state is cloned into it, and `make release` runs there. What it prints is shown as it comes.
3. Each part is used once where it was made (USES); tools.wheels tries the wheels when it builds them.

Options of tools.wheels follow `--`, such as `-- --python 3.11`. The exit status is 1 if something does not work.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shlex
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.release.arguments import parsed
from tools.release.version import TOP, version
from tools.roots import Root, missing
from tools.wheels.shell import Failed

SUITE = "bookworm"
PAGE = TOP / "docs" / "install.md"
BARE = ("ca-certificates",)
#: The command of the page that installs what a release needs.
INSTALL = re.compile(r"^apt-get install (?:.*\\\n)*.*", re.MULTILINE)
CLONE, RELEASE = "classhook", Path("dist/release")
PROGRAM = "public class Hello { public static void main(String[] words) { System.out.println(words.length); } }"


def installing(page: str) -> list[str]:
    """The command that installs what a release needs, and asks nothing."""
    found = INSTALL.search(page)
    assert found, f"{PAGE} has no line with `apt-get install`"
    return [*shlex.split(found[0].replace("\\\n", " ")), "--yes", "--quiet"]


class Links(HTMLParser):
    """The links of a page to other files of the site."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and not urlsplit(value).scheme and (path := urlsplit(value).path):
                self.found.add(unquote(path))


class Trial:
    """A clone in a root folder, and what `make release` wrote there."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.clone = root.clone(CLONE)
        self.inside = Path("/") / CLONE

    def part(self, suffix: str) -> Path:
        (found,) = (self.clone / RELEASE).glob(f"classhook*-{version()}{suffix}")
        return found

    def shell(self, script: str) -> str:
        """Runs a script in the folder of the release, as a user who has nothing but the parts."""
        return self.root.call("sh", "-e", "-c", script, cwd=self.inside / RELEASE)

    def make(self, options: Sequence[str]) -> None:
        """Raises Failed."""
        line = ["make", "release", f"ONLY={shlex.join(options)}"]
        with self.root.running(*line, cwd=self.inside) as process:
            assert process.stdout
            for text in process.stdout:
                print(f"  {text}", end="", flush=True)
        if process.returncode:
            raise Failed(f"make release ended with {process.returncode}")

    def sums(self) -> str:
        lines = self.shell("sha256sum --strict -c SHA256SUMS").splitlines()
        return f"{len(lines)} files are as SHA256SUMS says"

    def source(self) -> str:
        """Installs it with pip, in a new environment, and counts a program."""
        name = self.part(".tar.gz").name
        printed = self.shell(f"""
            rm -rf /tmp/source; mkdir /tmp/source
            python3 -m venv /tmp/source/venv
            CLASSHOOK_PURE=1 /tmp/source/venv/bin/pip install -q ./{name}
            cd /tmp/source; echo {shlex.quote(PROGRAM)} > Hello.java; javac Hello.java
            venv/bin/classhook run -e 'count Hello::*' -- java Hello 1 2 3
            venv/bin/classhook report""")
        if not (printed.startswith("3\n") and "Hello.main" in printed):
            raise Failed(f"{name}: {printed}")
        return f"{name} was installed by pip, and counts"

    def site(self) -> str:
        """Reads each page and looks for the files that it refers to."""
        packed, files, pages = self.part("-docs.tar.xz"), set[str](), dict[str, set[str]]()
        with tarfile.open(packed) as archive:
            for one in archive:  # in its order, since going back in a compressed file is slow
                if opened := archive.extractfile(one):
                    files.add(one.name)
                    if one.name.endswith(".html"):
                        links = Links()
                        links.feed(opened.read().decode())
                        pages[one.name] = links.found
        absent = [f"{page}: {one}" for page, found in pages.items() for one in found if _named(page, one) not in files]
        if absent or not pages:
            raise Failed(f"{packed.name}: {len(pages)} pages; links to nothing: {', '.join(absent[:5])}")
        return f"{packed.name}: {len(pages)} pages, and all files that they refer to"

    def extension(self) -> str:
        """Loads the extension's code as an editor does, by node."""
        packed = self.part(".vsix")
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(self.root.folder / "tmp/vsix")
        self.root.call("node", "-e", LOADED, cwd=Path("/tmp/vsix/extension"))
        return f"{packed.name}: its code loads, and finds its libraries"

    def dependencies(self) -> str:
        name = self.part(".spdx.json").name
        self.shell(f"""
            python3 -m venv /tmp/spdx; /tmp/spdx/bin/pip install -q spdx-tools; /tmp/spdx/bin/pyspdxtools -i {name}""")
        return f"{name} is valid"


#: An extension asks for `vscode`, which only an editor has; all that it asks for besides must be in the package.
LOADED = """
const modules = require("module"), load = modules._load;
const one = (of, name) => name === "prototype" ? of.prototype : typeof name === "symbol" ? undefined : fake;
const fake = new Proxy(function () {}, {get: one, apply: () => fake, construct: () => ({})});
modules._load = (name, ...rest) => name === "vscode" ? fake : load(name, ...rest);
const extension = require(process.cwd() + "/" + require("./package.json").main);
if (typeof extension.activate !== "function") throw new Error("no activate()");
"""
USES: tuple[Callable[[Trial], str], ...] = (
    Trial.sums,
    Trial.source,
    Trial.site,
    Trial.extension,
    Trial.dependencies,
)


def _named(page: str, link: str) -> str:
    """The file that a link of a page names."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def main(arguments: Sequence[str]) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tools.release.trial", description=__doc__, formatter_class=form)
    parser.add_argument("folder", type=Path, help="where the root folder goes")
    parser.add_argument("--made", action="store_true", help="only use the parts of a release that was made there")
    chosen, options = parsed(parser, arguments)
    if first := missing():
        sys.exit(f"release: {first}")
    root, line = Root(chosen.folder.resolve() / "root", SUITE, BARE), installing(PAGE.read_text())
    try:
        if not root.is_made():
            print(f"Debian's {SUITE} goes to {root.folder}", flush=True)
            root.make()
        print(shlex.join(line), flush=True)
        root.call(*line, DEBIAN_FRONTEND="noninteractive")
        trial = Trial(root)
        if not chosen.made:
            trial.make(options)
        for use in USES:
            print(use(trial), flush=True)
    except Failed as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
