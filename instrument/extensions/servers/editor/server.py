"""The server: what `classhook lsp` answers to which request of the Language Server Protocol, and how it begins and
ends."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

from lsprotocol import types

from classhook.extensions.servers.editor import completion
from classhook.extensions.servers.editor.definition import definitions
from classhook.extensions.servers.editor.hover import hover
from classhook.extensions.servers.editor.rule_server import RuleServer
from classhook.rules import formatting
from classhook.rules.document import Document, Position, Span

TRIGGERS = (".", ":", "@", "(", " ")


def made(version: str) -> RuleServer:
    """A server with all that it answers."""
    server = RuleServer(version)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = [folder.uri for folder in params.workspace_folders or ()] or [uri for uri in [params.root_uri] if uri]
        server.loop  # noqa: B018  # of this thread
        server.configure(folders, params.initialization_options)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.configure([], params.settings)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.judge_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList:
        def ask(document: Document) -> types.CompletionList:
            place = server.place(document, params.position)
            found = completion.complete(document, place, server.project)
            replaced = server.range(document, Span(found.begin, place))
            return types.CompletionList(not found.whole, [server.item(replaced, one) for one in found.found])

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def explain(params: types.HoverParams) -> types.Hover | None:
        def ask(document: Document) -> types.Hover | None:
            found = hover(document, server.place(document, params.position), server.project)
            if found is None:
                return None
            return types.Hover(
                types.MarkupContent(types.MarkupKind.Markdown, found.text), server.range(document, found.span)
            )

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def lay_out(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        def ask(document: Document) -> list[types.TextEdit]:
            changed = formatting.change(document.text, document.path)
            if changed is None:
                return []
            first, behind, text = changed
            last = (
                Position(behind, 0)
                if behind < len(document.lines)
                else Position(len(document.lines) - 1, len(document.lines[-1]))
            )
            return [types.TextEdit(server.range(document, Span(Position(first, 0), last)), text)]

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def define(params: types.DefinitionParams) -> list[types.Location]:
        def ask(document: Document) -> list[types.Location]:
            found = definitions(document, server.place(document, params.position), server.project)
            begins = [types.Position(one.line, 0) for one in found]
            return [
                types.Location(one.path.as_uri(), types.Range(begin, begin))
                for one, begin in zip(found, begins, strict=True)
            ]

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.EXIT)
    def exiting(_: None) -> None:
        server.status = 0 if server.protocol._shutdown else 1

    return server


def serve(version: str) -> int:
    """Serves by standard input and output until the client ends; returns the exit status. All other output goes to
    stderr."""
    output: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    logging.basicConfig(format="classhook: %(message)s", stream=sys.stderr, level=logging.ERROR)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_without_traceback)
    server = made(version)
    server.start_io(stdout=output)
    return server.status


def _without_traceback(record: logging.LogRecord) -> bool:
    if record.exc_info and record.exc_info[1] is not None:
        record.msg = f"{record.getMessage()}: {record.exc_info[1]!r}"
        record.args, record.exc_info = (), None
    return True
