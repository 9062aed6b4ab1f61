"""The list of the forms of reports: each is there, once, with the functions that its kind needs."""

from __future__ import annotations

import pytest

from classhook.reports.forms import COVERAGE, FORMS, Form, forms


def test_no_form_is_twice() -> None:
    assert len({(form.name, form.shows) for form in FORMS}) == len(FORMS)
    assert sum(len(forms(shows)) for shows in {form.shows for form in FORMS}) == len(FORMS)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name} of {form.shows}")
def test_a_form_has_a_module(form: Form) -> None:
    module = form.load()
    for function in ("report", "piece") if form.shows == COVERAGE else ("report",):
        assert callable(getattr(module, function))
