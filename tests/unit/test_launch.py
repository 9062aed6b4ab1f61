"""The agent's option: on the command line of java, in JAVA_TOOL_OPTIONS for other commands, whatever names it
contains."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.base.launch import agent_option, encode_value, instrumented, quoted, run, takes_no_agent
from classhook.native import library


def decode(value: str) -> str:
    """Does what decoded() in native/options.c does."""
    out = b""
    data = value.encode("utf-8", "surrogateescape")
    at = 0
    while at < len(data):
        if data[at : at + 1] == b"%" and len(data) - at > 2:
            out += bytes.fromhex(data[at + 1 : at + 3].decode())
            at += 3
        else:
            out += data[at : at + 1]
            at += 1
    return out.decode("utf-8", "surrogateescape")


@given(st.text(st.one_of(st.sampled_from("%, \t\n\v\f\r\"'\\=:é\udc80"), st.characters(codec="utf-8")), max_size=30))
def test_a_value_survives_and_ends_nothing(text: str) -> None:
    value = encode_value(text)
    assert decode(value) == text
    assert not set(value) & set(", \t\n\v\f\r\"'\\")


OPTION = "-agentpath:/lib/libclasshook.so=rules=r,data=d"


@pytest.mark.parametrize("java", ["java", "/usr/bin/java", "./java"])
def test_a_java_command_gets_an_option(java: str) -> None:
    line, env = instrumented([java, "-jar", "app.jar"], OPTION, {"JAVA_TOOL_OPTIONS": "-Xmx1g", "HOME": "/"})
    assert line == [java, OPTION, "-jar", "app.jar"]
    assert env == {"JAVA_TOOL_OPTIONS": "-Xmx1g", "HOME": "/", "CLASSHOOK_AGENT": OPTION}


@pytest.mark.parametrize("command", [["mvn", "test"], ["sh", "-c", "java"], ["javac", "A.java"], ["/opt/java/run"]])
def test_other_commands_get_it_in_the_environment(command: list[str]) -> None:
    given_env = {"JAVA_TOOL_OPTIONS": "-Xmx1g -Da=b"}
    line, env = instrumented(command, OPTION, given_env)
    assert line == command
    assert env["JAVA_TOOL_OPTIONS"] == f"-Xmx1g -Da=b {OPTION}"
    assert given_env == {"JAVA_TOOL_OPTIONS": "-Xmx1g -Da=b"}, "the caller's own stays"
    assert instrumented(command, OPTION, {})[1]["JAVA_TOOL_OPTIONS"] == OPTION


def test_an_option_with_blanks_is_quoted_in_the_environment() -> None:
    option = OPTION.replace("/lib/", "/my lib/")
    assert quoted(OPTION) == OPTION
    assert instrumented(["mvn"], option, {})[1] == {
        "JAVA_TOOL_OPTIONS": f'"{option}"',
        "CLASSHOOK_AGENT": f'"{option}"',
    }
    assert instrumented(["java"], option, {})[0] == ["java", option]


def test_the_option_names_all_that_the_agent_needs(tmp_path: Path) -> None:
    option = agent_option(tmp_path / "a,b.rules", tmp_path, cache="")
    head, _, values = option.partition("=")
    assert head == f"-agentpath:{library.AGENT}"
    found = dict(word.split("=", 1) for word in values.split(","))
    assert decode(found["rules"]) == str(tmp_path / "a,b.rules")
    assert found["data"] == str(tmp_path)
    assert "cache" not in found, "what has no value is left out"
    assert all(path in sys.path for path in decode(found["pythonpath"]).split(":"))


@pytest.mark.parametrize(
    ("script", "status"), [("exit 0", 0), ("exit 200", 200), ("kill -9 $$", 137), ("kill -15 $$", 143)]
)
def test_the_commands_status_is_ours(script: str, status: int) -> None:
    assert run(["sh", "-c", script], {"PATH": "/bin:/usr/bin"}).status == status


def test_a_signal_that_was_never_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's sigtimedwait, interrupted until its time is over, returns what happened to be in memory."""
    answers = iter(
        [SimpleNamespace(si_signo=signal.SIGKILL, si_code=0), SimpleNamespace(si_signo=-559038737, si_code=0)]
    )
    real = signal.sigtimedwait
    monkeypatch.setattr(signal, "sigtimedwait", lambda signals, seconds: next(answers, None) or real(signals, seconds))
    assert run(["sh", "-c", "sleep 0.1; exit 3"], {"PATH": "/bin:/usr/bin"}).status == 3


def test_a_process_with_other_threads() -> None:
    """One of them may take the signal that says that the command has ended."""
    done = threading.Event()
    others = [threading.Thread(target=done.wait) for _ in range(4)]
    for other in others:
        other.start()
    try:
        assert {run(["sh", "-c", "exit 3"], {"PATH": "/bin:/usr/bin"}).status for _ in range(20)} == {3}
    finally:
        done.set()


@pytest.mark.parametrize(
    ("words", "none"),
    [
        (["-XX:ArchiveClassesAtExit=a.jsa", "App"], True),
        (["-cp", "a.jar", "-Xshare:dump"], True),
        (["-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=a.jsa", "App"], True),
        (["-cp", "a.jar", "App", "-Xshare:dump"], False),
        (["-jar", "a.jar", "-XX:ArchiveClassesAtExit=a.jsa"], False),
        (["-Xshare:dumpster", "App"], False),
    ],
)
def test_where_a_jvm_takes_no_agent(words: list[str], none: bool) -> None:
    assert takes_no_agent(["/usr/bin/java", *words]) is none
    assert not takes_no_agent(["sh", *words])
