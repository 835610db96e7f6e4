"""One client of the language server over TCP, which any user of the machine could reach.

The client proves with a token in `initializationOptions.token` that it may talk to the server.
Whoever connects without it gets an error for `initialize` and is disconnected, and the server goes
on listening.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from packhound.core.errors import SettingsError, StoreError
from packhound.core.private_file import read_private
from packhound.relay import SocketStream
from packhound.rpc import FrameReader, Malformed, Rewindable, WireError, encode

TOKEN_OPTION = "token"
_INITIALIZE_S = 10.0
"""Time for a client to send `initialize`; until then nobody else is answered."""
_MIN_TOKEN = 16
_REQUEST_FAILED = -32803
_REMEDY = (
    "initializationOptions.token is missing or wrong; send the token that `packhound lsp --tcp`"
    " prints on standard error, or that of its --token-file"
)


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """An address to listen on: port 0 picks a free one, and `token_file` holds the token."""

    host: str
    port: int
    token_file: Path | None = None
    allow_remote: bool = False


def accept_client(address: TcpAddress) -> Rewindable:
    """Listen until a client sends the token; what it has sent is read from the stream again.

    Address and token are printed to stderr, the token not if it is from a file. Raises
    SettingsError for an address that other machines could reach and for an unusable token file.
    """
    host = _check_host(address)
    token = read_token(address.token_file) if address.token_file else secrets.token_urlsafe(32)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, address.port), family=family) as listener:
        name, port, *_ = listener.getsockname()
        sys.stderr.write(f"packhound: listening on {name}:{port}\n")
        if not address.token_file:
            sys.stderr.write(f"packhound: token {token}\n")
        sys.stderr.flush()
        while True:
            client, _ = listener.accept()
            with suppress(OSError):
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                stream = _authorize(client, token.encode())
                if stream is not None:
                    return stream
            client.close()


def read_token(path: Path) -> str:
    """Return the token in a file that only its owner may read. Raises SettingsError."""
    try:
        content = read_private(path)
        if content is None:
            raise SettingsError(f"token file '{path}' does not exist")
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SettingsError(f"token file '{path}' is open to other users; chmod it to 600")
        token = content.decode("utf-8").strip()
    except (StoreError, OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"token file '{path}' cannot be used: {error}") from None
    if len(token) < _MIN_TOKEN:
        raise SettingsError(f"the token in '{path}' must have at least {_MIN_TOKEN} characters")
    return token


def _authorize(client: socket.socket, token: bytes) -> Rewindable | None:
    """Return the stream of a client whose first message has the token, refuse any other."""
    stream = Rewindable(SocketStream(client))
    client.settimeout(_INITIALIZE_S)
    try:
        message = next(iter(FrameReader(stream)), None)
    except WireError:
        return None
    if not _has_token(message, token):
        message_id = message.get("id") if isinstance(message, dict) else None
        error = {"code": _REQUEST_FAILED, "message": _REMEDY, "data": {"retry": False}}
        stream.write(encode({"jsonrpc": "2.0", "id": message_id, "error": error}))
        return None
    client.settimeout(None)
    stream.rewind()
    return stream


def _has_token(message: object, token: bytes) -> bool:
    """Return True if a message is an `initialize` request with the token."""
    if isinstance(message, Malformed) or not isinstance(message, dict):
        return False
    params = message.get("params")
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    sent = options.get(TOKEN_OPTION) if isinstance(options, dict) else None
    return (
        message.get("method") == "initialize"
        and isinstance(sent, str)
        and secrets.compare_digest(sent.encode("utf-8", "surrogatepass"), token)
    )


def _check_host(address: TcpAddress) -> str:
    """Return the host to listen on. Raises SettingsError unless it is allowed."""
    host, port = address.host, address.port
    name = "127.0.0.1" if host == "localhost" else host
    if not 0 <= port < 65_536:
        raise SettingsError(f"port '{port}' must be between 0 and 65535")
    try:
        is_loopback = ip_address(name).is_loopback
    except ValueError:
        is_loopback = False
    if is_loopback or (address.allow_remote and name):
        return name
    raise SettingsError(
        f"host '{host}' is not on this machine alone; expected one of: 127.0.0.1, ::1, localhost;"
        " --allow-remote permits others, whose traffic is not encrypted"
    )
