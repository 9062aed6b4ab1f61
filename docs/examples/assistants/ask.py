"""Asks `classhook mcp` one question, as an assistant does: ask.py TOOL [JSON]. Prints the answer; without a tool, what
can be asked."""

import asyncio
import json
import os
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main(tool: str = "", arguments: str = "{}") -> None:
    async with Client(
        stdio_client(StdioServerParameters(command="classhook", args=["mcp", "--allow-attach"], env=dict(os.environ)))
    ) as server:
        if not tool:
            for one in (await server.list_tools()).tools:
                print(f"{one.name:19}{(one.description or '').partition('.')[0]}")
            return
        for part in (await server.call_tool(tool, json.loads(arguments))).content:
            print(part.text)


asyncio.run(main(*sys.argv[1:]))
