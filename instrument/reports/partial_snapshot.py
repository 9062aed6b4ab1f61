"""Reading a part of the counts: a context, threads."""

from __future__ import annotations

from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import Within

#: The data that a part takes from the whole: about classes and rules.
OF_ALL = ("seen", "matched", "woven", "cached", "skipped", "rules", "rule_names", "notes")


def read_part(snapshot: Snapshot, within: Within, trees: bool = False, sums: bool = False) -> Snapshot:
    """The same as the snapshot, of a part of what was counted; `trees`, `sums`: see ReadPart."""
    assert snapshot.read_part is not None
    part = snapshot.read_part(within, trees, sums)
    for field in OF_ALL:
        setattr(part, field, getattr(snapshot, field))
    return part
