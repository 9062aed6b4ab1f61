"""The server: it speaks the Language Server Protocol by pygls, keeps the open rule files, and passes what editors ask to the other modules.

1. A changed text is parsed by a thread of its own, and what is wrong with it is published; if it changed again meanwhile, that is parsed.
2. When a file is opened or saved, another thread looks at the project's classes, and says which rules match nothing. What it said of a rule stays
   until the rule or the classes change.
3. Requests are answered by a third thread, in order, so that listening never waits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from classhook.editor import completion, diagnostics, formatting
from classhook.editor.definition import definitions
from classhook.editor.document import Document, Parsing, Place, Span
from classhook.editor.hover import hover
from classhook.editor.project import Project
from classhook.editor.proposals import Proposal
from classhook.editor.worker import Worker

T = TypeVar("T")

SOURCE = "classhook"
SETTLED = 0.3  # seconds without a further save, before classes are looked at
PATIENCE = 10.0  # seconds for judging a file's new rules at once
FRESH = 5.0  # seconds after which classes are listed anew if something is asked about them
TRIGGERS = (".", ":", "@", "(", " ")
SEVERITIES = {
    diagnostics.ERROR: types.DiagnosticSeverity.Error,
    diagnostics.WARNING: types.DiagnosticSeverity.Warning,
    diagnostics.INFORMATION: types.DiagnosticSeverity.Information,
}
KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "package": types.CompletionItemKind.Module,
    "class": types.CompletionItemKind.Class,
    "method": types.CompletionItemKind.Method,
    "field": types.CompletionItemKind.Field,
    "variable": types.CompletionItemKind.Variable,
    "value": types.CompletionItemKind.Value,
    "file": types.CompletionItemKind.File,
}


class RuleServer(LanguageServer):
    """`status`: the command's exit status: 0 only if the client said that it ends."""

    def __init__(self, version: str) -> None:
        # whole texts: pygls counts lines by other characters than rules do
        super().__init__("classhook", version, types.TextDocumentSyncKind.Full)
        self.status = 1
        self.project = Project()
        self.parsing = Parsing()
        self.judging = diagnostics.Judging()
        self._documents: dict[str, tuple[int | None, Document]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parser, self._judge, self._answerer = Worker("parser"), Worker("judge"), Worker("answerer")

    def shutdown(self) -> None:
        """pygls would wait for the thread that reads, which waits for a client that may be stuck."""
        if self._thread_pool is not None:
            self._thread_pool.shutdown(wait=False, cancel_futures=True)

    # ---- the project

    def configure(self, folders: Sequence[str], settings: object) -> None:
        """Looks for classes in these folders, or where the settings say."""
        wanted = _classes_setting(settings)
        if wanted is None and self.project.folders:
            return
        self.project = Project([Path(path) for uri in folders if (path := to_fs_path(uri))] or self.project.folders, wanted or ())
        self.judge_all()

    def judge_all(self) -> None:
        """Looks at the classes, and compares the rules of all open files with them, soon."""
        self._judge.submit("all", self._judge_now, SETTLED)

    def _judge_now(self) -> None:
        project = self.project
        project.refresh()
        for uri in list(self._documents):
            self.judging.judge(self.document(uri), project, (id(project), project.version), PATIENCE)
            self.publish(uri)

    # ---- texts

    def document(self, uri: str) -> Document:
        """The text as it is now."""
        text = self.workspace.get_text_document(uri)
        kept = self._documents.get(uri)
        if kept is None or kept[0] != text.version or kept[1].text != text.source:
            kept = self._documents[uri] = text.version, Document(text.source, unquote(uri.rpartition("/")[2]), self.parsing)
        return kept[1]

    def changed(self, uri: str) -> None:
        """Parses the text, soon."""
        self._parser.submit(uri, lambda: self.publish(uri))

    def publish(self, uri: str) -> None:
        """Publishes what is wrong with a text."""
        document = self.document(uri)
        version, _ = self._documents[uri]
        found = [self._diagnostic(document, one) for one in (*diagnostics.syntax(document), *self.judging.findings(document))]
        self._later(lambda: self._send(uri, version, found))

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        """Not if the text has changed meanwhile, or was closed."""
        if uri in self.workspace.text_documents and self.workspace.get_text_document(uri).version == version:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def closed(self, uri: str) -> None:
        self._documents.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # ---- answers

    async def answer(self, uri: str, ask: Callable[[Document], T]) -> T:
        """Asks something about a text, in another thread."""
        loop = self.loop
        answered: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                if self.project.refresh(after=FRESH):
                    self.judge_all()
                found = ask(self.document(uri))
            except Exception as error:  # a defect of classhook must not end the server
                self._later(answered.set_exception, error)
            else:
                self._later(answered.set_result, found)

        self._answerer.submit(answered, work)
        return await answered

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        self._loop = self._loop or asyncio.get_running_loop()
        return self._loop

    def _later(self, call: Callable[..., object], *arguments: object) -> None:
        """Calls it in the thread that listens, unless the server has ended."""

        def guarded() -> None:
            with suppress(asyncio.InvalidStateError):  # the client took the request back
                call(*arguments)

        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(guarded)

    # ---- places, as the client counts

    def place(self, document: Document, position: types.Position) -> Place:
        found = self.workspace.position_codec.position_from_client_units(document.lines, position)
        return Place(found.line, found.character)

    def range(self, document: Document, span: Span) -> types.Range:
        ends = [types.Position(place.line, place.column) for place in (span.begin, span.end)]
        codec = self.workspace.position_codec
        return types.Range(*[codec.position_to_client_units(document.lines, end) for end in ends])

    def _diagnostic(self, document: Document, one: diagnostics.Finding) -> types.Diagnostic:
        return types.Diagnostic(self.range(document, one.span), one.message, SEVERITIES[one.severity], source=SOURCE)

    def item(self, replaced: types.Range, one: Proposal) -> types.CompletionItem:
        return types.CompletionItem(
            label=one.label,
            kind=KINDS[one.kind],
            detail=one.detail or None,
            filter_text=one.matches or one.text,
            sort_text=f"{one.sort}{one.label}" if one.sort else None,
            text_edit=types.TextEdit(replaced, one.text),
        )


def _classes_setting(settings: object) -> list[str] | None:
    """`classhook.classes`, in what the client passes as options or settings; None: nothing is said."""
    while isinstance(settings, dict) and "classhook" in settings:
        settings = settings["classhook"]
    wanted = settings.get("classes") if isinstance(settings, dict) else None
    if isinstance(wanted, str):
        return [wanted]
    return [one for one in wanted if isinstance(one, str)] if isinstance(wanted, list) else None


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
        server.changed(params.text_document.uri)
        server.judge_all()

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
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), server.range(document, found.span))

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def lay_out(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        def ask(document: Document) -> list[types.TextEdit]:
            changed = formatting.change(document.text)
            if changed is None:
                return []
            first, behind, text = changed
            last = Place(behind, 0) if behind < len(document.lines) else Place(len(document.lines) - 1, len(document.lines[-1]))
            return [types.TextEdit(server.range(document, Span(Place(first, 0), last)), text)]

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def define(params: types.DefinitionParams) -> list[types.Location]:
        def ask(document: Document) -> list[types.Location]:
            found = definitions(document, server.place(document, params.position), server.project)
            begins = [types.Position(one.line, 0) for one in found]
            return [types.Location(one.path.as_uri(), types.Range(begin, begin)) for one, begin in zip(found, begins, strict=True)]

        return await server.answer(params.text_document.uri, ask)

    @server.feature(types.EXIT)
    def exiting(_: None) -> None:
        server.status = 0 if server.protocol._shutdown else 1

    return server


def serve(version: str) -> int:
    """Serves by standard input and output until the client ends; returns the exit status. What else is printed goes to stderr."""
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
