"""The JVM in OpenTelemetry's messages: a message Resource, with attributes of the semantic
conventions.

Its labels, and what users say of it by OpenTelemetry's variables
(https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from classhook.base import run_labels
from classhook.model.snapshot import Process
from classhook.reports.protobuf import double, field, number, text
from classhook.reports.titles import command

ATTRIBUTES, KEY, VALUE = 1, 1, 2  # Resource, and KeyValue in it
STRING_VALUE, INT_VALUE, DOUBLE_VALUE = 1, 3, 4  # AnyValue
SCOPE_NAME = 1  # InstrumentationScope
OTEL_NAMES = {label: name for name, label in run_labels.ATTRIBUTES.items()}
SERVICE = "OTEL_SERVICE_NAME"
#: For the number of an instance: the same process always has the same one.
INSTANCES = uuid.UUID("6c1d2f3e-0d6b-4b0e-9a52-5b1f6f0c7a11")


def resource(processes: list[Process], environment: Mapping[str, str]) -> bytes:
    """The message of one JVM, or of several together."""
    return b"".join(attribute(ATTRIBUTES, *one) for one in described(processes, environment).items())


def described(processes: list[Process], environment: Mapping[str, str]) -> dict[str, str | int]:
    """The attributes by name."""
    found: dict[str, str | int] = {}
    if len(processes) == 1:
        (process,) = processes
        own = f"{process.labels.get('host', '')} {process.pid} {process.start_unix_ns}"
        found = {
            "process.pid": process.pid,
            "process.command_line": command(process),
            "process.runtime.version": process.jvm,
        }
        found["service.instance.id"] = str(uuid.uuid5(INSTANCES, own))
        found |= {OTEL_NAMES.get(name, name): value for name, value in process.labels.items()}
    found |= run_labels.resource_attributes(environment)
    found["service.name"] = environment.get(SERVICE) or found.get("service.name") or "unknown_service:java"
    return found


def attribute(at: int, key: str, value: str | int | float) -> bytes:
    """A field with a KeyValue."""
    if isinstance(value, str):
        held = text(STRING_VALUE, value)
    else:
        held = number(INT_VALUE, value) if isinstance(value, int) else double(DOUBLE_VALUE, value)
    return field(at, text(KEY, key) + field(VALUE, held))


def scope() -> bytes:
    """The message InstrumentationScope: who measured."""
    return text(SCOPE_NAME, "classhook")
