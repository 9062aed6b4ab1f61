"""The scripts in this JVM. Handlers and timers know whose they are."""

from __future__ import annotations

from classhook.base.script_words import join, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from classhook.rules.syntax import Rule


class Options(dict[str, str]):
    """A script's options, by name: `a=b,c` is {"a": "b", "c": ""}. `text`: as they were written."""

    def __init__(self, text: str) -> None:
        pairs = [word.partition("=") for word in text.split(",") if word]
        super().__init__({name: value for name, _, value in pairs})
        self.text = text


class Script:
    """A script. `in_force`: its handlers are called, and the rules of later ones are added to those in force. `late`:
    the JVM was up when it was run, and another script may have been there before it."""

    def __init__(self, word: str, late: bool = False) -> None:
        self.path, text = split(word)
        self.options = Options(text)
        self.late = late
        self.in_force = False
        self.rules: list[Rule] = []
        self.commands: dict[str, tuple[Callable[..., Any], str]] = {}
        self.main: ModuleType | None = None  # `__main__`, as it was executed
        self.modules: dict[str, ModuleType] = {}  # those that it has for itself

    def __str__(self) -> str:
        return join(self.path, self.options.text)

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0] or "."

    @property
    def argv(self) -> list[str]:
        """The script's path and options, as in `sys.argv`."""
        return [self.path, *(word for word in self.options.text.split(",") if word)]


#: In the order in which they were run; the last one may be running.
SCRIPTS: list[Script] = []
#: The rules of the session, without those of scripts, while scripts are run at its start.
GIVEN: list[Rule] = []
#: The scripts that are to be replaced, if all goes well.
REPLACED: list[Script] = []


def others(script: Script) -> list[Script]:
    """The other loaded scripts."""
    return [one for one in SCRIPTS if one is not script and one not in REPLACED]
