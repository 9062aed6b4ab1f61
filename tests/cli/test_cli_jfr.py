"""`report -f jfr`, read by the JDK's own `jfr`."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests import peers
from tests.conftest import Jvm, Result, classhook_command, execute

KEPT = Path(__file__).parents[1] / "versions" / "shop-1.0.zip"
SHARE = 0.005  # of 20,000 samples


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Samples, allocations and a watched call of the shop."""
    with ZipFile(KEPT) as packed:
        packed.extractall(tmp_path / "data")
    return tmp_path / "data"


def report(data: Path, *words: str | Path) -> Result:
    return execute([*classhook_command(), "report", data, *words])


def events(jvm: Jvm, file: Path, kind: str) -> list[dict[str, Any]]:
    done = execute([jvm.tool("jfr"), "print", "--json", "--stack-depth", "64", "--events", kind, file])
    assert done.status == 0, done.stdout + done.stderr
    return [one["values"] for one in json.loads(done.stdout)["recording"]["events"]]


def top(event: dict[str, Any]) -> str:
    method = event["stackTrace"]["frames"][0]["method"]
    return f"{method['type']['name'].replace('/', '.')}.{method['name']}"


@pytest.mark.every_jvm
def test_the_jdk_reads_it(jvm: Jvm, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "shop.jfr"
    assert report(data, "-f", "jfr", "-o", file).status == 0
    rows = json.loads(report(data, "-f", "json").stdout)

    (call,) = events(jvm, file, "classhook.Call")
    (row,) = rows["calls"]
    assert (call["method"], call["eventThread"]["javaName"], call["rule"]) == ("shop.Stock.find", "main", row["rule"])
    assert [frame["lineNumber"] for frame in call["stackTrace"]["frames"]] == [0, 12]
    assert float(call["duration"].removeprefix("PT").removesuffix("S")) * 1e9 == pytest.approx(row["took_ns"], abs=1)

    allocated = Counter[str]()
    for one in events(jvm, file, "jdk.ObjectAllocationSample"):
        allocated[one["objectClass"]["name"].replace("/", ".")] += one["weight"]
    counted = Counter[str]()
    for one in rows["allocations"]:
        counted[re.sub(r"(.+)\[\]", r"[L\1;", one["type"])] += one["bytes"]
    assert allocated == counted

    (about,) = events(jvm, file, "jdk.JVMInformation")
    assert (about["pid"], about["javaArguments"]) == (rows["processes"][0]["pid"], "java -cp classes shop.ShopTests")


@pytest.mark.any_jvm
def test_samples_have_the_shares_of_the_tree(jvm: Jvm, data: Path, tmp_path: Path) -> None:
    for clock in ("cpu", "wall"):
        assert report(data, "-f", "jfr", "--clock", clock, "-o", tmp_path / "tree.jfr").status == 0
        samples = Counter(map(top, events(jvm, tmp_path / "tree.jfr", "jdk.ExecutionSample")))
        own = Counter[str]()
        for line in report(data, "-f", "collapsed", "--clock", clock).stdout.splitlines():
            path, _, weight = line.rpartition(" ")
            own[path.rpartition(";")[2]] += int(weight)
        assert 10_000 < samples.total() < 20_200
        for name in ("shop.Stock.<init>", "shop.Stock.normalized"):
            of_tree = sum(n for key, n in own.items() if key.startswith(name))
            assert samples[name] / samples.total() == pytest.approx(of_tree / own.total(), abs=SHARE), (clock, name)


@pytest.mark.any_jvm
def test_mission_control_reads_it(jvm: Jvm, data: Path, tmp_path: Path) -> None:
    """Its reader finds the same events and methods as the JDK's `jfr`, and no rule of it fails or misses the version."""
    try:
        jars = [peers.fetch(one, tmp_path / "jars") for one in peers.MISSION_CONTROL]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    file = tmp_path / "shop.jfr"
    report(data, "-f", "jfr", "-o", file)
    program = Path(__file__).with_name("MissionControl.java")
    done = execute([jvm.java, "-cp", ":".join(map(str, jars)), program, file])
    assert done.status == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    counted = {name: int(number) for kind, name, number, *_ in rows if kind == "events"}
    assert counted["jdk.ExecutionSample"] == len(events(jvm, file, "jdk.ExecutionSample"))
    assert (counted["classhook.Call"], counted["jdk.JVMInformation"]) == (1, 1)
    samples = {name: int(number) for kind, name, number, *_ in rows if kind == "samples"}
    assert samples == Counter(map(top, events(jvm, file, "jdk.ExecutionSample")))
    rules = {name: said for kind, name, *said in rows if kind == "rule"}
    assert len(rules) > 50
    assert [name for name, said in rules.items() if "version could not be determined" in said[1]] == []
    assert rules["StackdepthSetting"][0] == "OK"


def test_views(jvm: Jvm, data: Path, tmp_path: Path) -> None:
    if jvm.version < 21:
        pytest.skip("this `jfr` has no views")
    report(data, "-f", "jfr", "-o", tmp_path / "shop.jfr")
    for view, found in (("hot-methods", "shop.Stock.<init>(int)"), ("allocation-by-site", "shop.Stock.<init>(int)")):
        done = execute([jvm.tool("jfr"), "view", view, tmp_path / "shop.jfr"])
        assert (done.status, found in done.stdout) == (0, True), done.stdout + done.stderr


def test_nothing_to_record(tmp_path: Path, jvm: Jvm) -> None:
    line = ["run", "--quiet", "-e", "count none.Such::*", "-o", tmp_path / "data", "--", jvm.java, "-version"]
    assert execute([*classhook_command(), *line]).status == 0
    done = report(tmp_path / "data", "-f", "jfr", "-o", tmp_path / "x.jfr")
    assert (done.status, "there is nothing that JFR has events for" in done.stderr) == (1, True), done.stderr
