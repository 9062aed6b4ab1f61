"""The state of the server, and its threads: the open files, the project, and the published findings.

1. A thread of its own parses a changed text, and its mistakes are published; if the text changed again meanwhile, the
   new one is parsed.
2. When a file is opened or saved, another thread looks at the project's classes, and says which rules match nothing.
   Its findings about a rule stay until the rule or the classes change.
3. Requests are answered by a third thread, in order, so that listening never waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from classhook.extensions.servers.editor import diagnostics
from classhook.extensions.servers.editor.project import Project, home
from classhook.extensions.servers.editor.proposals import Proposal
from classhook.extensions.servers.editor.worker import Worker
from classhook.rules.document import Document, Parsing, Position, Span
from classhook.rules.stock_rules import real

T = TypeVar("T")

SOURCE = "classhook"
SETTLED = 0.3  # seconds without a further save, before classes are looked at
PATIENCE = 1.0  # seconds for judging a file's rules, before what is known of them is published
FRESH = 5.0  # seconds after which classes are listed anew if something is asked about them
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
        self.project = Project(
            [Path(path) for uri in folders if (path := to_fs_path(uri))] or self.project.folders, wanted or ()
        )
        self.judge_all()

    def opened(self, uri: str) -> None:
        """A file of no workspace belongs to the project around it."""
        path = to_fs_path(uri)
        if not self.project.folders and path:
            self.project = Project([home(Path(path))], self.project.wanted)
        self.changed(uri)
        self.judge_all()

    def judge_all(self) -> None:
        """Looks at the classes, and compares the rules of all open files with them, soon."""
        self._judge.submit("all", self._judge_now, SETTLED)

    def _judge_now(self) -> None:
        project = self.project
        project.refresh()
        for uri in list(self.workspace.text_documents):
            whole = self.judging.judge(self.document(uri), project, (id(project), project.version), PATIENCE)
            self.changed(uri)  # one thread publishes, so that what is newer comes last
            if not whole:
                self.judge_all()

    # ---- texts

    def document(self, uri: str) -> Document:
        """The text as it is now."""
        text = self.workspace.get_text_document(uri)
        kept = self._documents.get(uri)
        if kept is None or kept[0] != text.version or kept[1].text != text.source:
            kept = self._documents[uri] = (
                text.version,
                Document(text.source, unquote(uri.rpartition("/")[2]), self.parsing, _path(uri)),
            )
        return kept[1]

    def changed(self, uri: str) -> None:
        """Parses the text, soon."""
        self._parser.submit(uri, lambda: self.publish(uri))

    def publish(self, uri: str) -> None:
        """Publishes the mistakes in a text."""
        if uri not in self.workspace.text_documents:
            return  # it was closed meanwhile
        document = self.document(uri)
        version, _ = self._documents[uri]
        found = [
            self._diagnostic(document, one) for one in (*diagnostics.syntax(document), *self.judging.findings(document))
        ]
        self._later(lambda: self._send(uri, version, found))

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        """Sends the findings, unless the text has changed meanwhile, or was closed."""
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

    def place(self, document: Document, position: types.Position) -> Position:
        found = self.workspace.position_codec.position_from_client_units(document.lines, position)
        return Position(found.line, found.character)

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


def _path(uri: str) -> Path | None:
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return real(path) if path else None


def _classes_setting(settings: object) -> list[str] | None:
    """`classhook.classes`, in what the client passes as options or settings; None: nothing is said."""
    while isinstance(settings, dict) and "classhook" in settings:
        settings = settings["classhook"]
    wanted = settings.get("classes") if isinstance(settings, dict) else None
    if isinstance(wanted, str):
        return [wanted]
    return [one for one in wanted if isinstance(one, str)] if isinstance(wanted, list) else None
