"""Facts that both C and Python need are the same on both sides."""

from __future__ import annotations

import re
from pathlib import Path

from classhook.probes.reasons import MEANING
from classhook.rules.ruleset import JDK_MODULES, JDK_PACKAGES

ROOT = Path(__file__).parents[3]


def test_every_reason_of_the_agent_has_a_meaning() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "native" / "classes").glob("*.c"))
    reasons = set(re.findall(r'ch_(?:skip_matched|skip)\((?:[^";]*), "([a-z-]+)"', sources))
    assert {"loader-refuses", "refused-by-jvm", "class-too-large"} <= reasons
    assert reasons <= MEANING.keys()


def test_every_reason_is_on_the_page_of_the_report() -> None:
    page = (ROOT / "docs" / "reference" / "numbers.md").read_text()
    assert {reason for reason in MEANING if f"`{reason}`" not in page} == set()


def test_the_agent_knows_the_jdks_classes_by_the_same_names() -> None:
    body = (ROOT / "native" / "classes" / "filter.c").read_text()
    found = re.findall(r'!strncmp\((name|start), "([^"]+)"', body)
    assert tuple(text for what, text in found if what == "start") == JDK_MODULES
    assert tuple(text.replace("/", ".") for what, text in found if what == "name") == JDK_PACKAGES
