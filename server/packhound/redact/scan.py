"""Which lines of a text could hold a secret at all: found with byte operations, not by pattern.

Nearly every secret holds a digit; a line counts if a digit is in a long run of the characters that
keys are made of, or if it also has a word that asks for a secret.
"""

from __future__ import annotations

_LEAST_RUN = 14
_KEY_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_+/=.~%-"
_CLASSES = bytes(
    ord("0")
    if byte in b"0123456789"
    else ord("a")
    if byte in _KEY_CHARACTERS
    else byte
    if byte == ord("\n")
    else ord(" ")
    for byte in range(256)
)

ASKING = ("pass", "pwd", "pw:", "pw=", "secret", "credential", "token", "key", "auth", "identified")
"""Words in the names of secrets."""


def suspicious_lines(text: str) -> list[tuple[int, int, bool]]:
    """Start and end of each line worth a close look, and whether it asks for a secret."""
    classes = text.encode("latin-1", "replace").translate(_CLASSES)
    found = []
    at = classes.find(b"0")
    while at >= 0:
        start = classes.rfind(b"\n", 0, at) + 1
        end = classes.find(b"\n", at)
        end = len(classes) if end < 0 else end
        asks = _asks(text[start:end].lower())
        if asks or _has_run(classes[start:end]):
            found.append((start, end, asks))
        at = classes.find(b"0", end)
    return found


def _asks(lowered: str) -> bool:
    return any(word in lowered for word in ASKING)


def _has_run(classes: bytes) -> bool:
    return any(len(run) >= _LEAST_RUN and b"0" in run for run in classes.split())
