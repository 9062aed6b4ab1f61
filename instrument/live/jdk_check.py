"""Asks a JDK which members it has, by a JVM that starts with the agent (native/live/jdk_check.c)."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from classhook.base.launch import encode_value
from classhook.native import library
from classhook.native.jdk_members import missing, queries
from classhook.native.jdk_members.member import Form, Member


def check(java: str, release: int) -> list[Member]:
    """The members that the JDK of this `java` should have, as its feature release is, and lacks. Raises OSError if
    there is no answer."""
    return missing(release, there(java))


def bare() -> dict[str, str]:
    """The environment without options for all JVMs, among which may be an agent of ours."""
    return {name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")}


def there(java: str) -> set[Form]:
    """The forms that the JDK has. Raises OSError."""
    asked = queries()
    with tempfile.TemporaryDirectory() as name:
        lines, answer = Path(name, "asked"), Path(name, "answer")
        lines.write_text("".join(f"{form.owner.replace('/', '.')}\t{form.name}\t{form.descriptor}\n" for form in asked))
        option = (
            f"-agentpath:{library.AGENT}=do=check,rules={encode_value(str(lines))},answer={encode_value(str(answer))}"
        )
        done = subprocess.run([java, option, "-version"], capture_output=True, text=True, check=False, env=bare())
        if not answer.is_file():
            raise OSError(f"the agent gave no answer: {(done.stderr + done.stdout).strip()}")
        return {asked[int(number)] for number in answer.read_text().split()}
