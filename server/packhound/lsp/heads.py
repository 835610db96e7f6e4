"""Where in a node's text its definition begins, below its comments and decorators.

A node begins with the comment that belongs to it; a cursor that jumps there should not.
"""

from __future__ import annotations

import re

from packhound.core.types import NodeRef

_WORDS = 8
"""Words of a signature that are looked for; more of them tell no two places apart."""


def head_of(node: NodeRef, source: bytes) -> tuple[int, int]:
    """The bytes from the name of a definition, or else from its signature, to the end of that.

    A node without a signature, as a stretch of a file is, begins where its span does.
    """
    words = [re.escape(word.encode("utf-8", "replace")) for word in node.signature.split()]
    span = node.span
    if not words:
        return span.start, span.start
    signature = rb"\s+".join(words[:_WORDS])
    # At the start of a line first: a comment may quote the signature.
    for pattern in (rb"^[ \t\f]*(%b)" % signature, rb"(%b)" % signature):
        found = re.compile(pattern, re.MULTILINE).search(source, span.start, span.end)
        if found:
            return _name_in(node.name, source, *found.span(1))
    return span.start, span.start


def _name_in(name: str, source: bytes, start: int, end: int) -> tuple[int, int]:
    word = re.escape(name.encode("utf-8", "replace"))
    found = re.compile(rb"(?<!\w)%b(?!\w)" % word).search(source, start, end) if name else None
    return found.span() if found else (start, end)
