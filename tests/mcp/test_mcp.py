"""The server as an agent meets it: the official client over standard input and output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("mcp.client.stdio")

import mcp_types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from packhound.core.parent_process import is_alive
from packhound.llm import counter_for

pytestmark = pytest.mark.asyncio


CODE = """
import json, pathlib, sys
from packhound.core.settings_files import COMMAND_LINE, Layer, Overrides
from packhound.mcp.server import serve_mcp

layers = (Layer(COMMAND_LINE, json.loads(sys.argv[1])),)
roots = [pathlib.Path(root) for root in sys.argv[2:]]
serve_mcp(roots, Overrides(layers))
"""


def parameters(*roots, cwd=None, **settings):
    settings = {"mcp.structuredContent": True, **settings}
    arguments = ["-c", CODE, json.dumps(settings), *map(str, roots)]
    environment = dict(os.environ)
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=cwd)


async def test_a_model_gets_the_text_alone_and_no_root_to_choose(folder):
    settings = {"mcp.structuredContent": False}
    async with (
        stdio_client(parameters(folder, **settings)) as (read, write),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        hits = await client.call_tool("search", {"query": "load records", "limit": 3})
        assert hits.structured_content is None and len(hits.content) == 1
        assert hits.content[0].text.startswith("confidence: ")
        tools = (await client.list_tools()).tools
        assert not any("root" in tool.input_schema["properties"] for tool in tools)


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.slow
async def test_a_secret_in_the_name_of_a_file_does_not_leave(tmp_path, structured):
    key = "ghp_" + "hT7kq92LwzP04vbnQ8rXhT7kq92LwzP04vbn"
    (tmp_path / f"quagga-{key}.py").write_text("def quagga(zebra):\n    return zebra\n")
    settings = {"mcp.structuredContent": structured}
    async with (
        stdio_client(parameters(tmp_path, **settings)) as (read, write),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        for tool, arguments in (
            ("search", {"query": "quagga zebra"}),
            ("pack", {"prompt": "quagga zebra"}),
            ("outline", {"path": f"quagga-{key}.py"}),
            ("read_node", {"path": f"missing-{key}.py", "line": 1}),
        ):
            answer = await client.call_tool(tool, arguments)
            assert key not in answer.model_dump_json(), tool
            assert "REDACTED" in answer.content[0].text, tool


@pytest.mark.parametrize("names_its_root", [True, False])
async def test_the_list_of_tools_is_short(folder, names_its_root):
    roots = [folder] if names_its_root else []
    async with (
        stdio_client(parameters(*roots, cwd=folder)) as (read, write),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        listed = await client.list_tools()
        text = listed.model_dump_json(by_alias=True, exclude_none=True)
        assert counter_for().count(text) <= 2_000


@pytest.mark.filterwarnings("ignore:The roots capability is deprecated")
@pytest.mark.parametrize("roots", ["of the command", "of the client", "none"])
async def test_the_setting_names_the_tools(folder, tmp_path, roots):
    async def list_roots(context):
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri())])

    server = parameters(
        *([folder] if roots == "of the command" else []),
        cwd=tmp_path if roots == "of the client" else folder,
        **{"mcp.tools": ["search", "overlays", "status"]},
    )
    asked = list_roots if roots == "of the client" else None
    async with (
        stdio_client(server) as (read, write),
        ClientSession(read, write, list_roots_callback=asked) as client,
    ):
        await client.initialize()
        # Many a client lists tools once, before it calls any.
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"search", "status", "propose"} <= tools.keys() and "outline" not in tools
        assert "patch" in tools["search"].input_schema["properties"]
        await client.call_tool("status", {})
        assert [tool.name for tool in (await client.list_tools()).tools] == [*tools]
        refused = await client.call_tool("outline", {})
        assert refused.is_error and "tool 'outline' is switched off" in refused.content[0].text


# Clients of today have the capability, though the next version of the protocol deprecates it.
@pytest.mark.filterwarnings("ignore:The roots capability is deprecated")
async def test_without_a_root_those_of_the_client_are_served(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "tea.py").write_text("def brew_tea(leaves):\n    return leaves\n")
    roots, n_asked = [folder, tmp_path / "missing"], 0

    async def list_roots(context):
        nonlocal n_asked
        n_asked += 1
        if n_asked == 1:  # They change while the server waits for them.
            await client.send_roots_list_changed()
        uris = [types.Root(uri=root.as_uri()) for root in roots]
        return types.ListRootsResult(roots=uris)

    async with (
        stdio_client(parameters(cwd=tmp_path)) as (read, write),
        ClientSession(read, write, list_roots_callback=list_roots) as client,
    ):
        await client.initialize()
        hits = await client.call_tool("search", {"query": "load_records", "limit": 1})
        assert hits.structured_content["hits"][0]["path"] == "store/disk.py"
        roots[:] = [folder, other]
        await client.send_roots_list_changed()
        node = await client.call_tool("read_node", {"path": "other/tea.py:1"})
        assert node.content[0].text.startswith("other/tea.py:1-2 function brew_tea")


@pytest.mark.slow
async def test_a_client_without_roots_is_served_the_folder_that_it_starts_in(folder):
    async with (
        stdio_client(parameters(cwd=folder)) as (read, write),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        await client.call_tool("search", {"query": "load records"})  # It waits for all files.
        status = await client.call_tool("status", {})
        assert status.structured_content["files"] == 2


async def test_every_tool_over_stdio(folder):
    async with (
        stdio_client(parameters(folder)) as (read, write),
        ClientSession(read, write) as client,
    ):
        hello = await client.initialize()
        assert hello.server_info.name == "packhound"
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {
            *("search", "grep", "related", "symbol", "changes", "pack", "outline"),
            *("read_node", "status"),
        }
        assert all(tool.annotations.read_only_hint for tool in tools)
        actual = await client.call_tool("search", {"query": "load records", "limit": 3})
        assert actual.structured_content["hits"][0]["path"] == "store/disk.py"
        assert "store/disk.py:" in actual.content[0].text
        packed = await client.call_tool("pack", {"prompt": "copy records", "budget": 600})
        assert 0 < packed.structured_content["tokens"] <= 600
        assert packed.content[0].text.startswith(packed.structured_content["text"].rstrip())
        nothing = await client.call_tool("pack", {"prompt": "copy", "excluded": ["*"]})
        assert nothing.content[0].text.splitlines()[0] == "nothing found that fits the budget"
        outline = await client.call_tool("outline", {"path": "app.py"})
        assert "import_records" in outline.content[0].text
        node = await client.call_tool("read_node", {"path": "app.py", "line": 5})
        heading, first, *_ = node.content[0].text.splitlines()
        assert (heading, first[:20]) == (
            *("app.py:4-7 function import_records", "4\tdef import_records"),
        )
        related = await client.call_tool("related", {"path": "app.py", "line": 5})
        assert related.structured_content["neighbors"]
        assert "uses:\n  store/disk.py:6-17 class Disk" in related.content[0].text
        matches = await client.call_tool("grep", {"pattern": r"def \w+_records\("})
        assert matches.structured_content["total_lines"] == 3
        assert matches.content[0].text.splitlines()[:3] == [
            "3 lines match in 2 files",
            "app.py:4-7 function import_records",
            "4\tdef import_records(source, target):",
        ]
        status = await client.call_tool("status", {})
        assert status.structured_content["files"] == 2
        refused = await client.call_tool("read_node", {"path": "../outside.py", "line": 1})
        assert refused.is_error and "not an indexed file" in refused.content[0].text


WRAPPER = """
import subprocess, sys
server = subprocess.Popen([sys.executable, "-m", "packhound", "mcp", sys.argv[1]])
print(server.pid, file=sys.stderr, flush=True)
server.wait()
"""


def wait_for_end_of(process_id: int) -> None:
    deadline = time.monotonic() + 30
    while is_alive(process_id):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("way", ["its agent is killed", "interrupted"])
async def test_it_ends_though_its_input_stays_open(folder, way):
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", WRAPPER, str(folder)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as agent:
        server = int(agent.stderr.readline())
        params = {"protocolVersion": "2025-03-26", "capabilities": {}}
        params["clientInfo"] = {"name": "agent", "version": "1"}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        agent.stdin.write(json.dumps(hello).encode() + b"\n")
        agent.stdin.flush()
        assert b"packhound" in agent.stdout.readline()
        if way == "interrupted":
            os.kill(server, signal.SIGINT)
        else:
            agent.kill()
        wait_for_end_of(server)
