"""`classhook mcp`, asked by the protocol's own client."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from classhook.extensions.servers.assistant import answers, running, tools
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, classhook_command
from tests.extensions import needs

pytestmark = pytest.mark.core

SERVER = [*classhook_command(), "mcp"]


def asked(folder: Path, ask: Callable[[Client], Awaitable[Any]], *options: str) -> Any:
    """Starts the server in a folder, and returns what `ask` gets from it as a client."""

    async def connected() -> Any:
        command, *words = [*SERVER, *options]
        server = StdioServerParameters(command=command, args=words, cwd=folder, env=dict(ENVIRONMENT))
        async with Client(stdio_client(server)) as client:
            return await ask(client)

    return asyncio.run(connected())


async def said(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    (part,) = result.content
    return str(part.text)  # type: ignore[union-attr]


def state_of(pid: int, folder: Path) -> str:
    return subprocess.run(
        [*classhook_command(), "ctl", str(pid), "status"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=ENVIRONMENT,
        check=True,
    ).stdout


@pytest.fixture
def program(find_jvm: FindJvm, compiled: Compiled) -> Iterator[tuple[int, Path]]:
    """A program that runs until the test ends."""
    classes = compiled("Steady")
    line = [find_jvm(17).java, "-cp", classes, "Steady", "600000"]
    with subprocess.Popen(list(map(str, line)), env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as jvm:
        assert jvm.stdout is not None
        assert jvm.stdout.readline() == b"ready\n"
        yield jvm.pid, Path(classes)
        jvm.kill()


def test_only_with_permission_are_there_tools_that_attach(tmp_path: Path) -> None:
    async def names(client: Client) -> dict[str, bool]:
        listed = (await client.list_tools()).tools
        assert all(tool.description and tool.annotations for tool in listed)
        for tool in listed:  # each argument says what it means
            assert all("description" in one for one in tool.input_schema["properties"].values()), tool
        return {tool.name: bool(tool.annotations and tool.annotations.read_only_hint) for tool in listed}

    reading, all_tools = (asked(tmp_path, names, *options) for options in ((), ("--allow-attach",)))
    assert set(reading) == {tool.__name__ for tool in tools.READ_ONLY}
    assert set(all_tools) - set(reading) == {tool.__name__ for tool in tools.ATTACHING}
    assert all(reading.values())
    assert not all_tools["measure"]


def test_a_running_program_is_measured_and_left_as_it_was(program: tuple[int, Path], tmp_path: Path) -> None:
    pid, classes = program

    async def conversation(client: Client) -> list[str]:
        return [
            await said(client, "list_jvms"),
            await said(client, "check_rules", rules=["count Steady::*"], classes=[str(classes)]),
            await said(client, "measure", jvm=str(pid), rules=["count Steady::*"], seconds=1),
            await said(client, "watch_calls", jvm=str(pid), rule="Steady::step show arg0", seconds=1, calls=2),
            await said(client, "costs", top=1),
            str(await client.call_tool("costs", {"top": 1, "filter": "Steady"})),
            await said(client, "check_rules", rules=["count " + "a" * 200_000]),
            await said(client, "method", name="Steady::step"),
            await said(client, "costs", data="elsewhere"),
            await said(client, "measure", jvm="--help", rules=[]),
            await said(client, "method", name="all", data="-oprecious.txt"),
            await said(client, "call_tree", data="--output=precious.txt"),
            await said(client, "costs", data="a\0b"),
            await said(
                client, "explain_weaving", class_file=str(classes / "Steady.class"), rules=["count Steady::step"]
            ),
        ]

    answered = asked(tmp_path, conversation, "--allow-attach")
    jvms, checked, measured, watched, costs, unknown, too_long, method, missing, wrong, *refused, explained = answered
    assert f"\n{pid} " in jvms.replace("\n ", "\n").replace("\n ", "\n")
    assert checked.startswith("command: classhook check --quiet -v -e 'count Steady::*' ")
    assert "Steady.step(int)" in checked
    assert measured.startswith(f"command: classhook attach {pid} -e 'count Steady::*' --for 1s --quiet\n")
    assert "detached" in measured
    assert "Steady.step(int)" in measured
    assert watched.count("arg0: ") == 2 or watched.count("Steady.step(") == 2, watched
    assert "more method" in costs
    assert costs.count("\n") < 20
    assert "costs has no argument filter; its arguments: data, sort, pattern, by, top" in unknown
    assert too_long == "classhook: the command cannot be run: Argument list too long"
    assert "Steady.step(int)" in method
    assert "elsewhere: nothing that was counted matches, and there is no such file" in missing
    assert missing.endswith("(exit status 1)")
    assert all("is no name, path or process id" in one for one in refused), refused
    assert not (tmp_path / "precious.txt").exists()
    assert wrong == "classhook: '--help' is no name, path or process id"
    assert "java/lang/ClasshookTracker.count" in explained
    assert [line[0] for line in explained.splitlines() if line[:4] in ("+   ", "-   ")] == [
        "+",
        "+",
    ]  # what was there is still there
    assert "detached" in state_of(pid, tmp_path)


def test_a_program_that_is_slow_or_full_is_looked_at(program: tuple[int, Path], tmp_path: Path) -> None:
    pid, _ = program

    async def conversation(client: Client) -> list[str]:
        return [
            await said(client, "diagnose", jvm=str(pid), seconds=1, rules=["context Steady::outer"]),
            await said(client, "measure", jvm=str(pid), stock_names=["http"], seconds=1),
            await said(client, "threads", jvm=str(pid)),
            await said(client, "deadlocks", jvm=str(pid)),
            await said(client, "heap_histogram", jvm=str(pid)),
            await said(client, "measure", jvm=str(pid), stock_names=["/etc/passwd"]),
        ]

    page, measured, threads, deadlocks, histogram, refused = asked(tmp_path, conversation, "--allow-attach")
    assert "Endpoints: " in page
    assert "Steady.outer" in page
    assert f"attach {pid} -r http --for 1s" in measured
    assert '"main" #1' in threads
    assert deadlocks.endswith("\nno deadlock")
    assert "java.lang.String" in histogram
    assert refused == "classhook: '/etc/passwd' is no name of stock rules"


@needs("heap")
def test_what_fills_the_heap_is_named(program: tuple[int, Path], tmp_path: Path) -> None:
    async def conversation(client: Client) -> str:
        return await said(client, "leak_suspects", file=str(program[0]))

    suspects = asked(tmp_path, conversation, "--allow-attach")
    assert suspects.index("Suspects: ") < suspects.index("root: ") < suspects.index("objects of ")


def test_a_question_that_is_withdrawn_leaves_no_session_behind(program: tuple[int, Path], tmp_path: Path) -> None:
    pid, _ = program

    async def withdrawn() -> None:
        os.chdir(tmp_path)
        task = asyncio.ensure_future(running.run(["attach", str(pid), "-e", "count Steady::*", "--for", "60s"]))
        await asyncio.sleep(4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = Path.cwd()
    try:
        asyncio.run(withdrawn())
    finally:
        os.chdir(before)
    assert "detached" in state_of(pid, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_although_its_input_is_open(number: signal.Signals) -> None:
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        server.stdout.readline()  # it serves
        server.send_signal(number)
        try:
            assert server.wait(30) == 128 + number
        finally:
            server.kill()


def test_long_answers_keep_their_beginning_and_their_end() -> None:
    lines = [f"row {number}" for number in range(10_000)]
    text = answers.answer(["report", "a b"], "\n".join([*lines, "x" * 5000, "the end"]), 1, "`--top` chooses rows")
    shown = text.splitlines()
    assert shown[0] == "command: classhook report 'a b'"
    assert shown[1] == "row 0"
    assert shown[-2:] == ["the end", "(exit status 1)"]
    assert len(text) < answers.MOST + 500
    assert max(map(len, shown)) <= answers.LONGEST
    assert len(answers.answer(["check", "x" * 100_000], "", 0)) < answers.MOST
    (cut,) = [line for line in shown if line.startswith("... ")]
    first, last = shown.index(cut) - 1, len(shown) - shown.index(cut) - 2
    assert cut == f"... {len(lines) + 2 - first - last} more lines; `--top` chooses rows"


def test_without_an_assistant_the_command_says_what_it_is_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", *SERVER],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert "an assistant starts this command" in done.stdout
