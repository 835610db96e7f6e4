"""`file` URIs to absolute paths and back, on POSIX and Windows (RFC 8089)."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import PureWindowsPath
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

from packhound.core.typed import without_surrogates

WINDOWS = os.name == "nt"

_FILE_URI = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"^/([A-Za-z]):(?:/|$)")
_EXTENDED_PREFIX = re.compile(r"^\\\\\?\\(UNC\\)?")
"""Prefix of Windows paths that may be longer than 260 characters."""


def path_from_uri(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """Return the normalized absolute path; None if the URI names no file on this machine."""
    match = _FILE_URI.fullmatch(uri)
    if match is None:
        return None
    octets = unquote_to_bytes(without_surrogates(match["path"]))
    if b"\0" in octets:
        return None
    return _windows_path(match["host"] or "", octets) if windows else _posix_path(match, octets)


def uri_from_path(path: str, *, windows: bool = WINDOWS) -> str:
    """Return the URI of an absolute path."""
    if not windows:
        return "file://" + quote_from_bytes(os.fsencode(path), safe="/~")
    plain = _EXTENDED_PREFIX.sub(lambda prefix: "\\\\" if prefix[1] else "", path)
    slashed = PureWindowsPath(plain).as_posix().encode("utf-8", "surrogatepass")
    if slashed.startswith(b"//"):
        return "file:" + quote_from_bytes(slashed, safe="/~")
    return "file:///" + quote_from_bytes(slashed, safe="/~")


def _posix_path(match: re.Match[str], octets: bytes) -> str | None:
    if (match["host"] or "").lower() not in ("", "localhost"):
        return None
    # Two leading slashes mean the same as one here, though POSIX lets systems differ.
    return posixpath.normpath("/" + os.fsdecode(octets).lstrip("/"))


def _windows_path(host: str, octets: bytes) -> str:
    text = octets.decode("utf-8", "surrogateescape")
    if host.lower() not in ("", "localhost"):
        # Host names of shares may hold escaped characters, as WSL's does: wsl$.
        text = f"//{unquote(host)}{text}"
    # Drive letters become upper case, however the client writes them, so that paths compare.
    text = _DRIVE.sub(lambda drive: f"{drive[1].upper()}:/", text)
    return ntpath.normpath(text)


def folder_paths(params: Mapping[str, object]) -> tuple[str, ...]:
    """Return the folders of `initialize` that are on this machine's disk."""
    folders = params.get("workspaceFolders")
    if isinstance(folders, list):
        uris = [folder.get("uri") for folder in folders if isinstance(folder, dict)]
        paths = [path_from_uri(uri) for uri in uris if isinstance(uri, str)]
        return tuple(path for path in paths if path is not None)
    root = params.get("rootUri")
    path = path_from_uri(root) if isinstance(root, str) else params.get("rootPath")
    return (path,) if isinstance(path, str) and path else ()
