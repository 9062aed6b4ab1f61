"""The stock rules `endpoints` and `spring` with Spring: annotated methods, routes of functions, and what goes on when
WebClient has an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from classhook.rules.parse import load
from tests import peers
from tests.conftest import FindJvm, Run, classhook_command, execute
from tests.jvm.test_stock_rules import ended

#: Methods that belong to each endpoint, beside the request.
WEB_FLUX = {
    "UseRoutes$Shop.price": {"price", "answer", "priced"},
    "UseRoutes$Shop.status": {"status", "checked"},
    "UseRoutes$Shop.refused": {"refused", "without"},
    "route [/items/{id}]": {"item", "answer", "counted"},
    "route [/admin/{id}]": {"administered"},
    "route [/guest/{id}]": {"visited"},
}
ROUTES = ("/items/{id}", "/admin/{id}", "/guest/{id}")
MVC = {f"UseServletRoutes.{name}": {name} for name in ("item", "administered", "visited")}


@pytest.mark.slow  # Spring takes ten seconds
@pytest.mark.parametrize(
    ("program", "starter", "expected"),
    [("UseRoutes", peers.SPRING_FLUX, WEB_FLUX), ("UseServletRoutes", peers.SPRING_WEB, MVC)],
)
def test_each_route_is_an_endpoint_and_what_follows_belongs_to_it(
    program: str,
    starter: peers.Artifact,
    expected: dict[str, set[str]],
    find_jvm: FindJvm,
    run: Run,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> None:
    try:
        jars = peers.fetch_all(starter, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    methods = {method for names in expected.values() for method in names}
    counted = f"count {program}::{{{','.join(sorted(methods))}}}, {program}$Shop::*"
    ran = ended(
        "endpoints",
        program,
        find_jvm(17),
        jars,
        tmp_path,
        run,
        counted,
        *[rule.text for rule in load(["spring"]).rules],
    )
    done = execute([*classhook_command(), "report", ran.data, "--by", "context", "-f", "json"])
    found = {
        one["context"]: {
            row["method"]: row["calls"] for row in one["methods"] if row["calls"] and row["method"] in methods
        }
        for one in json.loads(done.stdout)["contexts"]
    }
    assert {context: calls for context, calls in found.items() if calls} == {
        context: dict.fromkeys(names, 3) for context, names in expected.items()
    }
    keys = {(row["name"], row["key"]): row["calls"] for row in ran.report["keys"]}
    for route in ROUTES if program == "UseRoutes" else ():
        assert keys["WebFlux routes", route] == keys["WebFlux functional handlers", route] == 3
