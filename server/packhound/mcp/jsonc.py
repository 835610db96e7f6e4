"""JSON with comments and trailing commas, as editors keep it: one entry changed, no more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<comment>//[^\n]*|/\*.*?\*/)'
    # A comment ends where it first can, whatever comes after it.
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*(?:\n|$)|/\*(?:(?!\*/).)*\*/)*[}\]])",
    re.DOTALL,
)
_VISIBLE = re.compile(r"[^\s]")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member of an object begins, and where its value begins and ends."""

    name: str
    start: int
    value: int
    end: int


def plain(text: str) -> str:
    """The same as JSON: every comment and trailing comma is as many spaces."""
    return _blanked(text, ("comment", "comma"))


def _without_remarks(text: str) -> str:
    return _blanked(text, ("comment",))


def _blanked(text: str, kinds: tuple[str, ...]) -> str:
    def blank(found: re.Match[str]) -> str:
        return _VISIBLE.sub(" ", found[0]) if found.lastgroup in kinds else found[0]

    return _TOKEN.sub(blank, text)


def with_entry(text: str, key: str, name: str, entry: dict[str, object]) -> str:
    """The text with `entry` as the member `name` of the object `key`. Raises ValueError."""
    root, indent = _root(text), _indent(text)
    holder = next((m for m in _members(plain(text), root) if m.name == key), None)
    if holder is None:
        return _inserted(text, root, indent, key, {name: entry})
    known = next((m for m in _members(plain(text), holder.value) if m.name == name), None)
    if known is None:
        return _inserted(text, holder.value, 2 * indent, name, entry)
    if json.loads(plain(text)[known.value : known.end]) == entry:
        return text
    return text[: known.value] + _written(entry, 2 * indent) + text[known.end :]


def without_entry(text: str, key: str, name: str) -> str:
    """The text without that member, and without `key` if nothing is left in it."""
    cleared = plain(text)
    holder = next((m for m in _members(cleared, _root(text)) if m.name == key), None)
    members = list(_members(cleared, holder.value)) if holder else []
    known = next((m for m in members if m.name == name), None)
    if holder is None or known is None:
        return text
    return _removed(text, holder if len(members) == 1 else known)


def _root(text: str) -> int:
    cleared = plain(text)
    if not isinstance(json.loads(cleared), dict):
        raise ValueError("it is not a JSON object of settings")
    return cleared.index("{")


def _members(cleared: str, start: int) -> Iterator[_Member]:
    """The members of the object that begins at `start`."""
    if cleared[start] != "{":
        raise ValueError("it is not a JSON object of settings")
    at = _skip(cleared, start + 1)
    while cleared[at] != "}":
        name, after = _decode(cleared, at)
        value = _skip(cleared, _skip(cleared, after) + 1)
        _, end = _decode(cleared, value)
        yield _Member(name, at, value, end)
        at = _skip(cleared, end)
        at = _skip(cleared, at + 1) if cleared[at] == "," else at


def _inserted(text: str, start: int, indent: str, name: str, value: dict[str, object]) -> str:
    """A new first member of the object at `start`."""
    rest = text[start + 1 :]
    empty = plain(text)[_skip(plain(text), start + 1)] == "}"
    more = "" if empty else ","
    line_end = "" if rest.lstrip(" \t").startswith(("\n", "\r", "//", "/*")) else f"\n{indent}"
    member = f"\n{indent}{json.dumps(name)}: {_written(value, indent)}{more}"
    return text[: start + 1] + member + line_end + rest


def _removed(text: str, member: _Member) -> str:
    """The text without a member, its comma, and its lines if nothing else is on them."""
    commas, head, tail = _without_remarks(text), text[: member.start], text[member.end :]
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


def _written(value: dict[str, object], indent: str) -> str:
    return json.dumps(value, indent=_unit(indent), ensure_ascii=False).replace("\n", f"\n{indent}")


def _unit(indent: str) -> str:
    return "\t" if "\t" in indent else "  "


def _indent(text: str) -> str:
    found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return found[1] if found else "  "


def _skip(cleared: str, at: int) -> int:
    found = _VISIBLE.search(cleared, at)
    if found is None:
        raise ValueError("it ends too early")
    return found.start()
