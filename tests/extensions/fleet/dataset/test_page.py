"""The lists of the page about datasets are made of the columns."""

from __future__ import annotations

from tools.fleet import dataset_page


def test_the_lists_of_the_page_are_made_of_the_columns() -> None:
    assert dataset_page.PAGE.read_text() == dataset_page.page(), "python -m tools.generated"
