"""A page keeps the sections of other writers."""

from __future__ import annotations

from pathlib import Path

from tools.beside.page import SECTION as BESIDE
from tools.next_jdks.page import SECTION as NEXT_JDKS
from tools.sections import sections, with_section, with_sections_of
from tools.strangers.page import SECTION as STRANGERS
from tools.stress.page import SECTION as STRESS

PAGE = "# Title\n\nText.\n"


def test_a_section_is_added_and_replaced_and_the_rest_stays() -> None:
    once = with_section(PAGE, "one", "## One\n\n1\n\n")
    assert once == PAGE + "\n<!-- one: begin -->\n## One\n\n1\n<!-- one: end -->\n"
    twice = with_section(once, "two", "## Two")
    assert with_section(twice, "one", "## One\n\n2").replace("2", "1") == twice
    assert list(sections(twice)) == ["one", "two"]


def test_a_new_page_has_the_sections_of_the_old_one() -> None:
    old = with_section(with_section(PAGE, "one", "## One\n\n1"), "two", "## Two")
    assert with_sections_of(old, "# New\n") == old.replace(PAGE, "# New\n")
    assert with_sections_of("", PAGE) == with_sections_of(PAGE, PAGE) == PAGE


def test_the_page_of_verification_has_its_sections_last() -> None:
    page = (Path(__file__).parents[3] / "docs" / "explained" / "verification.md").read_text()
    found = sections(page)
    assert list(found) == [BESIDE, STRESS, NEXT_JDKS, STRANGERS]
    assert page.endswith([*found.values()][-1])
    assert "(#beside-other-agents-and-loaders)" in page
    assert "\n## Beside other agents and loaders\n" in found[BESIDE]
    assert "\n## Everything at once\n" in found[STRESS]
    assert "\n## Suites of others\n" in found[STRANGERS]
