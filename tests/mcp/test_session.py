"""The protocol of one client, over lines."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from packhound.mcp.session import Call, McpSession

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}


def test_a_tool_is_not_waited_for_when_the_client_has_gone() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()
    calls: list[Call] = []

    def slow(name: str, arguments: Mapping[str, object], call: Call) -> dict[str, Any]:
        calls.append(call)
        begun.set()
        may_end.wait(60)
        ended.set()
        return {"content": []}

    def lines() -> Any:
        yield json.dumps(CALL)
        assert begun.wait(60)

    answers: list[str] = []
    McpSession(answers.append, "", list, slow, last_answers_s=0).run(lines())
    assert calls[0].cancelled.is_set() and not ended.is_set()
    may_end.set()
    assert ended.wait(60)


def test_what_was_asked_before_the_end_is_answered() -> None:
    answers: list[str] = []
    session = McpSession(answers.append, "", list, lambda name, arguments, call: {"content": []})
    session.run([json.dumps({**CALL, "id": n}) for n in range(20)])
    assert {json.loads(answer)["id"] for answer in answers} == {*range(20)}
