"""The extensions: capabilities beside the core, a folder each. The core knows only this list, and imports none of them
before a user asks for what they do. Without its folder, an extension is not there, and all else works.

An extension has the same name here, in native/extensions/, and in tests/extensions/.
"""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER = os.path.dirname(__file__)


class Control(NamedTuple):
    """A command of `classhook ctl`. `arguments`, `about`: what its help says; `module`: whose function `asked` answers
    it."""

    module: str
    arguments: str
    about: str


class Extension(NamedTuple):
    """`needs`: the extensions that it imports; `commands`: their summaries, each a module of its folder `commands`;
    `group`: in which `classhook --help` shows these;
    `forms`: of reports, in order (name, what it shows, module, whether its output is binary); `modules`: what scripts
    may import from `classhook` itself; `controls`: commands of `classhook ctl`; `page`: the
    module whose function `serve` serves the page of `classhook top --web`; `options`: of the agent, each with what
    the help says of it."""

    name: str
    about: str
    needs: tuple[str, ...] = ()
    group: str = ""
    commands: dict[str, str] = {}  # noqa: RUF012  # nobody adds to it
    forms: tuple[tuple[str, str, str, bool], ...] = ()
    controls: dict[str, Control] = {}  # noqa: RUF012
    page: str = ""
    modules: tuple[str, ...] = ()
    options: dict[str, str] = {}  # noqa: RUF012


ALL = (
    Extension(
        "selection",
        "tests that a change may alter",
        group="builds and CI",
        commands={
            "blame": "say why tests failed, and which other test is to blame",
            "select": "select the tests that a change may alter",
        },
    ),
    Extension(
        "fleet",
        "many JVMs as one dataset, and methods that nobody calls",
        group="builds and CI",
        commands={
            "dead": "find methods that nobody calls, in production and in tests",
            "export": "write runs into a dataset for a fleet, as Parquet",
            "sql": "query a dataset in SQL",
        },
    ),
    Extension(
        "servers",
        "servers for editors, assistants and browsers",
        group="tools",
        page="extensions.servers.browser.live_page",
        commands={
            "lsp": "help editors with files of rules, as a language server",
            "mcp": "let AI assistants read what was recorded, and measure",
        },
    ),
    Extension("heap", "heap dumps", group="read what was measured", commands={"heap": "show what a heap dump holds"}),
    Extension(
        "hprof",
        "HPROF's options and files",
        needs=("heap",),
        group="measure",
        commands={"hprof": "profile with HPROF's options, and write its files"},
        controls={
            "hprof": Control(
                "extensions.hprof.of_jvm",
                "[OPTIONS]",
                "writes what was counted so far to a file in HPROF's format, with a dump of threads and monitors, and"
                " with heap=dump of the heap. OPTIONS are HPROF's, such as file=now.txt,depth=8",
            )
        },
        options={"hprof:OPTIONS": "alone, with HPROF's options: write HPROF's file at the end"},
        forms=(
            ("hprof", "call trees", "extensions.hprof.binary", True),
            ("hprof-ascii", "call trees", "extensions.hprof.ascii", False),
        ),
    ),
    Extension("jvmpi", "JVMPI's functions and events, for scripts", needs=("heap",), modules=("jvmpi",)),
)
#: The existing extensions.
EXTENSIONS = tuple(one for one in ALL if os.path.exists(os.path.join(FOLDER, one.name, "__init__.py")))
#: The modules that scripts may import from `classhook` itself.
MODULES = tuple(module for one in EXTENSIONS for module in one.modules)
