"""The stock rules for JDBC with the newest drivers: each statement once, by its text without literals; what is
prepared, fetched and committed."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from classhook.classfile.reader import ClassFile
from classhook.rules.parse import load
from tests import compiling, peers
from tests.conftest import FindJvm, Run, classhook_command, execute

DRIVERS = {artifact.name: artifact for artifact in peers.JDBC_DRIVERS}
PROGRAM = Path(__file__).parent / "java" / "libraries" / "UseJdbc.java"

#: Methods that the rules name, by which all ways to execute a statement go, and some that they match as JDBC's.
CALLED = {
    "postgresql": [
        "PgConnection.prepareStatement(String)",
        "PgConnection.commit()",
        "PgStatement.executeCachedSql(String, int, String[])",
        "PgStatement.internalExecuteBatch()",
        "PgPreparedStatement.executeWithFlags(int)",
        "PgResultSet.next()",
    ],
    "mysql-connector-j": [
        "ConnectionImpl.prepareStatement(String)",
        "ConnectionImpl.commit()",
        "StatementImpl.executeQuery(String)",
        "StatementImpl.executeInternal(String, boolean)",
        "StatementImpl.executeUpdateInternal(String, boolean, boolean)",
        "ClientPreparedStatement.executeInternal(int, Message, boolean, boolean, ColumnDefinition, boolean)",
        "ServerPreparedStatement.executeInternal(int, Message, boolean, boolean, ColumnDefinition, boolean)",
        "ResultSetImpl.next()",
    ],
    "mariadb-java-client": [
        "Connection.prepareStatement(String)",
        "Connection.commit()",
        "Statement.executeInternal(String, int)",
        "Statement.executeInternalBatchPipeline()",
        "ClientPreparedStatement.executeInternal()",
        "ServerPreparedStatement.executeInternalPreparedBatch()",
        "StreamingResult.next()",
    ],
    "sqlite-jdbc": [
        "JDBC3Connection.prepareStatement(String)",
        "SQLiteConnection.commit()",
        "JDBC3Statement.executeLargeUpdate(String)",
        "JDBC3Statement.executeLargeBatch()",
        "JDBC3PreparedStatement.executeQuery()",
        "CorePreparedStatement.executeLargeBatch()",
        "JDBC3ResultSet.next()",
    ],
    "mssql-jdbc": [
        "SQLServerConnection.prepareStatement(String)",
        "SQLServerConnection.commit()",
        "SQLServerStatement.execute(String, int)",
        "SQLServerStatement.executeBatch()",
        "SQLServerPreparedStatement.executeQuery()",
        "SQLServerPreparedStatement.executeLargeBatch()",
        "SQLServerResultSet.next()",
    ],
}
#: Fields that hold the text of a prepared statement, by driver.
TEXTS = {
    "mssql-jdbc": ("SQLServerPreparedStatement.userSQL", "SQLServerStatement.batchStatementBuffer"),
    "ojdbc11": ("OracleStatement.sqlObject", "OracleSql.originalSql"),
    "postgresql": (
        "PgPreparedStatement.preparedQuery",
        "CachedQuery.key",
        "SimpleQuery.nativeQuery",
        "NativeQuery.nativeSql",
    ),
    "mysql-connector-j": ("StatementImpl.query", "ClientPreparedQuery.originalSql"),
    "mariadb-java-client": ("BasePreparedStatement.sql", "Statement.batchQueries"),
}

USED = {
    "SQL": {
        "create table parts (id int, name varchar(?))": 1,
        "insert into parts values (?, …)": 6,
        "select name from parts where id in (?, …)": 4,
    },
    "SQL prepared": {
        "select id from parts where name = ? and id > ?": 4,
        "update parts set name = ? where id = ?": 6,
        "insert into parts (id, name) values (?, …)": 2,
    },
}
DELETED = "delete from parts where id = ?"
#: Name of the driver -> the JDK that it needs, the URL, how it executes the batch of texts, rows of a batch that count.
DATABASES = {
    "h2": (17, "jdbc:h2:mem:x;DB_CLOSE_DELAY=-1", ("SQL", DELETED, 2), 2),
    "hsqldb": (17, "jdbc:hsqldb:mem:x", ("SQL batches", "org.hsqldb.jdbc.JDBCStatement", 1), 2),
    "sqlite-jdbc": (17, "jdbc:sqlite:{}/x", ("SQL batches", DELETED, 1), 2),
    "derby": (25, "jdbc:derby:memory:x;create=true", ("SQL", DELETED, 2), 4),
}
#: Statements that drivers and the pool execute of their own accord.
OWN = re.compile(r"pragma |select \?$|SELECT last_insert_rowid\(\)")


def fetched(artifacts: list[peers.Artifact], config: pytest.Config) -> list[Path]:
    """Their jars; skips the test if one cannot be fetched."""
    try:
        return [peers.fetch(one, config.cache.mkdir("peers")) for one in artifacts]
    except peers.Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", CALLED)
def test_what_a_driver_has(name: str, pytestconfig: pytest.Config) -> None:
    (jar,) = fetched([DRIVERS[name]], pytestconfig)
    done = execute([*classhook_command(), "check", "-v", "-r", "jdbc", jar])
    assert done.status == 0, done.stdout
    found = {match[1] for match in re.finditer(r"^    \S+\.(\w+\.\w+\(.*\))$", done.stdout, re.MULTILINE)}
    assert set(CALLED[name]) <= found, sorted(found)


@pytest.mark.parametrize("name", TEXTS)
def test_where_a_driver_has_the_text(name: str, pytestconfig: pytest.Config) -> None:
    (jar,) = fetched([DRIVERS[name]], pytestconfig)
    texts = set(TEXTS[name])
    assert texts <= fields(jar, {text.partition(".")[0] for text in texts})


@pytest.mark.parametrize("name", DATABASES)
def test_a_database(name: str, find_jvm: FindJvm, run: Run, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    version, url, batch, rows = DATABASES[name]
    jvm = find_jvm(version)
    more = [peers.DERBY_NEEDS] if name == "derby" else []
    path = ":".join(map(str, [tmp_path, *fetched([*peers.HIKARI, DRIVERS[name], *more], pytestconfig)]))
    compiling.javac(jvm.tool("javac"), "-d", tmp_path, "-cp", path, PROGRAM)
    done = run(
        [rule.text for rule in load(["jdbc"]).rules],
        jvm.java,
        f"-Dderby.stream.error.file={tmp_path}/log",
        "-cp",
        path,
        "UseJdbc",
        url.format(tmp_path),
    )
    assert done.status == 0, done.stderr
    counts: dict[str, Counter[str]] = {}
    for row in done.report["keys"]:
        if not OWN.match(row["key"]):
            counts.setdefault(row["name"], Counter())[row["key"]] += row["calls"]
    expected = {rule: dict(texts) for rule, texts in USED.items()}
    expected["SQL prepared"]["insert into parts (id, name) values (?, …)"] = rows
    expected.setdefault(batch[0], {})[batch[1]] = batch[2]
    assert {rule: dict(found) for rule, found in counts.items()} == expected, "the same for wrapped connections"
    fetched_rows = sum(row["calls"] for row in done.report["methods"] if '"JDBC rows fetched"' in row["rule"])
    assert fetched_rows >= 4
    assert done.data
    grouped = json.loads(execute([*classhook_command(), "report", "-f", "json", "--group", "name", done.data]).stdout)
    groups = {row["group"]: row for row in grouped["methods"]}
    commits, prepared = groups["JDBC commit"], groups["JDBC prepare"]
    assert commits["calls"] in (2, 3), "some drivers commit, too, where the connection commits by itself"
    assert commits["nested"] >= 2
    assert prepared["calls"] == 5, "not those of wrappers"


def fields(jar: Path, classes: set[str]) -> set[str]:
    """The fields of the classes with these simple names, each as `Class.field`."""
    with zipfile.ZipFile(jar) as packed:
        names = [Path(name) for name in packed.namelist() if name.endswith(".class")]
        read = [(path.stem, ClassFile.parse(packed.read(str(path)))) for path in names if path.stem in classes]
    return {f"{simple}.{cf.pool.utf8(field)}" for simple, cf in read for _, field, _ in cf.fields()}
