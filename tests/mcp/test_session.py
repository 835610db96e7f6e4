"""The protocol of one client, over lines."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from packhound.mcp.session import Call, McpSession
from tests.support.streams import Chunks

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}


class Tools:
    """Tools that answer nothing."""

    instructions = ""

    def list(self) -> list[dict[str, Any]]:
        return []

    def call(self, name: str, arguments: Mapping[str, object], call: Call) -> dict[str, Any]:
        return {"content": []}

    def forget_roots(self) -> None:
        """Ignore it."""


def test_a_tool_is_not_waited_for_when_the_client_has_gone() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()
    calls: list[Call] = []

    class Slow(Tools):
        def call(self, name: str, arguments: Mapping[str, object], call: Call) -> dict[str, Any]:
            calls.append(call)
            begun.set()
            may_end.wait(60)
            ended.set()
            return {"content": []}

    def chunks() -> Any:
        yield json.dumps(CALL).encode() + b"\n"
        assert begun.wait(60)
        yield b""

    McpSession(Chunks(chunks()), Slow(), last_answers_s=0).run()
    assert calls[0].cancelled.is_set() and not ended.is_set()
    may_end.set()
    assert ended.wait(60)


def test_what_was_asked_before_the_end_is_answered() -> None:
    answers: list[bytes] = []
    lines = [json.dumps({**CALL, "id": n}).encode() + b"\n" for n in range(20)]
    McpSession(Chunks(lines, answers.append), Tools()).run()
    assert {json.loads(answer)["id"] for answer in answers} == {*range(20)}
