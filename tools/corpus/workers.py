"""Runs the checks of tools/corpus/check.py on all processors."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterable, Iterator

from classhook.ahead.jars import batches
from classhook.rules.ruleset import RuleSet
from tools.corpus.check import Checked, check, rule_sets
from tools.corpus.corpora import OneClass

BATCH = 100
_rules: dict[str, RuleSet]


def _start_worker() -> None:
    global _rules
    gc.set_threshold(200_000)  # a collection would find almost nothing
    _rules = rule_sets()


def _work(batch: list[OneClass]) -> list[tuple[OneClass, Checked]]:
    return [(one, check(one, _rules)) for one in batch]


def checked_all(items: Iterable[OneClass]) -> Iterator[tuple[OneClass, Checked]]:
    """Yields each class with the results of its checks, in order."""
    with multiprocessing.get_context("forkserver").Pool(initializer=_start_worker) as pool:
        for done in pool.imap(_work, batches(items, BATCH)):
            yield from done
