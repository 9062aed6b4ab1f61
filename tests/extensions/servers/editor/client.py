"""An editor, as pytest-lsp has it, that starts `classhook lsp` and talks to it by its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp.client import LanguageClient

from tests.conftest import ENVIRONMENT

SERVER = (sys.executable, "-m", "classhook.cli", "lsp")
PATIENCE = 60.0  # seconds


class Editor:
    """An editor with one open file."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.uri = (folder / "my.rules").as_uri()
        self.version = 0
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._published.put_nowait(params)

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    async def shows(self, text: str) -> Sequence[types.Diagnostic]:
        """Sends a text that the user has typed, and returns the diagnostics that the server publishes for it."""
        self.version += 1
        if self.version == 1:
            document = types.TextDocumentItem(self.uri, "classhook-rules", 1, text)
            self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        else:
            identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
            changes = [types.TextDocumentContentChangeWholeDocument(text)]
            self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))
        return await self.published()

    async def published(self) -> Sequence[types.Diagnostic]:
        """The next diagnostics of the file's newest version."""
        while True:
            params = await asyncio.wait_for(self._published.get(), PATIENCE)
            if params.uri == self.uri and params.version == self.version:
                return list(params.diagnostics)

    async def save(self) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri)))

    async def complete(self, line: int, column: int) -> types.CompletionList:
        params = types.CompletionParams(types.TextDocumentIdentifier(self.uri), types.Position(line, column))
        found = await asyncio.wait_for(self.client.text_document_completion_async(params), PATIENCE)
        assert isinstance(found, types.CompletionList)
        return found

    async def labels(self, line: int, column: int) -> set[str]:
        return {item.label for item in (await self.complete(line, column)).items}

    async def end(self) -> int:
        """Shuts the server down; returns its exit status."""
        await asyncio.wait_for(self.client.shutdown_session(), PATIENCE)
        return await self.process.wait()


@asynccontextmanager
async def editing(
    folder: Path,
    options: object = None,
    encodings: list[types.PositionEncodingKind] | None = None,
    workspace: bool = True,
) -> AsyncIterator[Editor]:
    """An editor whose workspace is the folder, unless it has none; the server ends with it."""
    client = LanguageClient(converter_factory=default_converter)
    editor = Editor(client, folder)
    await client.start_io(*SERVER, env=ENVIRONMENT, cwd=folder)
    general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
    capabilities = types.ClientCapabilities(general=general)
    folders = [types.WorkspaceFolder(folder.as_uri(), "project")] if workspace else None
    params = types.InitializeParams(capabilities, workspace_folders=folders, initialization_options=options)
    try:
        await client.initialize_session(params)
        yield editor
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()
