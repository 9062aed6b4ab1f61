"""Conditions, keys, contexts and intervals on H2's database: the script that it runs says how many there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import jars
from tests.conftest import Jvm, Result, Run

pytestmark = pytest.mark.every_jvm

ROWS = 300
INSERTS = [f"INSERT INTO t VALUES({i}, 'name {i * 7919 % 100}', {i * 1.37:.2f})" for i in range(ROWS)]
SCRIPT = [
    "CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR(100), v DECIMAL(20, 2))",
    *INSERTS,
    "SELECT name, COUNT(*) FROM t GROUP BY name ORDER BY name LIMIT 20",
    "SELECT COUNT(*) FROM t a JOIN t b ON a.name = b.name WHERE a.id < 200",
    "UPDATE t SET v = v * 2 WHERE id < 90",
    "DELETE FROM nowhere",
]
EXECUTE = "org.h2.jdbc.JdbcStatement::execute"
THROWN = "org.h2.jdbc.JdbcSQLSyntaxErrorException"
RULES = [
    f'count {EXECUTE} when arg0 ~ "*INSERT*"',
    f'count {EXECUTE} when arg0 ~ "*SELECT*" && !(arg0 ~ "*JOIN*")',
    f"count {EXECUTE} when exception != null",
    f'count {EXECUTE} when arg0 ~ "*nowhere*" && result',
    f"count {EXECUTE} by outcome",
    f"count {EXECUTE} by result",
    f'time {EXECUTE} when arg0 ~ "*UPDATE*" || exception instanceof java.sql.SQLException',
    f"count {EXECUTE} over 1000s",
    f"value {EXECUTE} of arg0.length when arg0.length > 0",
    f'context {EXECUTE} when arg0 ~ "*INSERT*" as "inserts"',
    "count org.h2.command.Parser::parseInsert",
    f"time from {EXECUTE} to org.h2.engine.SessionLocal::prepareLocal by arg0, arg0",
    "count catches * in org.h2.jdbc.JdbcStatement",
    "count throws java.sql.SQLException+ in org.h2.jdbc.JdbcStatement",
    "count org.h2.value.ValueInteger::get by arg0",
    "count org.h2.value.ValueInteger::get when arg0 % 2 == 0 && arg0 in {10, 11, 12, 13}",
]


@pytest.fixture(scope="module")
def h2(jvm: Jvm, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Result:
    script: Path = tmp_path_factory.mktemp("h2") / "script.sql"
    script.write_text("".join(f"{statement};\n" for statement in SCRIPT))
    tool = ["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", str(script), "-continueOnError"]
    result = run(RULES, jvm.java, "-Xverify:all", "-cp", jars.find("h2.jar"), *tool)
    assert result.status == 0, result.stderr
    return result


def keys_of(result: Result, method: str, by: str = "") -> dict[str, int]:
    return {row["key"]: row["calls"] for row in result.report["keys"] if (row["method"], row["by"]) == (method, by)}


def test_statements_by_their_text_and_end(h2: Result) -> None:
    assert keys_of(h2, "execute") == {
        'when arg0 ~ "*INSERT*"': ROWS,
        'when arg0 ~ "*SELECT*" && !(arg0 ~ "*JOIN*")': 1,
        "when exception != null": 1,
        'when arg0 ~ "*UPDATE*" || exception instanceof java.sql.SQLException': 2,
        "to org.h2.engine.SessionLocal::prepareLocal by arg0": len(SCRIPT),
    }
    assert keys_of(h2, "execute", "outcome") == {"returned": len(SCRIPT) - 1, THROWN: 1}
    assert keys_of(h2, "execute", "result") == {"true": 2, "false": len(SCRIPT) - 3}


def test_numbers_of_the_chosen_statements(h2: Result) -> None:
    rows = {row["key"]: row for row in h2.report["values"]}
    assert rows[""]["count"] == rows["when arg0.length > 0"]["count"] == len(SCRIPT)
    assert rows[""]["sum"] == rows["when arg0.length > 0"]["sum"] >= sum(map(len, SCRIPT))


def test_a_context_for_inserts_alone(h2: Result) -> None:
    (context,) = h2.report["contexts"]
    assert (context["context"], context["entered"]) == ("inserts", ROWS)
    assert {row["method"]: row["calls"] for row in h2.report["methods"]}["parseInsert"] == ROWS


def test_from_a_statement_to_its_preparation(h2: Result) -> None:
    (prepared,) = keys_of(h2, "prepareLocal").items()
    assert prepared == (f"from {EXECUTE} by arg0", len(SCRIPT))


def test_who_caught_the_mistake_and_threw_it_again(h2: Result) -> None:
    rows = [(row["event"], row["method"], row["count"]) for row in h2.report["exceptions"]]
    assert sorted(rows) == [("catch", "execute", 1), ("throw", "execute", 1)]


def test_a_condition_agrees_with_keys(h2: Result) -> None:
    by_key = keys_of(h2, "get", "arg0")
    (chosen,) = (calls for key, calls in keys_of(h2, "get").items() if key.startswith("when "))
    assert chosen == by_key["10"] + by_key["12"] > 0
