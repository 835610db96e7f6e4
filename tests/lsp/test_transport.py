"""The same server on a loopback address, and its log file."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from contextlib import contextmanager

import pytest

from packhound.core.errors import SettingsError
from packhound.core.private_file import write_private_atomic
from packhound.lsp.tcp import TcpAddress, accept_client, read_token
from tests.support.lsp_client import COMMAND, frame


@contextmanager
def listen(tmp_path, *options: str):
    """Yield a server over TCP, its address and the token that it prints."""
    command = [*COMMAND, "--tcp", "--port", "0", "--log-file", str(tmp_path / "log.txt"), *options]
    environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        try:
            host, _, port = process.stderr.readline().decode().split()[-1].rpartition(":")
            token = (
                "" if "--token-file" in options else process.stderr.readline().decode().split()[-1]
            )
            yield process, (host, int(port)), token
        finally:
            process.kill()


def request(message_id: int, method: str, params: object = None) -> bytes:
    return frame({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params})


def initialize(token: object) -> bytes:
    return request(0, "initialize", {"capabilities": {}, "initializationOptions": {"token": token}})


def work(process, address, token: str) -> None:
    """Go through a session."""
    with socket.create_connection(address, timeout=30) as client:
        client.sendall(initialize(token) + request(1, "packhound/status"))
        assert "result" in read(client, 0) and "result" in read(client, 1)
        client.sendall(request(2, "shutdown"))
        assert read(client, 2)["result"] is None
        client.sendall(frame({"jsonrpc": "2.0", "method": "exit"}))
    assert process.wait(30) == 0


def test_over_a_loopback_address(tmp_path):
    with listen(tmp_path) as (process, address, token):
        work(process, address, token)
    log = (tmp_path / "log.txt").read_text()
    assert token not in log and "unknown setting" not in log


def test_without_the_token_the_connection_is_closed(tmp_path):
    strangers = [
        request(0, "initialize", {"capabilities": {}}),
        request(0, "packhound/status"),
        *map(initialize, ("guess", ["x"], "\ud800", None)),
    ]
    with listen(tmp_path) as (process, address, token):
        for sent in strangers:
            with socket.create_connection(address, timeout=30) as stranger:
                stranger.sendall(sent)
                error = read(stranger, 0)["error"]
                assert error["code"] == -32803, sent
                assert "initializationOptions.token" in error["message"], sent
                assert stranger.recv(1) == b"", sent
        with socket.create_connection(address, timeout=30) as stranger:
            stranger.sendall(b"x" * 10_000)
        work(process, address, token)


def test_the_token_may_be_in_a_file_of_the_owner(tmp_path):
    file = tmp_path / "token"
    write_private_atomic(file, b"a secret of the owner\n")
    with listen(tmp_path, "--token-file", str(file)) as (process, address, _):
        work(process, address, "a secret of the owner")
        assert b"secret" not in process.stderr.read()


@pytest.mark.parametrize(
    ("content", "mode", "problem"),
    [
        ("a secret of the owner", 0o644, "open to other users"),
        ("short", 0o600, "must have at least 16"),
        (None, 0o600, "does not exist"),
    ],
)
def test_a_token_file_that_protects_nothing_is_refused(tmp_path, content, mode, problem):
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
        file.chmod(mode)
    if os.name == "posix" or mode == 0o600:
        with pytest.raises(SettingsError, match=problem):
            read_token(file)


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
    with pytest.raises(SettingsError, match=r"not on this machine alone|between 0 and 65535"):
        accept_client(TcpAddress(*address))


def test_other_hosts_are_allowed_by_a_flag(tmp_path):
    with listen(tmp_path, "--host", "0.0.0.0", "--allow-remote") as (process, address, token):
        work(process, ("127.0.0.1", address[1]), token)
