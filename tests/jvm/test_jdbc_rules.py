"""The stock rules for JDBC match the newest drivers: what they prepare, execute, fetch and commit."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from classhook.rules.parse import load
from tests import peers
from tests.conftest import Compiled, Jvm, Run, classhook_command, execute

RULES = Path(__file__).parents[2] / "rules" / "stock" / "jdbc.rules"
DRIVERS = {artifact.name: artifact for artifact in peers.JDBC_DRIVERS}

#: Methods that an application calls, by the class that its driver gives it.
CALLED = {
    "postgresql": [
        "PgConnection.prepareStatement(String)",
        "PgConnection.commit()",
        "PgStatement.execute(String)",
        "PgPreparedStatement.executeQuery()",
        "PgResultSet.next()",
    ],
    "mysql-connector-j": [
        "ConnectionImpl.prepareStatement(String)",
        "ConnectionImpl.commit()",
        "StatementImpl.execute(String)",
        "ClientPreparedStatement.executeQuery()",
        "ResultSetImpl.next()",
    ],
    "mariadb-java-client": [
        "Connection.prepareStatement(String)",
        "Connection.commit()",
        "Statement.execute(String)",
        "ClientPreparedStatement.executeQuery()",
        "StreamingResult.next()",
    ],
    "sqlite-jdbc": [
        "JDBC3Connection.prepareStatement(String)",
        "SQLiteConnection.commit()",
        "JDBC3Statement.execute(String)",
        "JDBC3PreparedStatement.executeQuery()",
        "JDBC3ResultSet.next()",
    ],
    "mssql-jdbc": [
        "SQLServerConnection.prepareStatement(String)",
        "SQLServerConnection.commit()",
        "SQLServerStatement.execute(String)",
        "SQLServerPreparedStatement.executeQuery()",
        "SQLServerResultSet.next()",
    ],
    "h2": [
        "JdbcConnection.prepareStatement(String)",
        "JdbcConnection.commit()",
        "JdbcStatement.execute(String)",
        "JdbcPreparedStatement.executeQuery()",
        "JdbcResultSet.next()",
    ],
}


@pytest.fixture
def driver(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Path:
    """A driver's jar; skips the test if it cannot be fetched."""
    try:
        return peers.fetch(DRIVERS[request.param], pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(("driver", "called"), CALLED.items(), indirect=["driver"], ids=CALLED)
def test_what_a_driver_has(driver: Path, called: list[str]) -> None:
    done = execute([*classhook_command(), "check", "-v", "-r", RULES, driver])
    assert done.status == 0, done.stdout
    found = {match[1] for match in re.finditer(r"^    \S+\.(\w+\.\w+\(.*\))$", done.stdout, re.MULTILINE)}
    assert set(called) <= found, sorted(found)


@pytest.mark.parametrize(("driver", "url"), [("h2", "jdbc:h2:mem:"), ("sqlite-jdbc", "jdbc:sqlite::memory:")], indirect=["driver"])
def test_a_database(driver: Path, url: str, jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [rule.text for rule in load([RULES]).rules]
    done = run(rules, jvm.java, "-cp", f"{compiled('Jdbc')}:{driver}", "Jdbc", url)
    assert done.stdout == "45\n", done.stderr
    names = dict(re.findall(r'^\w+ (.*) as "JDBC (.*)"$', "\n".join(rules), re.MULTILINE))
    counts: Counter[str] = Counter()
    for row in done.report["methods"]:
        counts[row["rule"].rpartition('"JDBC ')[2].rstrip('"')] += row["calls"]
    assert set(counts) == set(names.values())
    assert counts["rows fetched"] >= 11
    assert counts["commit"] >= 1
    assert counts["prepare"] >= 2
    assert counts["execute prepared"] >= 10 + 2 * 9
    assert counts["execute"] >= 2
    assert done.data
    grouped = json.loads(execute([*classhook_command(), "report", "-f", "json", "--group", "name", done.data]).stdout)
    groups = {row["group"]: row for row in grouped["methods"]}
    prepared = groups["JDBC execute prepared"]
    assert (prepared["calls"], prepared["calls_is_bound"], prepared["total_is_bound"]) == (10, False, False), "not those of wrappers"
    assert prepared["nested"] == counts["execute prepared"] - 10
    assert (groups["JDBC prepare"]["calls"], groups["JDBC commit"]["calls"]) == (2, 1)
