"""Hidden characters, shown as their code points.

Bidirectional controls, zero-width characters, tags, escape sequences and other controls can make a
reviewer read something else than the language model does (Boucher and Anderson 2021).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n"


def visible(text: str) -> str:
    """Return `text` with each hidden character as `<U+202E>`."""
    # Without plain characters little is left to search, of most texts nothing.
    odd = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if not odd or not _HIDDEN.search(odd.decode("utf-8", "surrogatepass")):
        return text
    return _HIDDEN.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def visible_line(text: str) -> str:
    """As `visible`, for what has to stay on one line, as names: line feeds are shown too."""
    return visible(text).replace("\n", "<U+000A>")


@lru_cache(maxsize=8_192)
def safe_line(text: str) -> str:
    """As `visible_line`, without secrets: for what leaves beside the code, as headings of prose."""
    # What only shows characters, as the command line does, waits for no patterns.
    from packhound.redact.redact import RedactionTimeout, redact

    try:
        return visible_line(redact(text).text)
    except RedactionTimeout:
        return "[REDACTED:unchecked]"


def visible_text(text: str) -> str:
    """As `visible`, with each line end that editors know as a line feed."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text)


def json_line(value: object) -> str:
    """Return a value as JSON on one line, with hidden characters escaped, which means the same."""
    text = json.dumps(value, ensure_ascii=False)
    return _HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def without_secrets(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value whose texts have no secrets, and their hidden characters visible."""
    from packhound.redact.redact import redact

    if isinstance(value, str):
        return visible_text(redact(value).text)
    if isinstance(value, Mapping):
        return {
            without_secrets(str(key)): without_secrets(each)
            for key, each in _without_named(value).items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(each) for each in value]
    return value


def _without_named(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return an object without the secrets that only their names tell, as `password`."""
    from packhound.redact.redact import redact

    text = json.dumps(value, ensure_ascii=False, default=str)
    redacted = redact(text).text
    try:
        safe = value if redacted == text else json.loads(redacted)
    except ValueError:
        return value
    return safe if isinstance(safe, Mapping) else value
