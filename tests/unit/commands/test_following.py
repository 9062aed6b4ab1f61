"""Progress of long changes, where there is no terminal."""

from __future__ import annotations

import pytest

from classhook.base.signals import Noted
from classhook.commands import following
from classhook.live.class_changes import limited


def test_progress_is_said_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(following, "SAID_EVERY", 0.0)
    signals = Noted()
    with following.following("instrumenting Main", False, 0.02, False, signals) as manner:
        assert manner.goes_on is not None
        assert manner.goes_on(0, 0)
        assert manner.goes_on(1234, 5678)
        monkeypatch.setattr(following, "SAID_EVERY", 10.0)
        assert manner.goes_on(1235, 5678)
        signals.number = 2
        assert not manner.goes_on(1236, 5678)
        assert not manner.goes_on(1237, 5678)
    assert manner.at_most_us == 20_000
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "classhook: instrumenting Main: waiting for the JVM",
        "classhook: instrumenting Main: 1,234 of 5,678 classes so far",
        "classhook: instrumenting Main: undoing the changes; press Ctrl-C again to stop waiting",
    ]


@pytest.mark.parametrize(("seconds", "microseconds"), [(0, 0), (1e-10, 1), (0.02, 20_000), (1e30, 1 << 53)])
def test_a_limit_is_one_however_short_or_long(seconds: float, microseconds: int) -> None:
    assert limited(False, seconds).at_most_us == microseconds
