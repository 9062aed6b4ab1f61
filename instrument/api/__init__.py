"""What Python programs and notebooks use, as `from instrument import attach, load, run`: docs/python.md describes it.

Names and arguments stay; new ones may come.
"""

from instrument.api.coverage import Coverage, SourceFile
from instrument.api.programs import load, run
from instrument.api.result import Result
from instrument.api.rows import Row, Rows
from instrument.api.sessions import Session, attach
from instrument.api.trees import Node
from instrument.errors import Failure, UsageError
from rules.errors import RuleError

__all__ = ["Coverage", "Failure", "Node", "Result", "Row", "Rows", "RuleError", "Session", "SourceFile", "UsageError", "attach", "load", "run"]
