"""A series of rounds of one JVM with one collector, for some minutes."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

from tools.corpus.machines import Machine
from tools.stress.checks import check
from tools.stress.outcomes import Round
from tools.stress.page import Cell
from tools.stress.rounds import ENDS, run

USUAL_KINDS = ("run", "sample", "attach", "run", "sample-attach")


@dataclass(frozen=True, slots=True)
class Wishes:
    """`minutes`: of the series; `seconds`: of a round; then what rounds take in turn, and `limits` of which each takes
    one at random, "" for none; `options`: of the JVM."""

    minutes: float = 10
    seconds: float = 40
    ends: tuple[str, ...] = tuple(ENDS)
    kinds: tuple[str, ...] = USUAL_KINDS
    limits: tuple[str, ...] = ("",)
    options: tuple[str, ...] = ()


def series(java: Machine, collector: str, classes: Path, output: Path, wishes: Wishes, random: Random) -> Cell:
    """Prints a line for each round; the folders of rounds with problems stay in `output`."""
    cell, ends, kinds = Cell(), cycle(wishes.ends), cycle(wishes.kinds)
    until = time.monotonic() + wishes.minutes * 60
    while time.monotonic() < until:
        one = Round(
            *(java.java, java.release, collector, next(ends), next(kinds), wishes.seconds, wishes.options),
            random.choice(wishes.limits),
        )
        folder = output / f"{java.release}-{collector}-{cell.rounds}"
        began = time.monotonic()
        outcome = run(one, classes, folder, random)
        check(outcome)
        cell.add(outcome)
        verdict = (
            "; ".join(outcome.problems)
            or f"well: {outcome.truth.get('calls', 0):,} calls, {sum(outcome.told.values()):,} events"
        )
        shown = f"{outcome.round!s:28} {outcome.commands:3} commands"
        print(f"{time.monotonic() - began:5.0f} s  {shown}  {verdict}", flush=True)
        if not outcome.problems:
            shutil.rmtree(folder)
    return cell
