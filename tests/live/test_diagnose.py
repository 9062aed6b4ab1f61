"""`classhook diagnose` says of a program with known faults which these are, on one page."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests import jars
from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, Compiled, Jvm, classhook_command, execute

pytestmark = pytest.mark.core

LINES = 20  # of an order, in java/Incident.java


@pytest.fixture
def incident(jvm: Jvm, compiled: Compiled) -> Iterator[int]:
    database = jars.find("h2.jar")
    if database is None:
        pytest.skip(jars.missing("h2.jar"))
    line = [jvm.java, "-cp", f"{compiled('Incident')}:{database}", "Incident"]
    with subprocess.Popen(
        [*map(str, line)], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        yield program.pid
        program.kill()


def rows_of(page: dict[str, Any], part: str) -> list[dict[str, Any]]:
    """The rows of a part, by its name."""
    (found,) = [one["rows"] for one in page["parts"] if one["part"] == part]
    return list(found)


@OLDEST_AND_NEWEST
def test_a_page_names_the_faults_of_a_service(incident: int, tmp_path: Path) -> None:
    diagnose = [*classhook_command(), "diagnose", str(incident), "--data", tmp_path / "data", "--for"]
    done = execute([*diagnose, "5s", "-f", "json"])
    assert done.status == 0, done.stderr
    page = json.loads(done.stdout)
    endpoints = {one["endpoint"]: one for one in rows_of(page, "endpoints")}
    assert set(endpoints) == {f"handler [/{name}]" for name in ("balance", "rate", "slow", "report", "order")}
    assert endpoints["handler [/slow]"]["p50_ns"] >= 5_000_000, "it sleeps so long"
    assert all(one["p50_ns"] <= one["p99_ns"] <= one["max_ns"] for one in endpoints.values())
    totals = [one["total_ns"] for one in rows_of(page, "endpoints")]
    assert totals == sorted(totals, reverse=True)

    slow = [one for one in rows_of(page, "places") if one["endpoint"] == "handler [/slow]"]
    assert any("Incident.pause(long)  waits in Thread.sleep" in str(one.values()) for one in slow), (
        "of threads that were there before"
    )
    (many,) = [
        one for one in rows_of(page, "sql") if "where id" in one["text"] and one["endpoint"] == "handler [/order]"
    ]
    assert LINES - 1 < many["per_call"] < LINES + 1
    (said,) = [note for one in page["parts"] for note in one["notes"] if note.startswith("N+1: ")]
    assert "in each call of handler [/order]" in said
    assert any(one["endpoint"] == "handler [/rate]" and one["total_ns"] for one in rows_of(page, "http"))
    first = rows_of(page, "locks")[0]
    assert first["wanted_in"].startswith("Incident.balance:")
    assert re.match(r"Incident\.(pause|audits):\d+ by auditor", first["held_in"])
    assert "byte[]  in Incident.report:" in str(rows_of(page, "allocations")[0].values())
    assert "CPU time: " in str(page["parts"][-1]["notes"])

    text = execute([*diagnose, "1s"]).stdout
    assert max(map(len, text.splitlines())) <= 120
    assert len(text.splitlines()) < 80
    (tmp_path / "page.html").touch()
    assert execute([*diagnose, "1s", "-f", "html", "-o", tmp_path / "page.html"]).status == 0
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_data = seen.append  # type: ignore[method-assign]
    parser.feed((tmp_path / "page.html").read_text())
    assert "handler [/balance]" in seen


def test_what_is_not_there_is_left_out(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    """Also with `run --diagnose`."""
    line = [*classhook_command(), "run", "--diagnose", "-e", "context Contexts::waits", "-o", tmp_path / "data", "--"]
    done = execute([*line, jvm.java, "-cp", compiled("Contexts"), "Contexts", "platform", "2", "1000"])
    assert done.status == 0, done.stderr
    assert re.search(r"^ *[\d.]+ [mµ]?s +2 .* Contexts\.waits$", done.stdout, re.MULTILINE)
    for name, why in (("sql", "no SQL was executed"), ("http", "no HTTP request was sent")):
        assert re.search(f"^  {name}: {why}", done.stdout, re.MULTILINE), done.stdout
