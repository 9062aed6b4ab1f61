"""Tests that ran without the agent, by the reports of a build."""

from __future__ import annotations

import os
from pathlib import Path

from classhook.commands.unseen_tests import unseen

CASES = """<testsuite>
<testcase name="places" classname="com.acme.{0}Test"/>
<testcase name="inner" classname="com.acme.{0}Test$Inner"/>
<testcase name="skipped" classname="com.acme.{0}SkippedTest"><skipped/></testcase>
</testsuite>"""


def put(folder: Path, file: str, name: str, at: float = 100) -> None:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CASES.format(name))
    os.utime(path, (at, at))


def test_classes_that_reports_name_and_nobody_saw(tmp_path: Path) -> None:
    put(tmp_path, "core/target/surefire-reports/TEST-a.xml", "Order")
    put(tmp_path, "app/target/failsafe-reports/TEST-a.xml", "Shop")
    put(tmp_path, "web/build/test-results/test/TEST-a.xml", "Page")
    put(tmp_path, "core/target/surefire-reports/TEST-old.xml", "Old", at=50)
    put(tmp_path, "core/src/target/surefire-reports/TEST-a.xml", "Source")
    (tmp_path / "core/target/surefire-reports/TEST-broken.xml").write_text("<testsuite")
    every = ["com.acme.OrderTest", "com.acme.PageTest", "com.acme.ShopTest"]
    assert unseen(tmp_path, 99, set()) == every
    assert unseen(tmp_path, 99, {"com.acme.OrderTest$Inner", "com.acme.ShopTest"}) == ["com.acme.PageTest"]
    assert unseen(tmp_path, 101, set()) == []
