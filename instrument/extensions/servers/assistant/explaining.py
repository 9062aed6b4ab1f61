"""Explains what weaving does to a class: the output of `javap` before and after."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from classhook.extensions.servers.assistant import answers, running, tools

NUMBER = re.compile(r"#\d+")  # of a constant; all of them move
PLACE = re.compile(r"^ +\d+: ", re.MULTILINE)  # of an instruction
TARGET = re.compile(r"(?<=[ ,:])\d+$")  # of a jump
AROUND = 2  # lines shown around a change


async def explain(class_file: str, rules: Sequence[str]) -> str:
    """Raises UsageError."""
    check = tools.explain_weaving(class_file, rules)
    checked = await running.run(check.line)
    said = answers.answer(check.line, checked.output, checked.status)
    if checked.status == 2 or not class_file.endswith(".class"):
        return said
    with tempfile.TemporaryDirectory(prefix="classhook-") as folder:
        line = ["weave", "--quiet", *tools.each("-e", rules), class_file, "-o", folder]
        woven = await running.run(line)
        files = list(Path(folder).rglob("*.class"))
        if not files:
            return "\n".join([said, answers.answer(line, woven.output, woven.status)])
        before, after = [await shown(Path(file)) for file in (class_file, files[0])]
    if before is None or after is None:
        return f"{said}\nwith javap, which is in a JDK (JAVA_HOME, PATH), the inserted code would follow"
    lines = difflib.unified_diff(before, after, "before", "woven", n=AROUND, lineterm="")
    shown_line = f"{answers.command(line[:-1] + ['woven'])}; javap -c -p of both, without numbers:"
    return "\n".join([said, shown_line, *answers.bounded("\n".join(lines))])


async def shown(file: Path) -> list[str] | None:
    """The code of a class, without what moves: numbers of constants and places of instructions. None: there is no
    javap."""
    home = os.environ.get("JAVA_HOME")
    javap = shutil.which("javap", path=str(Path(home) / "bin") if home else None) or shutil.which("javap")
    if javap is None:
        return None
    process = await asyncio.create_subprocess_exec(
        javap, "-c", "-p", str(file), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    output, _ = await process.communicate()
    text = PLACE.sub("        ", NUMBER.sub("#", output.decode("utf-8", "replace")))
    return [TARGET.sub("*", line) for line in text.splitlines()]
