"""Agents share one engine in the background, and lose no answer when it is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("mcp.client.stdio")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from packhound.core.parent_process import is_alive
from packhound.core.user_folders import cache_folder

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(os.name == "nt", reason="signals"),
]


@pytest.fixture(autouse=True)
def _ends_with_its_cache(monkeypatch, tmp_path, folder):
    """Have the engine of each test end, whatever the test has done to it."""
    monkeypatch.setenv("PACKHOUND_IDLE_SECONDS", "3")
    yield
    process_id = engine_id()
    if process_id:
        os.kill(process_id, signal.SIGKILL)
        wait_for_end_of(process_id)


def engine_id() -> int | None:
    try:
        address = (cache_folder() / "engine.json").read_text()
    except OSError:
        return None
    process_id = json.loads(address)["pid"]
    return process_id if is_alive(process_id) else None


def wait_for_end_of(process_id: int) -> None:
    deadline = time.monotonic() + 30
    while is_alive(process_id):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.02)


@asynccontextmanager
async def agent(*roots: Path):
    command = ["-m", "packhound", "mcp", *map(str, roots)]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with (
        stdio_client(parameters) as (read, write),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        yield client


async def first_hit(client: ClientSession, query: str) -> str:
    answer = await client.call_tool("search", {"query": query, "limit": 1})
    assert not answer.is_error, answer
    return answer.content[0].text


async def test_agents_share_one_engine(folder):
    async with agent(folder) as first, agent(folder) as second:
        assert "store/disk.py" in await first_hit(first, "load records")
        process_id = engine_id()
        assert "store/disk.py" in await first_hit(second, "load records")
        assert engine_id() == process_id is not None


@pytest.mark.parametrize("n_agents", [4, pytest.param(20, marks=pytest.mark.release)])
async def test_agents_that_start_at_once_start_one_engine(folder, n_agents):
    async def ask() -> int | None:
        async with agent(folder) as client:
            assert "store/disk.py" in await first_hit(client, "load records")
            return engine_id()

    assert len(set(await asyncio.gather(*(ask() for _ in range(4))))) == 1


@pytest.mark.slow
async def test_no_answer_is_lost_when_the_engine_is_killed(folder):
    async with agent(folder) as client:
        assert "store/disk.py" in await first_hit(client, "load records")
        for n in range(3):
            tasks = [asyncio.create_task(first_hit(client, "load records")) for _ in range(4)]
            # Before it has read them, while it works on them, and after it has answered some.
            await asyncio.sleep(0.02 * n)
            os.kill(engine_id(), signal.SIGKILL)
            answers = await asyncio.gather(*tasks)
            assert all("store/disk.py" in answer for answer in answers)
            assert (await client.list_tools()).tools


async def test_a_file_that_changed_on_disk_is_seen(folder):
    async with agent(folder) as client:
        assert "late.py" not in await first_hit(client, "late_canary")
        (folder / "late.py").write_text("def late_canary(): pass\n")
        assert "late.py" in await first_hit(client, "late_canary")
        (folder / "late.py").unlink()
        assert "late.py" not in await first_hit(client, "late_canary")


@pytest.mark.slow
async def test_the_engine_ends_when_nobody_uses_it(folder):
    async with agent(folder) as client:
        await first_hit(client, "load records")
        process_id = engine_id()
    wait_for_end_of(process_id)
    async with agent(folder) as client:
        assert "store/disk.py" in await first_hit(client, "load records")


async def test_a_server_without_an_engine_works_alone(folder, tmp_path, monkeypatch):
    unwritable = tmp_path / "file"
    unwritable.write_text("no folder")
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(unwritable))
    monkeypatch.setenv("PACKHOUND_STATE_DIR", str(tmp_path / "state"))
    async with agent(folder) as client:
        assert "store/disk.py" in await first_hit(client, "load records")
    assert "works alone" in (tmp_path / "state" / "mcp.log").read_text()


async def test_a_folder_that_is_none_is_refused_in_one_line(folder):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "packhound", "mcp", str(folder / "nowhere")),
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert process.returncode == 2 and b"does not exist" in errors


@pytest.mark.slow
async def test_a_folder_that_is_gone_is_named_by_each_call(tmp_path: Path) -> None:
    root = tmp_path / "passing"
    root.mkdir()
    (root / "bird.py").write_text("def migrate(flock):\n    return flock\n")
    async with agent(root) as client:
        assert "migrate" in await first_hit(client, "migrate")
        (root / "bird.py").unlink()
        root.rmdir()
        os.kill(engine_id(), signal.SIGKILL)
        answer = await client.call_tool("search", {"query": "migrate"})
        assert answer.is_error and str(root) in answer.content[0].text
