"""`classhook lsp` and an editor: what it shows, completes and answers, and how it ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pytest_lsp")
from lsprotocol import types

from classhook.rules import stock_rules
from tests.conftest import ENVIRONMENT, JAVA_SOURCES, PATIENCE, Compiled, until
from tests.extensions.servers.editor.client import SERVER, Editor, editing

pytestmark = pytest.mark.core

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
)


@pytest.fixture(scope="module")
def folder(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that Maven has built."""
    found = tmp_path_factory.mktemp("project")
    (found / "target").mkdir()
    (found / "target" / "classes").symlink_to(compiled("editor"))
    return found


def marked(diagnostics: object) -> list[tuple[int, int, int, str]]:
    assert isinstance(diagnostics, list)
    return [
        (one.range.start.line, one.range.start.character, one.range.end.character, one.message.partition("\n")[0])
        for one in diagnostics
    ]


def test_a_user_writes_rules(folder: Path) -> None:
    async def session() -> int:
        async with editing(folder) as editor:
            shown = marked(await editor.shows("time com.acme.Orders.place(..)\ncount com.acme.Ordes::place\n"))
            assert shown == [(0, 20, 26, "class and method are separated by `::`")]
            while len(shown) < 2:  # the classes have been looked at
                shown = marked(await editor.published())
            nearest = "matches none of the project's classes; did you mean com.acme.Orders?"
            assert shown[1] == (1, 6, 20, nearest)

            shown = marked(await editor.shows("\ncount com.acme.Ordes::place\ntime \n"))
            assert [(line, message) for line, *_, message in shown] == [
                (2, "the statement ends too early"),
                (1, nearest),
            ]
            assert {"com", "static"} <= await editor.labels(2, 5)
            await editor.shows("# orders\ntime com.acme.Orders::pl")
            assert {"place", "place(com.acme.Customer, int)"} <= await editor.labels(1, 24)

            assert marked(await editor.shows("")) == []
            return await editor.end()

    assert asyncio.run(session()) == 0


def test_a_user_asks(folder: Path) -> None:
    text = '# \U0001f600\ntime   com.acme.Orders::place as "\U0001f600"\ncount com.acme.Orders::total\n'
    sources = folder / "src" / "main" / "java" / "com" / "acme"
    sources.mkdir(parents=True)
    (sources / "Orders.java").write_text((JAVA_SOURCES / "editor" / "Orders.java").read_text())

    async def session() -> int:
        async with editing(folder) as editor:
            assert await editor.shows(text) == []
            document = types.TextDocumentIdentifier(editor.uri)
            said = await editor.client.text_document_hover_async(types.HoverParams(document, types.Position(1, 10)))
            assert said is not None
            assert isinstance(said.contents, types.MarkupContent)
            assert "Matches 1 class, 2 methods." in said.contents.value

            found = await editor.client.text_document_definition_async(
                types.DefinitionParams(document, types.Position(2, 24))
            )
            assert isinstance(found, list)
            assert [(one.uri, one.range.start.line) for one in found if isinstance(one, types.Location)] == [
                ((sources / "Orders.java").as_uri(), 24)
            ]

            options = types.FormattingOptions(4, insert_spaces=True)
            edits = await editor.client.text_document_formatting_async(
                types.DocumentFormattingParams(document, options)
            )
            assert edits is not None
            assert [(one.range.start.line, one.range.end.line, one.new_text) for one in edits] == [
                (1, 2, 'time com.acme.Orders::place   as "\U0001f600"\n')
            ]
            await editor.shows("count a.B::c\n")
            assert not await editor.client.text_document_formatting_async(
                types.DocumentFormattingParams(document, options)
            )
            return await editor.end()

    assert asyncio.run(session()) == 0


def test_columns_are_the_clients(folder: Path) -> None:
    """By default a character beyond U+FFFF counts twice."""
    text = 'count a.B::c as "\U0001f600\U0001f600" when\ntime \U0001f600.b::c, com.acme.Orders::tot\n'

    async def session(*encodings: types.PositionEncodingKind) -> tuple[int, int, str]:
        async with editing(folder, encodings=[*encodings], workspace=not encodings) as editor:
            (found,) = await editor.shows(text)
            column = found.range.start.character
            end = len(text.split("\n")[1]) + (0 if encodings else 1)
            (total,) = [item for item in (await editor.complete(1, end)).items if item.label == "total"]
            assert isinstance(total.text_edit, types.TextEdit)
            await editor.end()
            return column, total.text_edit.range.start.character, total.text_edit.new_text

    assert asyncio.run(session()) == (23, 31, "total")
    assert asyncio.run(session(types.PositionEncodingKind.Utf32)) == (21, 30, "total")


def test_settings_say_where_classes_are(compiled: Compiled, tmp_path: Path) -> None:
    async def completed(editor: Editor) -> bool:
        await editor.shows(f"time com.acme.{' ' * editor.version}")
        return "com.acme.Orders" in await editor.labels(0, 14)

    async def session() -> None:
        async with editing(tmp_path, {"classes": [str(compiled("editor"))]}) as editor:
            assert await completed(editor)
            settings = {"classhook": {"classes": [str(tmp_path / "none")]}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
            assert not await completed(editor)

    asyncio.run(session())


def test_a_long_file_is_shown_while_it_is_typed(folder: Path) -> None:
    """And all of its mistakes."""
    lines = [f"time com.acme.p{number}.Orders::place by arg0 top 20" for number in range(5000)]
    lines[4000] = "time com.acme.Orders.place()"
    text = "\n".join([*lines, stock_rules.text("jdbc")])

    async def session() -> int:
        async with editing(folder) as editor:
            errors = [one for one in await editor.shows(text) if one.severity == types.DiagnosticSeverity.Error]
            assert [one.range.start.line for one in errors] == [4000]
            errors = [one for one in await editor.shows("\n" + text) if one.severity == types.DiagnosticSeverity.Error]
            assert [one.range.start.line for one in errors] == [4001]
            assert "com.acme" in await editor.labels(1, 9)
            return await editor.end()

    assert asyncio.run(session()) == 0


def test_whatever_is_in_a_file(folder: Path) -> None:
    texts = [
        "\x00\x1b[31m\ufeff",
        "((((",
        "time \ud800",
        "# \u2028\ntime",
        '"',
        "a" * 100_000,
        "time a.B::c\r\ncount\r\n",
        "\x0c",
        "",
    ]

    async def session() -> int:
        async with editing(folder) as editor:
            for text in texts:
                found = await editor.shows(text)
                assert all(one.range.end.line <= text.count("\n") for one in found)
                await editor.complete(text.count("\n"), len(text.split("\n")[-1]))
            editor.client.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(editor.uri))
            )
            return await editor.end()

    assert asyncio.run(session()) == 0


# ---- how it ends


def message(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"", 1),
        (message(INITIALIZE), 1),
        (message(INITIALIZE) + message(b'{"jsonrpc":"2.0","method":"exit"}'), 1),
        (
            message(INITIALIZE)
            + message(b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}')
            + message(b'{"jsonrpc":"2.0","method":"exit"}'),
            0,
        ),
        (message(INITIALIZE) + b"Content-Length: 7\r\n\r\n{broken", 1),
        (message(INITIALIZE) + b"Content-Length: 700\r\n\r\nthe rest is missing", 1),
    ],
    ids=["nothing", "gone", "exit", "shutdown", "broken", "short"],
)
def test_the_editor_is_gone(said: bytes, status: int, tmp_path: Path) -> None:
    done = subprocess.run(SERVER, input=said, capture_output=True, env=ENVIRONMENT, cwd=tmp_path, timeout=PATIENCE)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr


def waits_for_input(pid: int) -> bool:
    """Returns whether a thread of the process reads from its standard input: the system call 0, of file 0."""
    calls = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/syscall")]
    return any(call.startswith("0 0x0 ") for call in calls)


def test_it_ends_at_once_when_it_is_terminated(tmp_path: Path) -> None:
    with subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=tmp_path
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(message(INITIALIZE))
        server.stdin.flush()
        server.stdout.readline()  # it answers
        until(lambda: waits_for_input(server.pid))
        server.terminate()
        assert server.wait(60) == 1
        assert server.stderr is not None
        assert b"Traceback" not in server.stderr.read()


def test_pygls_is_missing(tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text(
        "import sys, importlib.util as util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'pygls' else found(name, *more)\n"
        "from classhook.cli import main\nsys.exit(main(['lsp']))\n"
    )
    done = subprocess.run(
        [sys.executable, tmp_path / "hidden.py"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "classhook: the language server requires pygls, which is not installed: pip install 'classhook[lsp]'\n"
    )
