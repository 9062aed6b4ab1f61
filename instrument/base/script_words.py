"""The value of `--agent` and of the agent's option `script`: the path of a script, and perhaps its options, as in
`my.py=depth=8,verbose`."""

from __future__ import annotations

from os.path import isfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: Several scripts in one option of the agent: each in a line (native/options.c).
BETWEEN: Final = "\n"


def split(word: str) -> tuple[str, str]:
    """The path, and the text behind the first equals sign that follows the name of a file. If there is no such file,
    the first one counts."""
    at = word.find("=")
    first = at
    while at >= 0 and not isfile(word[:at]):
        at = word.find("=", at + 1)
    if at < 0 and not isfile(word):
        at = first
    return (word, "") if at < 0 else (word[:at], word[at + 1 :])


def join(path: str, options: str) -> str:
    return f"{path}={options}" if options else path


#: Before the commands of scripts, where a command is unknown.
OF_SCRIPTS = "; the scripts have "
