"""Compares the tests that a mutant makes fail with those that are selected for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.extensions.selection import facts
from classhook.extensions.selection.deciding import select
from classhook.extensions.selection.program import Program
from classhook.extensions.selection.recording import Recording
from tools.mutants.points import Point


@dataclass
class Proof:
    """`failing`: tests that failed, of all mutants; `missed`: those of them that were not selected, each with its
    mutant; `shares`: of the tests, and of their time, that are selected for each mutant."""

    mutants: int = 0
    noticed: int = 0
    failing: int = 0
    hung: int = 0
    missed: list[tuple[Point, str]] = field(default_factory=list)
    of_tests: list[float] = field(default_factory=list)
    of_time: list[float] = field(default_factory=list)
    everything: int = 0

    def __str__(self) -> str:
        def mean(values: list[float]) -> str:
            return f"{100 * sum(values) / (len(values) or 1):.1f} %"

        return (
            f"{self.mutants:,} mutants, {self.noticed:,} noticed, {self.hung:,} did not end; {self.failing:,} failing"
            f" tests, {len(self.missed):,} missed; selected: {mean(self.of_tests)} of the tests, {mean(self.of_time)}"
            " of their time"
        )


def add(
    proof: Proof, recording: Recording, program: Program, point: Point, data: bytes, failed: set[str], hung: bool
) -> None:
    """Adds a mutant. `data`: its class file; `failed`: the tests that failed, but for those that fail without it.
    `Class#*` is a class whose set-up failed: one of its tests must be selected."""
    changed = Program(program.classes | {point.class_name: facts.read(data)}, program.files)
    found = select([recording], changed, [])
    proof.mutants += 1
    proof.noticed += bool(failed)
    proof.hung += hung
    proof.failing += len(failed)
    proof.everything += bool(found.anything)
    proof.of_tests.append(len(found.reasons) / (len(found.known) or 1))
    proof.of_time.append(found.share_of_time)
    classes = {name.partition("#")[0] for name in found.reasons}
    proof.missed += [
        (point, name)
        for name in sorted(failed)
        if name not in found.reasons and not (name.endswith("#*") and name[:-2] in classes)
    ]
