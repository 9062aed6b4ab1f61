"""Names of methods for people."""

from __future__ import annotations

from classhook.base.names import printable
from classhook.extensions.selection.hierarchy import MethodName
from classhook.model.snapshot import Snapshot


def method(snapshot: Snapshot, name: MethodName) -> str:
    """`com.acme.Orders.place(Order)`, as reports show it."""
    member, sign, descriptor = name[1].partition("(")
    return printable(snapshot.readable.text(name[0].replace("/", "."), member, sign + descriptor))
