"""Secrets that the format of a document gives away: key files and manifests.

Bounded as the rules of `patterns` are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packhound.redact.values import is_mostly_base64

_PRIVATE_KEYS = (
    re.compile(
        r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<body>(?:(?!-----BEGIN)[\s\S]){40,20000}?)"
        r"-----END[ A-Z0-9_-]{0,60}KEY(?: BLOCK)?-----"
    ),
    re.compile(
        r"PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[\s\"'+,;]|\\n|\\r)*"
        r"(?:[A-Za-z0-9+/=]{40,}(?:[\s\"'+,;]|\\n|\\r)*)+)"
    ),
)

_DATA, _VALUE_LINE = r"^(?:string)?data:[^\n]*\n", r"[ \t][^\n]*"
_KIND = r"^kind:[ \t]*[\"']?secret\b"
_MANIFESTS = (
    re.compile(rf"(?im){_KIND}(?:.*\n){{0,40}}?{_DATA}(?P<body>(?:{_VALUE_LINE}(?:\n|\Z))+)"),
    # As `kubectl get -o yaml` prints it, by the names of the keys.
    re.compile(
        rf"(?im){_DATA}(?P<body>(?:{_VALUE_LINE}\n)+)(?![ \t])(?:(?!---).*\n){{0,40}}?{_KIND}"
    ),
)
_MANIFEST_VALUE = re.compile(r":[ \t]*['\"]?([\w+/]{10,}={0,3})")

BLOCK_LITERALS = ("private key", "secret", "data:")


def private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the bodies of private keys in PEM."""
    for pattern in _PRIVATE_KEYS:
        for match in pattern.finditer(text):
            if is_mostly_base64(match["body"]):
                yield *match.span("body"), "private-key"


def manifest_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the values of Kubernetes secrets."""
    for pattern in _MANIFESTS:
        for match in pattern.finditer(text):
            base = match.start("body")
            for value in _MANIFEST_VALUE.finditer(match["body"]):
                yield base + value.start(1), base + value.end(1), "kubernetes-secret"
