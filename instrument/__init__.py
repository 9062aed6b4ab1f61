"""Rules and class files put together: matching, weaving, the hook in the JVM, snapshots, reports, the command line, and the same from Python.

What programs use is imported when it is first asked for: this package is imported inside the JVM, too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from instrument.api import Coverage as Coverage
    from instrument.api import Failure as Failure
    from instrument.api import Node as Node
    from instrument.api import Result as Result
    from instrument.api import Row as Row
    from instrument.api import Rows as Rows
    from instrument.api import RuleError as RuleError
    from instrument.api import Session as Session
    from instrument.api import SourceFile as SourceFile
    from instrument.api import UsageError as UsageError
    from instrument.api import attach as attach
    from instrument.api import load as load
    from instrument.api import run as run

PUBLIC = ("Coverage", "Failure", "Node", "Result", "Row", "Rows", "RuleError", "Session", "SourceFile", "UsageError", "attach", "load", "run")


def __getattr__(name: str) -> object:
    if name in PUBLIC:
        from instrument import api

        return getattr(api, name)
    raise AttributeError(f"module 'instrument' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *PUBLIC]
