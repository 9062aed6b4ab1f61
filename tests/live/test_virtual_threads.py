"""A service that runs its requests on virtual threads, some of which are always mounted, and others wait, when rules
come and go."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, on, report_of, until
from tests.jvm.test_contexts import by_context
from tests.live.conftest import classhook

#: Requests that run at a time.
MOST = 8
COUNTS = "count Requests::{a,b,c,inA,inB,inC,request}"
CONTEXTS = ("context Requests::{a,b,c}", "context Requests::request")
OWN: dict[str | None, set[str]] = {
    "Requests.a": {"a", "inA"},
    "Requests.b": {"b", "inB"},
    "Requests.c": {"c", "inC"},
    "Requests.request": {"request"},
}


@pytest.fixture
def pid(jvm: Jvm, classes: Path) -> Iterator[str]:
    with subprocess.Popen(
        [jvm.java, "-cp", classes, "Requests"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield str(process.pid)
        process.communicate("\n", PATIENCE)
        assert process.returncode == 0


def check(data: Path) -> None:
    """Each method was called in the context of its request; requests that had begun before are outside."""
    found = by_context(data)
    assert {context: set(found[context]) for context in OWN} == OWN
    assert sum(found[None].values()) <= MOST
    (process,) = report_of(data)["processes"]
    placed = [name for one in process["placed"] for name in one["classes"]]
    assert "java.lang.VirtualThread" in placed
    assert placed[-1] == "Requests" or "Requests" not in placed, (
        "it may have to wait until the agent has reached its class loader"
    )


@on(25)
def test_each_session_has_its_own_contexts(pid: str, tmp_path: Path) -> None:
    rules = [word for rule in (*CONTEXTS, "time Requests::{a,b,c,inA,inB,inC,request}") for word in ("-e", rule)]
    for data in (tmp_path / "one", tmp_path / "two"):
        assert classhook("attach", pid, *rules, "-o", data, "--for", "2s").status == 0
        check(data)


@on(25)
def test_contexts_that_come_later(pid: str, tmp_path: Path) -> None:
    """VirtualThread, and the classes by which `b` hands over a task, were not woven for the first rule.

    A later session has all these rules at once."""
    assert classhook("attach", pid, "-e", COUNTS, "-o", tmp_path / "one").status == 0
    for context in CONTEXTS:
        assert classhook("ctl", pid, "rules", "add", context).status == 0

    def counted() -> bool:
        found = by_context(tmp_path / "one")
        return {context: set(found.get(context, ())) for context in OWN} == OWN

    until(counted)
    assert classhook("detach", pid).status == 0
    rules = [word for rule in (COUNTS, *CONTEXTS) for word in ("-e", rule)]
    assert classhook("attach", pid, *rules, "-o", tmp_path / "two", "--for", "1s").status == 0
    check(tmp_path / "two")
