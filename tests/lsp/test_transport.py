"""The same server on a loopback address, and its log file."""

from __future__ import annotations

import json
import os
import socket
import subprocess

import pytest

from packhound.core.errors import SettingsError
from packhound.lsp.jsonrpc.transport import accept_one
from tests.support.lsp_client import COMMAND, frame


def test_over_a_loopback_address(tmp_path):
    command = [*COMMAND, "--tcp", "--port", "0", "--log-file", str(tmp_path / "log.txt")]
    environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        address = process.stderr.readline().decode().split()[-1]
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=30) as client:
            for n, method in enumerate(("initialize", "packhound/status", "shutdown")):
                client.sendall(frame({"jsonrpc": "2.0", "id": n, "method": method}))
                assert read(client, n)["id"] == n
            client.sendall(frame({"jsonrpc": "2.0", "method": "exit"}))
        assert process.wait(30) == 0
    assert (tmp_path / "log.txt").exists()


def read(client: socket.socket, wanted: int) -> dict:
    """The answer with an id; notifications before it are passed over."""
    with client.makefile("rb", buffering=0) as stream:
        while True:
            length = int(stream.readline().partition(b":")[2])
            stream.readline()
            body = b""
            while len(body) < length:
                body += stream.read(length - len(body))
            message = json.loads(body)
            if message.get("id") == wanted:
                return message


@pytest.mark.parametrize(
    "address", [("0.0.0.0", 0), ("example.org", 80), ("127.0.0.1", 70_000), ("", 0), ("::", 0)]
)
def test_addresses_that_others_could_reach_are_refused(address):
    with pytest.raises(SettingsError, match="not on this machine alone"):
        accept_one(*address)
