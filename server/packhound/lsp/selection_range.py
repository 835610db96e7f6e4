"""The bytes of a node's name, where a jump to the node puts the cursor.

A node begins with the comments and decorators that belong to it; a jump should skip them.
"""

from __future__ import annotations

import re

from packhound.core.types import NodeRef

_MAX_WORDS = 8
"""Words of a signature that are searched for; more of them distinguish no two definitions."""


def name_span(node: NodeRef, source: bytes) -> tuple[int, int]:
    """Return start and end byte of a node's name, or of its signature if the name is not in it.

    The span of a node without a signature, such as a window of a file, is empty, at its start.
    """
    words = [re.escape(word.encode("utf-8", "replace")) for word in node.signature.split()]
    span = node.span
    if not words:
        return span.start, span.start
    signature = rb"\s+".join(words[:_MAX_WORDS])
    # At the start of a line first: a comment may quote the signature.
    for pattern in (rb"^[ \t\f]*(%b)" % signature, rb"(%b)" % signature):
        match = re.compile(pattern, re.MULTILINE).search(source, span.start, span.end)
        if match:
            return _find_name(node.name, source, *match.span(1))
    return span.start, span.start


def _find_name(name: str, source: bytes, start: int, end: int) -> tuple[int, int]:
    word = re.escape(name.encode("utf-8", "replace"))
    match = re.compile(rb"(?<!\w)%b(?!\w)" % word).search(source, start, end) if name else None
    return match.span() if match else (start, end)
