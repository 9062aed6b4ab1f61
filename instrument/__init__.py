"""Bytecode instrumentation for the JVM. The Python interface: `run`, `attach` and `load` give a Result
(docs/reference/python.md).

docs/explained/architecture.md has the rooms of this package, from the bottom up; each imports only what comes before
it.

A name is imported when it is first used, because this package is imported inside the JVM, too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.api.coverage import Coverage as Coverage
    from classhook.api.coverage import SourceFile as SourceFile
    from classhook.api.coverage import TestCoverage as TestCoverage
    from classhook.api.programs import load as load
    from classhook.api.programs import run as run
    from classhook.api.result import Result as Result
    from classhook.api.rows import Row as Row
    from classhook.api.rows import Rows as Rows
    from classhook.api.sessions import Session as Session
    from classhook.api.sessions import attach as attach
    from classhook.api.trees import Node as Node
    from classhook.base.errors import Failure as Failure
    from classhook.base.errors import UsageError as UsageError
    from classhook.extensions import jvmpi as jvmpi
    from classhook.rules.errors import RuleError as RuleError

#: Public name -> the module that defines it.
PUBLIC = {
    "Coverage": "api.coverage",
    "Failure": "base.errors",
    "Node": "api.trees",
    "Result": "api.result",
    "Row": "api.rows",
    "Rows": "api.rows",
    "RuleError": "rules.errors",
    "Session": "api.sessions",
    "SourceFile": "api.coverage",
    "TestCoverage": "api.coverage",
    "UsageError": "base.errors",
    "attach": "api.sessions",
    "load": "api.programs",
    "run": "api.programs",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in PUBLIC:
        found: object = getattr(import_module(f"classhook.{PUBLIC[name]}"), name)
        return found
    if not name.startswith("_") and name in import_module("classhook.extensions").MODULES:
        return import_module(f"classhook.extensions.{name}")
    raise AttributeError(f"module 'classhook' has no attribute '{name}'")


def __dir__() -> list[str]:
    from classhook.extensions import MODULES

    return [*globals(), *PUBLIC, *MODULES]
