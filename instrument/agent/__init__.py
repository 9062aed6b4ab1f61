"""Handlers in Python for what happens in a JVM: `classhook run --agent my.py -- java ...`.
docs/reference/python-agents.md describes it.

They run inside the JVM, in the Python that the agent embeds. Elsewhere the names are there for editors and type
checkers, and raise OutsideJvm.
"""

from classhook.agent.agent import Agent
from classhook.agent.handlers import Handler, HandlerTimeout
from classhook.agent.heap_queries import HeapRow
from classhook.agent.insertions import Counter, Inserted
from classhook.agent.transforms import ClassToLoad
from classhook.base.embedded import IN_JVM, OutsideJvm, events

TYPE_CHECKING = False
if TYPE_CHECKING or not IN_JVM:
    from classhook.agent.event_object import Event, Object
else:
    Event, Object = events.Event, events.Object

__all__ = [
    "Agent",
    "ClassToLoad",
    "Counter",
    "Event",
    "Handler",
    "HandlerTimeout",
    "HeapRow",
    "Inserted",
    "Object",
    "OutsideJvm",
]
