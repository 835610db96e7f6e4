"""Values in quotes by the names that they are given to, in any language.

Only lexical facts are read: a literal, and how the text before it in its statement leads from a
name to it. So a type, a wrapper or a default between them hides nothing, in excerpts that no parser
could read neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packhound.redact.names import IDENTIFIER
from packhound.redact.values import is_named_secret

_LITERAL = re.compile(
    r"(?P<quote>\\?['\"`])(?P<value>[^\s'\"`\\]{6,400})(?P=quote)"
    r"|(?:\[\[|\bq[qw]?[{(\[])(?P<bare>[^\s'\"`\[\]{}()]{6,400})[\]})]"
)
_HEAD = 140
"""Most characters between the end of a name and its literal."""
_ACCESSORS = re.compile(r"\{ ?(?:get|set|init);[^{}]{0,30}\}")
_BRIDGE = re.compile(
    # The rest of a quoted key, of an index or of a call that names it, ...
    r"\\?['\"`]?[\])}]{0,2}(?:\[\w{0,9}\])?(?:\.\w{1,20}(?=\())?[ \t]*"
    # ... then a sign that gives, with a type before it and a wrapper or a default behind it, ...
    r"(?:(?P<comma>,)(?:[ \t]*default\w{0,5}[ \t]*[=:])?"
    r"|(?:[A-Za-z][\w ]{0,30})?[=:({>|?!<&-][^;]*|(?:is|to)[ \t]|(?P<nothing>))"
    # ... and what stands directly before the quote.
    r"(?:(?<=[=:(\[{,|?>< \t\n-])|\b(?:or|is|to)[ \t])[ \t\n]*"
    r"(?:[fFrRbBuULl@$]{1,2}|u8|br)?['\"]{0,2}",
)


def named_literals(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the values of the literals of a line, or of two, whose names ask for a secret."""
    for literal in _LITERAL.finditer(text):
        group = "value" if literal["value"] else "bare"
        value = literal[group]
        if not is_named_secret(value, is_password=True):
            continue
        name = _name_before(text, literal.start())
        if name is None:
            continue
        if name["password"] or is_named_secret(value, is_password=False):
            yield *literal.span(group), "password" if name["password"] else "secret"


def _name_before(text: str, end: int) -> re.Match[str] | None:
    """Return the name of a secret that the text before a literal leads from."""
    start = max(0, end - _HEAD)
    last = None
    for last in IDENTIFIER.finditer(text, start, end):  # noqa: B007 - the last is wanted
        pass
    if last is None:
        return None
    match = _BRIDGE.fullmatch(_ACCESSORS.sub("", text[last.end() : end]))
    return last if match is not None and _leads(last, match) else None


def _leads(name: re.Match[str], bridge: re.Match[str]) -> bool:
    """Return True if a text leads from a name to its value, and not to that of another."""
    if "&&" in bridge[0] or (bridge["nothing"] is not None and name["word"]):
        return False
    # Arguments of a call that makes the value, but not the next argument or pair.
    outside = bridge[0].split("(")[0].split("[")[0]
    return outside.count(",") <= bool(bridge["comma"]) and bridge[0].count(",") <= 3
