"""Classes, methods and fields of the JDK that are not public and that classhook names, each once.

1. The agent finds some of them by JNI (asked_by_agent.py): the build makes a C header from that list
   (native/building/jdk_header.py). Code of the tracker class, code that is woven into classes of the JDK, and readers
   of values name the others (named_in_code.py).
2. A member may have several forms, from release to release. If a JDK should have one and has none, the agent notes in
   the data file what does not work, in the words of `without`. `classhook self doctor` compares the whole list with a
   JDK.
"""

from __future__ import annotations

from classhook.native.jdk_members.asked_by_agent import ASKED_BY_AGENT
from classhook.native.jdk_members.member import Form, Member
from classhook.native.jdk_members.named_in_code import OF_TRACKER, OPENING, READ, STARTING, WOVEN

MEMBERS = (*ASKED_BY_AGENT, *OF_TRACKER, *WOVEN, *OPENING, STARTING, *READ)


def queries() -> list[Form]:
    """All forms, for an agent that looks which are there."""
    return list(dict.fromkeys(form for member in MEMBERS for form in member.forms))


def missing(release: int, there: set[Form]) -> list[Member]:
    """The members that a JDK of this feature release should have and lacks."""
    return [member for member in MEMBERS if (expected := member.expected(release)) and not there.intersection(expected)]
