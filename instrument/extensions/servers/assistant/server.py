"""The server that an assistant talks to, by standard input and output: offers each tool with a schema made of its
signature."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from classhook.base.errors import UsageError
from classhook.extensions.servers.assistant import answers, explaining, running, tools

INSTRUCTIONS = """\
classhook measures programs on the JVM by bytecode instrumentation: calls, times, allocations, locks, coverage, single
calls with their values. Answers begin with the command that a person would type. Data comes from
`classhook run -e RULE -o DIR -- java ...`, or from `measure`.
Rules, one of each kind:
  profile com.acme.**::*                                calls, CPU and wall time; cheap
  time com.acme.Orders::* by this.tenant.name           exact times and percentiles; `by`: a row for each key
  count java.sql.Statement+::execute* by sql(arg0)      calls; `+`: all subtypes
  count calls java.util.List+::add in com.acme.**       calls, by the line that makes them
  alloc byte[] in com.acme.**                           allocations, by place
  cover com.acme.**                                     which lines and branches ran
  watch com.acme.Db::query when arg0 == null show arg0, stack 3
  cpu                                                   CPU samples of all threads
  locks                                                 who waits for which monitor
Something is slow: `diagnose` a running JVM, or `measure` it with stock_names [endpoints, jdbc, http].
`check_rules` says whether a rule is right and what it matches; `stock_rules` lists rules for common libraries.
"""


def serve(version: str, attaching: bool) -> None:
    """Serves until standard input ends. `attaching`: also offers the tools that change running JVMs."""
    server = Server("classhook", version=version, instructions=INSTRUCTIONS, log_level="ERROR")
    for tool in (*tools.READ_ONLY, *(tools.ATTACHING if attaching else ())):
        called = explaining.explain if tool is tools.explain_weaving else answering(tool)
        reads = tool in tools.READ_ONLY
        hints = ToolAnnotations(
            read_only_hint=reads, destructive_hint=False, idempotent_hint=reads, open_world_hint=False
        )
        server.add_tool(
            offered(called, tool),
            name=tool.__name__,
            description=inspect.getdoc(tool),
            annotations=hints,
            structured_output=False,
        )
    server.run("stdio")


class Server(MCPServer):
    """Refuses arguments that a tool does not have: the SDK would leave them out, and the assistant take the answer for
    that to another question."""

    async def call_tool(self, name: str, arguments: dict[str, Any], *others: Any, **more: Any) -> Any:
        tool = next((one for one in await self.list_tools() if one.name == name), None)
        known = tool.input_schema["properties"] if tool is not None else arguments
        if unknown := ", ".join(one for one in arguments if one not in known):
            raise ToolError(f"{name} has no argument {unknown}; its arguments: {', '.join(known) or 'none'}")
        return await super().call_tool(name, arguments, *others, **more)


def answering(tool: Callable[..., tools.Asked]) -> Callable[..., Awaitable[str]]:
    """Runs the tool's command line."""

    async def answer(**arguments: Any) -> str:
        asked = tool(**arguments)
        outcome = await running.run(asked.line, asked.seconds or running.PATIENCE)
        said = answers.answer(asked.line, outcome.output, outcome.status, asked.more)
        return f"{said}\n(ended: it took too long)" if outcome.late else said

    return answer


def offered(called: Callable[..., Awaitable[str]], tool: Callable[..., tools.Asked]) -> Callable[..., Awaitable[str]]:
    """The same with the tool's signature, each parameter with its description. An argument that cannot be used is an
    answer, not a failure."""

    async def safe(**arguments: Any) -> str:
        try:
            return await called(**arguments)
        except UsageError as error:
            return f"classhook: {error}"

    known = inspect.signature(tool, eval_str=True)
    described = {
        name: Annotated[one.annotation, Field(description=tools.PARAMETERS[name])]
        for name, one in known.parameters.items()
    }
    parameters = [
        one.replace(annotation=described[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, one in known.parameters.items()
    ]
    safe.__signature__ = known.replace(parameters=parameters, return_annotation=str)  # type: ignore[attr-defined]
    safe.__annotations__ = {**described, "return": str}
    safe.__name__ = tool.__name__
    return safe
