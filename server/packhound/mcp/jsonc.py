"""JSON with comments and trailing commas: change one entry and leave the rest as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<comment>//[^\n]*|/\*.*?\*/)'
    # Comments are matched lazily, so each ends at its first terminator.
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*(?:\n|$)|/\*(?:(?!\*/).)*\*/)*[}\]])",
    re.DOTALL,
)
_VISIBLE = re.compile(r"[^\s]")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class _Member:
    """Offsets of a member of an object, of its value and of its end."""

    name: str
    start: int
    value: int
    end: int


def plain(text: str) -> str:
    """Return plain JSON of the same length: comments and trailing commas become spaces."""
    return _blank(text, ("comment", "comma"))


def _without_comments(text: str) -> str:
    return _blank(text, ("comment",))


def _blank(text: str, kinds: tuple[str, ...]) -> str:
    def replace(token: re.Match[str]) -> str:
        return _VISIBLE.sub(" ", token[0]) if token.lastgroup in kinds else token[0]

    return _TOKEN.sub(replace, text)


def with_entry(text: str, key: str, name: str, entry: dict[str, object]) -> str:
    """Return the text with `entry` as member `name` of the object `key`. Raises ValueError."""
    root, indent = _root(text), _indent(text)
    holder = next((m for m in _members(plain(text), root) if m.name == key), None)
    if holder is None:
        return _insert(text, root, indent, key, {name: entry})
    member = next((m for m in _members(plain(text), holder.value) if m.name == name), None)
    if member is None:
        return _insert(text, holder.value, 2 * indent, name, entry)
    if json.loads(plain(text)[member.value : member.end]) == entry:
        return text
    return text[: member.value] + _dump(entry, 2 * indent) + text[member.end :]


def without_entry(text: str, key: str, name: str) -> str:
    """Return the text without that member, and without `key` if it becomes empty."""
    cleared = plain(text)
    holder = next((m for m in _members(cleared, _root(text)) if m.name == key), None)
    members = list(_members(cleared, holder.value)) if holder else []
    member = next((m for m in members if m.name == name), None)
    if holder is None or member is None:
        return text
    return _remove(text, holder if len(members) == 1 else member)


def _root(text: str) -> int:
    cleared = plain(text)
    if not isinstance(json.loads(cleared), dict):
        raise ValueError("it is not a JSON object of settings")
    return cleared.index("{")


def _members(cleared: str, start: int) -> Iterator[_Member]:
    """Yield the members of the object that begins at `start`."""
    if cleared[start] != "{":
        raise ValueError("it is not a JSON object of settings")
    offset = _skip(cleared, start + 1)
    while cleared[offset] != "}":
        name, after = _decode(cleared, offset)
        value = _skip(cleared, _skip(cleared, after) + 1)
        _, end = _decode(cleared, value)
        yield _Member(name, offset, value, end)
        offset = _skip(cleared, end)
        offset = _skip(cleared, offset + 1) if cleared[offset] == "," else offset


def _insert(text: str, start: int, indent: str, name: str, value: dict[str, object]) -> str:
    """Insert a first member into the object at `start`."""
    rest = text[start + 1 :]
    empty = plain(text)[_skip(plain(text), start + 1)] == "}"
    more = "" if empty else ","
    line_end = "" if rest.lstrip(" \t").startswith(("\n", "\r", "//", "/*")) else f"\n{indent}"
    member = f"\n{indent}{json.dumps(name)}: {_dump(value, indent)}{more}"
    return text[: start + 1] + member + line_end + rest


def _remove(text: str, member: _Member) -> str:
    """Return the text without a member, its comma, and its lines if they become blank."""
    commas, head, tail = _without_comments(text), text[: member.start], text[member.end :]
    after = _skip(commas, member.end)
    before = commas[: member.start].rstrip()
    if commas[after] == ",":
        tail = text[member.end : after] + text[after + 1 :]
    elif before.endswith(","):
        head = text[: len(before) - 1] + text[len(before) : member.start]
    line = head.rfind("\n") + 1
    empty = _REST_OF_LINE.match(tail)
    if empty and not head[line:].strip():
        head, tail = head[:line], tail[empty.end() :]
    return head + tail


def _dump(value: dict[str, object], indent: str) -> str:
    return json.dumps(value, indent=_unit(indent), ensure_ascii=False).replace("\n", f"\n{indent}")


def _unit(indent: str) -> str:
    return "\t" if "\t" in indent else "  "


def _indent(text: str) -> str:
    first = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return first[1] if first else "  "


def _skip(cleared: str, offset: int) -> int:
    """Return the offset of the next character that is no white space. Raises ValueError."""
    token = _VISIBLE.search(cleared, offset)
    if token is None:
        raise ValueError("it ends unexpectedly")
    return token.start()
