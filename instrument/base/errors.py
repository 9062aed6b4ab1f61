"""Exceptions that end a command with a message."""

from __future__ import annotations


class UsageError(Exception):
    """Invalid arguments or rules: exit status 2. The text says what, where, and what to do."""


class Failure(Exception):
    """The command ran but could not finish: exit status 1."""
