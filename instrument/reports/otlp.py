"""The call tree as OpenTelemetry's profiles: a message ProfilesData (opentelemetry-proto, profiles/v1development, which is still in development), and
the same bytes that a collector receives as ExportProfilesServiceRequest.

A profile has one kind of value, so CPU time, wall time and calls are a profile each, of one resource: the JVM, or several added up. What they
share is in a dictionary of tables, whose elements 0 are empty. A stack has the innermost location first, and each method has one location.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import TextIO

from classhook import run_labels
from classhook.model.call_tree import MethodKey
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.paths import CLOCKS, Tree, chosen, stacks
from classhook.reports.protobuf import Strings, field, fixed64, number, packed, text
from classhook.reports.text import command

# Field numbers of the messages.
RESOURCE_PROFILES, DICTIONARY = 1, 2  # ProfilesData
RESOURCE, SCOPE_PROFILES = 1, 2  # ResourceProfiles
SCOPE, PROFILES = 1, 2  # ScopeProfiles
ATTRIBUTES, KEY, VALUE = 1, 1, 2  # Resource, and KeyValue in it
STRING_VALUE, INT_VALUE = 1, 3  # AnyValue
MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, KEYED_VALUES, STACKS = 1, 2, 3, 4, 5, 6, 7  # ProfilesDictionary
SAMPLE_TYPE, SAMPLES, TIME, DURATION, PROFILE_ID = 1, 2, 3, 4, 7  # Profile
TYPE, UNIT = 1, 2  # ValueType
STACK_INDEX, VALUES = 1, 4  # Sample
LINES, LOCATION_ATTRIBUTES, FUNCTION_INDEX = 3, 4, 1  # Location, and Line in it
NAME, SYSTEM_NAME, FILENAME = 1, 2, 3  # Function
LOCATION_INDICES = 1  # Stack
KEY_INDEX, KEYED_VALUE = 1, 2  # KeyValueAndUnit

EMPTY = b""
OTEL_NAMES = {label: name for name, label in run_labels.ATTRIBUTES.items()}
FRAME_TYPE = 1  # the number of the attribute that each location has
PROFILE_ID_BYTES = 16
#: Where users say what their service is called: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
SERVICE = "OTEL_SERVICE_NAME"


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the message to what is below `out`. Raises Failure if there is no call tree."""
    tree = chosen(snapshot, options)
    strings, methods, paths = Strings(), dict[MethodKey, int](), dict[tuple[int, ...], int]()
    profiles = [bytearray() for _ in kinds(tree)]
    for path, call in stacks(tree.root(snapshot)):
        values = [call.calls] * tree.exact + [CLOCKS[one](call) for one in tree.clocks]
        if any(values):
            locations = tuple(methods.setdefault(method, len(methods) + 1) for method in reversed(path))
            stack = paths.setdefault(locations, len(paths) + 1)
            for at, value in enumerate(values):
                if value:
                    profiles[at] += field(SAMPLES, number(STACK_INDEX, stack) + packed(VALUES, [value]))
    scope = field(SCOPE, text(NAME, "classhook"))
    for kind, samples in zip(kinds(tree), profiles, strict=True):
        value_type = number(TYPE, strings(kind[0])) + number(UNIT, strings(kind[1]))
        known = field(SAMPLE_TYPE, value_type) + times(snapshot.processes) + identity(kind[0], samples)
        scope += field(PROFILES, known + samples)
    resource = field(RESOURCE, b"".join(attribute(*one) for one in described(snapshot.processes, os.environ).items()))
    message = field(RESOURCE_PROFILES, resource + field(SCOPE_PROFILES, scope))
    out.buffer.write(message + field(DICTIONARY, dictionary(snapshot, strings, methods, paths)))


def kinds(tree: Tree) -> list[tuple[str, str]]:
    """What the profiles are about, and its unit."""
    return [("calls", "count")] * tree.exact + [(one, "nanoseconds") for one in tree.clocks]


def times(processes: list[Process]) -> bytes:
    if not processes:
        return EMPTY
    start = min(process.start_unix_ns for process in processes)
    end = max(process.start_unix_ns + process.duration_ns for process in processes)
    return fixed64(TIME, start) + number(DURATION, end - start)


def identity(kind: str, samples: bytearray) -> bytes:
    """The same for the same data, so that a profile that is sent twice can be known."""
    return field(PROFILE_ID, hashlib.sha256(kind.encode() + samples).digest()[:PROFILE_ID_BYTES])


def described(processes: list[Process], environment: Mapping[str, str]) -> dict[str, str | int]:
    """The resource: what users say of it by OpenTelemetry's variables, and the JVM, if it is one."""
    found: dict[str, str | int] = {}
    if len(processes) == 1:
        (process,) = processes
        found = {"process.pid": process.pid, "process.command_line": command(process), "process.runtime.version": process.jvm}
        found |= {OTEL_NAMES.get(name, name): value for name, value in process.labels.items()}
    found |= run_labels.resource_attributes(environment)
    found["service.name"] = environment.get(SERVICE) or found.get("service.name") or "unknown_service:java"
    return found


def attribute(key: str, value: str | int) -> bytes:
    held = number(INT_VALUE, value) if isinstance(value, int) else text(STRING_VALUE, value)
    return field(ATTRIBUTES, text(KEY, key) + field(VALUE, held))


def dictionary(snapshot: Snapshot, strings: Strings, methods: dict[MethodKey, int], paths: dict[tuple[int, ...], int]) -> bytes:
    tables = field(MAPPINGS, EMPTY) + field(LINKS, EMPTY) + field(LOCATIONS, EMPTY) + field(FUNCTIONS, EMPTY) + field(STACKS, EMPTY)
    tables += field(KEYED_VALUES, EMPTY)
    frame_type = number(KEY_INDEX, strings("profile.frame.type")) + field(KEYED_VALUE, text(STRING_VALUE, "jvm"))
    tables += field(KEYED_VALUES, frame_type)
    for method, at in methods.items():
        class_name, name, _ = method
        written = strings(snapshot.readable.frame(*method))
        jvm, file = strings(f"{class_name}.{name}" if class_name else name), strings(snapshot.class_sources.get(class_name, ""))
        tables += field(FUNCTIONS, number(NAME, written) + number(SYSTEM_NAME, jvm) + number(FILENAME, file))
        tables += field(LOCATIONS, field(LINES, number(FUNCTION_INDEX, at)) + packed(LOCATION_ATTRIBUTES, [FRAME_TYPE]))
    for locations in paths:
        tables += field(STACKS, packed(LOCATION_INDICES, locations))
    return tables + strings.message(STRINGS)
