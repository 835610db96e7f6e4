"""Marks that redaction writes for what it takes out, so that no more is redacted than needed."""

from __future__ import annotations

import re
from functools import lru_cache

from packhound.redact.patterns import CURL_RULES, DOCUMENT_RULES, LINE_RULES, TEXT_RULES
from packhound.redact.token_prefixes import PREFIXED, SERVICES, service_kind

_EDGE = re.compile(rb"[\[\]<>]|[^\t -~]")
"""Ends of a mark; and all but plain ASCII, which may stand for broken bytes."""
_CODE_POINT = re.compile(rb"(?:u\+|u|\+)?[0-9a-f]*")


def may_add(literal: bytes) -> bool:
    """Return True if a redacted text may contain a literal, in any case, that the text has not.

    Marks such as `[REDACTED:jwt]` and `<U+202E>` stand wherever something was taken out. So a
    literal without their edges is in the text itself, or within one mark.
    """
    lowered = literal.lower()
    return bool(_EDGE.search(literal) or _CODE_POINT.fullmatch(lowered) or lowered in _marks())


@lru_cache(maxsize=1)
def _marks() -> bytes:
    """Return what can be within marks of secrets, in lower case."""
    return "\n".join(f"redacted:{kind}" for kind in sorted(secret_kinds())).lower().encode()


def secret_kinds() -> frozenset[str]:
    """Return all kinds that a secret can have."""
    rules = (*TEXT_RULES, *DOCUMENT_RULES, *CURL_RULES, *LINE_RULES)
    return frozenset(
        (
            *("secret", "password", "private-key", "kubernetes-secret"),
            *(rule.kind for rule in rules),
            *(kind for kind, *_ in PREFIXED),
            *map(service_kind, SERVICES),
        )
    )
