"""Reports of a snapshot, whatever the program's names are."""

from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from instrument.data.rows import RuleRow, Snapshot
from instrument.measures.methods import MethodRow
from instrument.reports import Options
from instrument.reports.json import as_dict, report

names = st.text(max_size=8) | st.lists(
    st.sampled_from(['{"class": ', '], "rules": ', ', {"rule": ', '[{"pid": ', '"', "\\", "\n", "}", "\ud800"]), max_size=4
).map("".join)


@given(methods=st.lists(st.tuples(names, names, names), max_size=4), rule=names)
def test_the_lines_of_json_break_no_name(methods: list[tuple[str, str, str]], rule: str) -> None:
    snapshot = Snapshot(notes=[rule], rules={rule: RuleRow()})
    for key in methods:
        snapshot.tables["methods"][key] = MethodRow(calls=1, rule=rule)
    out = io.StringIO()
    report(snapshot, Options(), out)
    assert json.loads(out.getvalue()) == as_dict(snapshot, Options())
    assert len(out.getvalue().splitlines()) >= len(snapshot.tables["methods"])
