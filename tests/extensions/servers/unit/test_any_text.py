"""Whatever the text, and wherever the cursor is, there is an answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from classhook.extensions.servers.editor.completion import complete
from classhook.extensions.servers.editor.definition import definitions
from classhook.extensions.servers.editor.diagnostics import Judging, syntax
from classhook.extensions.servers.editor.hover import hover
from classhook.extensions.servers.editor.project import Project
from classhook.rules.document import Document, Parsing, Position
from classhook.rules.formatting import change

PARSING = Parsing()
WORDS = (
    *("time", "count", "count calls", "watch", "watch writes", "alloc", "cpu", "value", "context", "cover", "locks"),
    *(
        "com.acme.Orders",
        "com.acme.Orders$Order",
        "com.acme.**",
        "com.acme.Orders.last",
        "::",
        "place",
        "*",
        "<init>",
        ":",
        "29",
        "29-30",
        "+",
        "jdk:",
    ),
    *("(", ")", "..", "int", ",", "@", "Deprecated", "!", "static", "byte[]", "in", "from", "except", "as", '"x"', '"'),
    *("when", "show", "by", "of", "below", "top", "every", "10ms", "20", "tree", "mask", "args", "stack 4"),
    *(
        "this",
        "arg0",
        "arg0.",
        "arg0.parent.names[0]",
        "this.last.customer.",
        "==",
        "&&",
        "instanceof",
        "result",
        "~",
        "{",
        "}",
        "[",
        "]",
    ),
    *("\n", "# x", "\t", "\r\n", "\U0001f600", "\\", "'"),
)
TEXTS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " "])), max_size=14).map(
    lambda words: "".join(map("".join, words))
)


@given(TEXTS, st.data())
def test_there_is_an_answer(project: Project, text: str, data: st.DataObject) -> None:
    document = Document(text, parsing=PARSING)
    line = data.draw(st.integers(0, len(document.lines)))
    width = len(document.lines[line]) if line < len(document.lines) else 3
    place = Position(line, data.draw(st.integers(0, width)))
    found = complete(document, place, project)
    assert found.begin <= place
    hover(document, place, project)
    definitions(document, place, project)
    judging = Judging()
    judging.judge(document, project, 0, 60)
    for finding in (*syntax(document), *judging.findings(document)):
        assert finding.span.begin <= finding.span.end
        assert finding.span.end.column <= len(document.lines[finding.span.end.line])
    change(text)


def test_damaged_classes_are_left_out(classes: Path, tmp_path: Path) -> None:
    """Bytes of a class at random; of all texts, those that read most of it."""
    chance = Random(7)
    package = tmp_path / "com" / "acme"
    shutil.copytree(classes / "com" / "acme", package)
    whole = (package / "Orders.class").read_bytes()
    names = "com.acme.Orders"
    texts = [
        f"watch {names}::place when arg0.",
        f"watch {names}:29 when ",
        f"count {names}:",
        f"time {names}::",
        "time @",
    ]
    document = Document("watch com.acme.Orders::place when arg0.id > 3")
    for number in range(150):
        data = bytearray(whole.replace(b";I)L", b";I(L") if not number else whole)  # first a descriptor without an end
        for _ in range(chance.randint(1, 6) if number else 0):
            data[chance.randrange(8, len(data))] = chance.choice([0, 1, 128, 255])
        (package / "Orders.class").write_bytes(data)
        project = Project([tmp_path], [str(tmp_path)])
        project.refresh()
        project.jdk_names = []  # none of them is asked for
        for text in texts:
            complete(Document(text), Position(0, len(text)), project)
        hover(document, Position(0, 8), project)
        definitions(document, Position(0, 26), project)
        Judging().judge(document, project, 0, 60)
