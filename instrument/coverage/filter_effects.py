"""The effects of filters on a method: instructions that do not count, duplicates that count as one, and other branches
in place of some."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.coverage.method_body import Switch


class Effects:
    """ignored[i]: instruction i does not count. `same`: pairs to merge. `replaced`: by instruction its new branches;
    each is covered if one of its (instruction, branch) pairs is.
    """

    __slots__ = ("any", "count", "ignored", "replaced", "same")

    def __init__(self, count: int) -> None:
        self.count: int = count
        self.any: bool = False
        self.ignored: bytearray = bytearray(count)
        self.same: list[tuple[int, int]] = []
        self.replaced: dict[int, list[list[tuple[int, int]]]] = {}

    def ignore(self, start: int, end: int) -> None:
        """Instructions start..end, `end` excluded, do not count."""
        if end > start:
            self.any = True
            self.ignored[start:end] = b"\1" * (end - start)

    def ignore_all(self) -> None:
        """Nothing of the method counts."""
        self.ignore(0, self.count)

    def merge(self, kept: int, other: int) -> None:
        """The two are one, with the branches of both; it is counted at `kept`."""
        self.any = True
        self.same.append((kept, other))

    def replace(self, i: int, branches: list[list[tuple[int, int]]]) -> None:
        """Instruction i has these branches in place of its own."""
        self.any = True
        self.replaced[i] = branches

    def replace_by_cases(self, i: int, switch: Switch) -> None:
        """The switch at i has a branch for each case label, and none for its default."""
        self.replace(i, [[(i, case)] for case in range(1, len(switch.distinct))])

    def kept(self) -> dict[int, int]:
        """The kept instruction for each merged one."""
        kept_by = list(range(self.count)) if self.same else []
        for kept, other in self.same:
            a = _root(kept_by, kept)
            b = _root(kept_by, other)
            if a != b:
                kept_by[b] = a
        return {i: _root(kept_by, i) for pair in self.same for i in pair}

    def apply(self, bits: list[int], branches: list[int]) -> None:
        """Changes covered branches (bits) and numbers of branches; merged instructions but the kept ones become
        ignored."""
        if self.same:
            kept = self.kept()
            for i, root in kept.items():
                bits[root] |= bits[i]
            for i, root in kept.items():
                if root != i:
                    bits[i] = bits[root]
                    branches[i] = branches[root]
                    self.ignored[i] = 1
        if self.replaced:
            before = bits.copy()
            for i, new in self.replaced.items():
                bits[i] = 0
                branches[i] = len(new)
                for b in range(len(new)):
                    for source, branch in new[b]:
                        if before[source] >> branch & 1:
                            bits[i] |= 1 << b


def _root(kept_by: list[int], i: int) -> int:
    while kept_by[i] != i:
        i = kept_by[i]
    return i
