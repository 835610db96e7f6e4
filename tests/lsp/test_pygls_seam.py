"""What `pygls_seam` relies on: these fail with the name of what a new pygls has moved."""

from __future__ import annotations

import inspect
import json
import re
import threading
from importlib.metadata import version
from queue import SimpleQueue

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.protocol import PackhoundProtocol
from packhound.lsp.pygls_seam import PyglsSeam
from packhound.rpc import WriteQueue
from packhound.service import EnginePool
from tests.support.lsp_client import frame
from tests.support.streams import Chunks

OVERRIDDEN = {
    "__init__": ["self", "server", "converter"],
    "notify": ["self", "method", "params"],
    "send_request": ["self", "method", "params", "callback", "msg_id"],
    "get_result_type": ["self", "method"],
    "lsp_initialize": ["self", "params"],
    "lsp_shutdown": ["self", "args"],
    "lsp_exit": ["self", "args"],
}


def moved(name: str) -> str:
    return f"pygls {version('pygls')} has moved `{name}`: adapt lsp/pygls_seam.py to it"


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_what_is_overridden_or_called_is_still_there(name):
    method = inspect.unwrap(getattr(LanguageServerProtocol, name, lambda: None))
    assert list(inspect.signature(method).parameters) == OVERRIDDEN[name], moved(name)


def test_the_registry_is_public():
    features = LanguageServer("x", "1").protocol.fm
    for name in ("builtin_features", "features", "commands", "feature_options"):
        assert hasattr(features, name), moved(f"fm.{name}")
    for method in (types.INITIALIZE, types.SHUTDOWN, types.EXIT):
        assert method in features.builtin_features, moved(method)


def test_no_private_name_of_pygls_is_touched():
    pygls = LanguageServer("x", "1").protocol
    theirs = {name for name in {*dir(pygls), *vars(pygls)} if re.match("_[a-z]", name)}
    for owner in (PyglsSeam, PackhoundProtocol):
        source = inspect.getsource(owner)
        ours = {name for name in vars(owner) if re.match("_[a-z]", name)}
        used = set(re.findall(r"(?:self|super\(\))\.(_[a-z]\w*)", source))
        assert not theirs & (ours | used), f"{owner.__name__} uses {theirs & (ours | used)}"


def test_pygls_sends_only_through_what_is_overridden():
    sent: SimpleQueue[dict] = SimpleQueue()
    received: SimpleQueue[bytes] = SimpleQueue()
    server = PackhoundServer(EnginePool())
    writer = WriteQueue(
        Chunks(
            iter(received.get, None),
            lambda data: sent.put(json.loads(data.partition(b"\r\n\r\n")[2])),
        )
    )
    thread = threading.Thread(target=server.protocol.run, args=(writer,))
    thread.start()
    received.put(frame("no message"))  # Its answer shows that the session has begun.
    assert "error" in sent.get(timeout=30)
    server.window_log_message(types.LogMessageParams(types.MessageType.Info, "x"))
    server.work_done_progress.begin("token", types.WorkDoneProgressBegin("title"))
    future = server.client_register_capability(types.RegistrationParams([]))
    messages = [sent.get(timeout=30) for _ in range(3)]
    assert [message["method"] for message in messages] == [
        "window/logMessage", "$/progress", "client/registerCapability",
    ], moved("notify or send_request")  # fmt: skip
    received.put(frame({"jsonrpc": "2.0", "id": messages[2]["id"], "result": None}))
    assert future.result(timeout=30) is None
    received.put(b"")
    thread.join(30)
    writer.close(5)
