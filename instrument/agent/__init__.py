"""Handlers in Python for what happens in a JVM: `classhook run --agent my.py -- java ...`. docs/python-agents.md describes it.

It runs inside the JVM, in the Python that the agent embeds.
"""

from instrument.agent.agent import Agent
from instrument.agent.handlers import Handler, HandlerTimeout

__all__ = ["Agent", "Handler", "HandlerTimeout"]
