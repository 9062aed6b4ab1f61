"""The call tree as OpenTelemetry's profiles: a message ProfilesData (opentelemetry-proto, profiles/v1development, which
is still in development), and the same bytes that a collector receives as ExportProfilesServiceRequest.

A profile has one kind of value, so CPU time, wall time and calls are a profile each, of one resource: the JVM, or
several added up. Shared data is in a dictionary of tables, whose elements 0 are empty. A stack has the innermost
location first, and each method has one location.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import NamedTuple, TextIO

from classhook.model.call_tree import Call, MethodKey
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, Tree, chosen, stacks
from classhook.reports.otlp_resource import resource, scope
from classhook.reports.protobuf import Strings, field, fixed64, number, packed, text

# Field numbers of the messages.
RESOURCE_PROFILES, DICTIONARY = 1, 2  # ProfilesData
RESOURCE, SCOPE_PROFILES = 1, 2  # ResourceProfiles
SCOPE, PROFILES = 1, 2  # ScopeProfiles
MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, KEYED_VALUES, STACKS = 1, 2, 3, 4, 5, 6, 7  # ProfilesDictionary
SAMPLE_TYPE, SAMPLES, TIME, DURATION, PERIOD_TYPE, PERIOD, PROFILE_ID = 1, 2, 3, 4, 5, 6, 7  # Profile
TYPE, UNIT = 1, 2  # ValueType
STACK_INDEX, VALUES = 1, 4  # Sample
LINES, LOCATION_ATTRIBUTES, FUNCTION_INDEX = 3, 4, 1  # Location, and Line in it
NAME, SYSTEM_NAME, FILENAME = 1, 2, 3  # Function
LOCATION_INDICES = 1  # Stack
KEY_INDEX, KEYED_VALUE = 1, 2  # KeyValueAndUnit
STRING_VALUE = 1  # AnyValue

EMPTY = b""
FRAME_TYPE = 1  # the number of the attribute that each location has
PROFILE_ID_BYTES = 16


class Span(NamedTuple):
    """The time that a profile is about, in Unix ns."""

    begin: int
    end: int


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the message to the bytes below `out`. Raises Failure if there is no call tree."""
    tree = chosen(snapshot, options)
    out.buffer.write(message(snapshot, tree, tree.root(snapshot), span(snapshot.processes), os.environ))


def message(snapshot: Snapshot, tree: Tree, root: Call, when: Span, environment: Mapping[str, str]) -> bytes:
    """The message about what is below `root`, which may be a part of the snapshot's tree: what was added to it in some
    time."""
    strings, methods, paths = Strings(), dict[MethodKey, int](), dict[tuple[int, ...], int]()
    profiles = [bytearray() for _ in kinds(tree)]
    for path, call in stacks(root):
        values = [call.calls] * tree.exact + [CLOCKS[one](call) for one in tree.clocks]
        if any(values):
            locations = tuple(methods.setdefault(method, len(methods) + 1) for method in reversed(path))
            stack = paths.setdefault(locations, len(paths) + 1)
            for at, value in enumerate(values):
                if value:
                    profiles[at] += field(SAMPLES, number(STACK_INDEX, stack) + packed(VALUES, [value]))
    scoped = field(SCOPE, scope())
    for kind, samples in zip(kinds(tree), profiles, strict=True):
        known = field(SAMPLE_TYPE, value_type(strings, *kind)) + period(strings, snapshot.processes, tree)
        known += fixed64(TIME, when.begin) + number(DURATION, when.end - when.begin)
        scoped += field(PROFILES, known + identity(kind[0], when, samples) + samples)
    about = field(RESOURCE, resource(snapshot.processes, environment))
    return field(RESOURCE_PROFILES, about + field(SCOPE_PROFILES, scoped)) + field(
        DICTIONARY, dictionary(snapshot, strings, methods, paths)
    )


def kinds(tree: Tree) -> list[tuple[str, str]]:
    """The subjects of the profiles, with their units."""
    return [("calls", "count")] * tree.exact + [(one, "nanoseconds") for one in tree.clocks]


def value_type(strings: Strings, what: str, unit: str) -> bytes:
    return number(TYPE, strings(what)) + number(UNIT, strings(unit))


def period(strings: Strings, processes: list[Process], tree: Tree) -> bytes:
    """Between two samples of a thread that runs, as measured; where each call was seen, one call."""
    if tree.exact:
        return field(PERIOD_TYPE, value_type(strings, "calls", "count")) + number(PERIOD, 1)
    samplings = [one for process in processes if (one := tree.sampling(process))]
    found = max((one.interval_ns or one.period_ns for one in samplings), default=0)
    return field(PERIOD_TYPE, value_type(strings, "cpu", "nanoseconds")) + number(PERIOD, found) if found else EMPTY


def span(processes: list[Process]) -> Span:
    """The span from the first process's beginning to the last one's end."""
    return Span(
        min((one.begin_unix_ns for one in processes), default=0), max((one.end_unix_ns for one in processes), default=0)
    )


def identity(kind: str, when: Span, samples: bytearray) -> bytes:
    """The same for the same data, so that a profile that is sent twice can be known."""
    return field(PROFILE_ID, hashlib.sha256(f"{kind} {when}".encode() + samples).digest()[:PROFILE_ID_BYTES])


def dictionary(
    snapshot: Snapshot, strings: Strings, methods: dict[MethodKey, int], paths: dict[tuple[int, ...], int]
) -> bytes:
    tables = (
        field(MAPPINGS, EMPTY)
        + field(LINKS, EMPTY)
        + field(LOCATIONS, EMPTY)
        + field(FUNCTIONS, EMPTY)
        + field(STACKS, EMPTY)
    )
    tables += field(KEYED_VALUES, EMPTY)
    frame_type = number(KEY_INDEX, strings("profile.frame.type")) + field(KEYED_VALUE, text(STRING_VALUE, "jvm"))
    tables += field(KEYED_VALUES, frame_type)
    for method, at in methods.items():
        class_name, name, _ = method
        written = strings(snapshot.readable.frame(*method))
        jvm, file = (
            strings(f"{class_name}.{name}" if class_name else name),
            strings(snapshot.class_sources.get(class_name, "")),
        )
        tables += field(FUNCTIONS, number(NAME, written) + number(SYSTEM_NAME, jvm) + number(FILENAME, file))
        tables += field(LOCATIONS, field(LINES, number(FUNCTION_INDEX, at)) + packed(LOCATION_ATTRIBUTES, [FRAME_TYPE]))
    for locations in paths:
        tables += field(STACKS, packed(LOCATION_INDICES, locations))
    return tables + strings.message(STRINGS)
