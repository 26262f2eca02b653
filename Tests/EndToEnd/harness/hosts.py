"""Hosts of assistants: the official MCP SDK and FastMCP as clients, and a record of their messages with satchel.

The classes that messages are checked against are those of the package mcp-types, which are generated from the schema of the
specification (schema/2025-11-25.json, schema/2026-07-28.json).
"""

import asyncio
import functools
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import fastmcp
import mcp
import mcp_types
from fastmcp.client.transports import StdioTransport
from jsonschema import Draft202012Validator
from mcp_types import jsonrpc, methods
from pydantic import TypeAdapter

from .environment import PATIENCE, launcher, plain_environment

SESSION, STATELESS = "2025-11-25", "2026-07-28"

# The command of a recording host: it copies both directions, and writes each line to a file.
RELAY = [sys.executable, str(Path(__file__).with_name("relay.py"))]


class Host:
    """One of the clients, with one of the revisions."""

    def __init__(self, library, revision):
        self.library, self.revision = library, revision
        self.name = f"{library} {revision}"

    @asynccontextmanager
    async def session(self, device, *arguments, answer=None):
        """A session with a device's satchel. `answer` is the user's answer to each question (`accept`); None: the host
        can't ask."""
        environment = plain_environment(device.directory, **device.environment)
        log = device.directory / "mcp.log"
        command = [*RELAY, str(log), *launcher(environment), *device.command("--view", "mcp", *arguments)]
        info = mcp_types.Implementation(name=self.name, version="1")
        mode = "legacy" if self.revision == SESSION else STATELESS
        questions = []
        if self.library == "mcp":
            async def ask(context, params):
                questions.append(params)
                return mcp_types.ElicitResult(action=answer, content={} if answer == "accept" else None)

            server = mcp.StdioServerParameters(command=command[0], args=command[1:], env=environment, cwd=str(device.directory))
            client = mcp.Client(
                server, mode=mode, client_info=info, elicitation_callback=ask if answer else None, read_timeout_seconds=PATIENCE)
        else:
            async def ask(message, response_type, params, context):
                questions.append(params)
                return fastmcp.client.elicitation.ElicitResult(action=answer, content={} if answer == "accept" else None)

            transport = StdioTransport(
                command=command[0], args=command[1:], env=environment, cwd=str(device.directory), keep_alive=False)
            client = fastmcp.Client(
                transport, mode=mode, client_info=info, elicitation_handler=ask if answer else None, timeout=PATIENCE)
        async with client:
            yield Session(client, questions)

    def run(self, device, body, *arguments, answer=None):
        """Runs `body` with a session, and checks the messages."""
        async def main():
            async with self.session(device, *arguments, answer=answer) as session:
                return await body(session)

        result = asyncio.run(asyncio.wait_for(main(), 2 * PATIENCE))
        check(device, self.revision)
        return result


class Session:
    """A session with the program, with any client."""

    def __init__(self, client, questions):
        self.client, self.questions = client, questions

    async def tools(self):
        listed = await self.client.list_tools()
        return {tool.name: tool for tool in getattr(listed, "tools", listed)}

    async def call(self, tool, **arguments):
        """The structured content of a call: a `result` or an `error`."""
        more = {"raise_on_error": False} if isinstance(self.client, fastmcp.Client) else {}
        result = await self.client.call_tool(tool, arguments, **more)
        assert result.is_error == ("error" in result.structured_content)
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def ok(self, tool, **arguments):
        content = await self.call(tool, **arguments)
        assert "result" in content, content
        return content["result"]


def messages(device):
    """The messages: the direction (`<` from satchel) and the message."""
    lines = (device.directory / "mcp.log").read_bytes().split(b"\n")
    return [(line[:1].decode(), json.loads(line[2:])) for line in lines if line]


@functools.cache
def validator(kind):
    return Draft202012Validator(TypeAdapter(kind).json_schema(by_alias=True))


def check(device, revision):
    """Each message of satchel is valid by the schema of the revision."""
    asked = {}
    for direction, message in messages(device):
        if direction == ">":
            if "method" in message and "id" in message:
                asked[message["id"]] = message["method"]
            continue
        if "method" in message and "id" in message:
            assert revision == SESSION, "a stateless server sends no requests"
            validator(methods.SERVER_REQUESTS[message["method"], revision]).validate(message)
        elif "method" in message:
            validator(methods.SERVER_NOTIFICATIONS[message["method"], revision]).validate(message)
        elif "error" in message:
            validator(jsonrpc.JSONRPCError).validate(message)
        else:
            validator(jsonrpc.JSONRPCResponse).validate(message)
            check_result(asked[message["id"]], revision, message["result"])


def check_result(method, revision, result):
    kind = methods.SERVER_RESULTS[method, revision]
    if method == "tools/call" and revision == STATELESS:
        kinds = {kind.__name__: kind for kind in kind.__args__}
        kind = kinds["InputRequiredResult" if result["resultType"] == "input_required" else "CallToolResult"]
    validator(kind).validate(result)
