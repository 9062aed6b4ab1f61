"""What ends a command with a message instead of a result."""

from __future__ import annotations


class UsageError(Exception):
    """Arguments or rules that cannot be used: exit status 2. The text says what, where, and what to do."""


class Failure(Exception):
    """The command ran but could not finish: exit status 1."""
