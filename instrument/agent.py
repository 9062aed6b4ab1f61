"""Handlers in Python for what happens in a JVM: `classhook run --agent my.py -- java ...`. docs/reference/python-agents.md describes it.

It runs inside the JVM, in the Python that the agent embeds.
"""

from classhook.scripts.agent import Agent
from classhook.scripts.handlers import Handler, HandlerTimeout

__all__ = ["Agent", "Handler", "HandlerTimeout"]
