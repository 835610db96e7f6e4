"""First lines of a pack: what it is for, how sure its search is, what is not here, and what ranked
higher.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain

from packhound.llm import counter_for
from packhound.pack.intention import WORDS, intention_of
from packhound.pack.notes import OVER_BUDGET
from packhound.pack.render import Part, to_json, unused_tag, xml_parts
from packhound.pack.request import Format, Pack, PackRequest
from packhound.redact import safe_line

_SHARE, _MAX_TOKENS = 0.06, 60
"""Of the budget, and at most."""
_TAG_TOKENS = 32
"""Of the tag around them in XML."""
_MAX_LEFT_OUT, _LEAST_TOKENS = 6, 1_000
"""Names of what was left out at most, and the budget from which on there are any."""


def reserve_opening(request: PackRequest) -> PackRequest:
    """Return the request with room for the first lines of its pack."""
    share = int(request.available * _SHARE)
    room = min(share, _MAX_TOKENS) + (min(share, _TAG_TOKENS) if request.format == "xml" else 0)
    return request if request.map else replace(request, reserve=request.reserve + room)


def add_opening(pack: Pack, request: PackRequest) -> Pack:
    """Return a pack that begins with as much of its first lines as the budget allows."""
    counter, sure = counter_for(request.tokenizer), _sure(pack, request)
    over = [node.reference for node in pack.omitted if node.reason.startswith(OVER_BUDGET)]
    over = over[:_MAX_LEFT_OUT] if request.available >= _LEAST_TOKENS else []
    begin = [*filter(None, [sure, *map(safe_line, pack.uses)])]
    names = (
        ", ".join(f"`{safe_line(each)}`" for each in over[:n]) for n in range(len(over), 0, -1)
    )
    longest = ([*begin, f"left out, though it may be needed: {each}"] for each in names)
    shorter = (begin[:n] for n in range(len(begin), 0, -1))
    for lines in chain(longest, shorter) if pack.text else ():
        text = _prepend(lines, pack.text, request.format)
        tokens = counter.count(text)
        if tokens <= request.available:
            return replace(pack, text=text, tokens=tokens)
    return pack


def _sure(pack: Pack, request: PackRequest) -> str:
    """Return what the prompt is taken as, how sure its first hit is, and what the folder lacks."""
    if request.map or not request.prompt.strip():
        return ""
    word = pack.confidence_word
    sure = f"best hit: {word}" if word else ""
    sure += ", so few files and more of each" if word == "weak" else ""
    taken = f"taken as {WORDS[intention_of(request.prompt)]}"
    return "; ".join(filter(None, [taken, sure, *map(safe_line, pack.caveats)]))


def _prepend(lines: list[str], text: str, form: Format) -> str:
    if form == "json":
        return to_json({"about": lines, **json.loads(text)})
    about = "\n".join(lines)
    if form == "xml":
        part = Part("", 'note="how sure this is"', about)
        return "".join(xml_parts([part], unused_tag(about + text))) + text
    return f"{about}\n\n{text}"
