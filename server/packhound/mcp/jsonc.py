"""JSON with comments and trailing commas: change one entry and leave the rest as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<comment>//[^\n]*|/\*.*?\*/)'
    # Comments are matched lazily, so each ends at its first terminator.
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*(?:\n|$)|/\*(?:(?!\*/).)*\*/)*[}\]])",
    re.DOTALL,
)
_VISIBLE = re.compile(r"[^\s]")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n")
Entry: TypeAlias = Mapping[str, object]
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


def _blank(text: str, kinds: tuple[str, ...]) -> str:
    def replace(token: re.Match[str]) -> str:
        return _VISIBLE.sub(" ", token[0]) if token.lastgroup in kinds else token[0]

    return _TOKEN.sub(replace, text)


def with_entry(text: str | None, key: str, name: str, entry: Entry) -> str:
    """Return the text with `entry` in the member `name` of the object `key`. Raises ValueError.

    Further fields of that member stay. None stands for a file that does not exist.
    """
    if text is None or not text.strip():
        # What tells an empty file from none is the last line feed.
        document = json.dumps({key: {name: entry}}, indent=2, ensure_ascii=False)
        return document + "\n" if text is None else text + document
    root = _root(text)
    holder = _member(text, root, key)
    if holder is None:
        return _insert(text, root, _indent(text), key, {name: entry})
    member = _member(text, holder.value, name)
    if member is None:
        return _insert(text, holder.value, 2 * _indent(text), name, entry)
    before = json.loads(plain(text)[member.value : member.end])
    if not before or not isinstance(before, dict):
        return text[: member.value] + _dump(entry, 2 * _indent(text)) + text[member.end :]
    for field, value in entry.items():
        text = _with_field(text, member.value, field, value)
    return text


def _with_field(text: str, start: int, name: str, value: object) -> str:
    """Return the text with a value in the object at `start`, laid out as the one before."""
    field, indent = _member(text, start, name), 3 * _indent(text)
    if field is None:
        return _insert(text, start, indent, name, value)
    before = plain(text)[field.value : field.end]
    if json.loads(before) == value:
        return text
    written = _dump(value, indent) if "\n" in before else json.dumps(value, ensure_ascii=False)
    written = written.replace("\n", _line_end(text))
    return text[: field.value] + written + text[field.end :]


def without_entry(text: str, key: str, name: str) -> str | None:
    """Return the text that `with_entry` was given, None for no file.

    A text that was edited since loses the member, and `key` if it becomes empty.
    """
    root = _root(text)
    holder = _member(text, root, key)
    member = _member(text, holder.value, name) if holder else None
    if holder is None or member is None:
        return text
    entry = json.loads(plain(text)[member.value : member.end])
    for before in _candidates(text, root, holder, name, entry):
        if before != text and with_entry(before, key, name, entry) == text:
            return before
    is_only = len(list(_members(plain(text), holder.value))) == 1
    return _remove(text, holder if is_only else member)


def _candidates(
    text: str, root: int, holder: _Member, name: str, entry: Entry
) -> Iterator[str | None]:
    """Yield what the text may have been before an insertion."""
    document = json.dumps({holder.name: {name: entry}}, indent=2, ensure_ascii=False)
    if text == document + "\n":
        yield None
    if text.endswith(document):
        yield text[: -len(document)]
    indent = _indent(text)
    for start, member_indent, key, value in (
        (root, indent, holder.name, {name: entry}),
        (holder.value, 2 * indent, name, entry),
    ):
        for member in _layouts(text, start, member_indent, key, value):
            if text.startswith(member, start + 1):
                yield text[: start + 1] + text[start + 1 + len(member) :]


def _layouts(text: str, start: int, indent: str, name: str, value: Entry) -> Iterator[str]:
    """Yield every form in which a member may be inserted into the object at `start`."""
    compact = _compact(name, value)
    line_end = _line_end(text)
    # The indent that is seen now may be that of the inserted lines.
    for unit in dict.fromkeys((indent, indent[: len(indent) // 2], 2 * "  ", "  ")):
        line = f"{json.dumps(name)}: {_dump(value, unit)}".replace("\n", line_end)
        yield from (f"{line_end}{unit}{line},", f"{line_end}{unit}{line}")
    yield from (f"{compact}, ", compact)


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


def _insert(text: str, start: int, indent: str, name: str, value: object) -> str:
    """Insert a first member into the object at `start`: on a line of its own if others are."""
    rest = text[start + 1 :]
    is_empty = plain(text)[_skip(plain(text), start + 1)] == "}"
    # An empty object may have been inserted whole, and on several lines then.
    if rest.lstrip(" \t").startswith(("\n", "\r")) and (not is_empty or start == _root(text)):
        line_end = _line_end(text)
        member = f"{json.dumps(name)}: {_dump(value, indent)}".replace("\n", line_end)
        member = f"{line_end}{indent}{member}{'' if is_empty else ','}"
    else:
        member = _compact(name, value) + ("" if is_empty else ", ")
    return text[: start + 1] + member + rest


def _compact(name: str, value: object) -> str:
    """Return a member on one line; blanks tell an object that came with its only member."""
    dumped = json.dumps(value, ensure_ascii=False)
    is_holder = isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
    return f"{json.dumps(name)}: " + (f"{{ {dumped[1:-1]} }}" if is_holder else dumped)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _member(text: str, start: int, name: str) -> _Member | None:
    """Return a member of an object. Raises ValueError: some readers take the first of two."""
    members = [member for member in _members(plain(text), start) if member.name == name]
    if len(members) > 1:
        raise ValueError(f"it has '{name}' twice; join them")
    return members[0] if members else None


def _remove(text: str, member: _Member) -> str:
    """Return the text without a member, its comma, and its lines if they become blank."""
    commas, head, tail = _blank(text, ("comment",)), text[: member.start], text[member.end :]
    after = _skip(commas, member.end)
    before = commas[: member.start].rstrip()
    if commas[after] == ",":
        # One of two blanks goes with it.
        blank = " " if head.endswith(("{", " ")) else ""
        tail = text[member.end : after] + text[after + 1 :].removeprefix(blank)
    elif before.endswith(","):
        head = text[: len(before) - 1] + text[len(before) : member.start]
    line = head.rfind("\n") + 1
    empty = _REST_OF_LINE.match(tail)
    if empty and not head[line:].strip():
        head, tail = head[:line], tail[empty.end() :]
    return head + tail


def _dump(value: object, indent: str) -> str:
    unit = "\t" if "\t" in indent else "  "
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _indent(text: str) -> str:
    first = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return first[1] if first else "  "


def _skip(cleared: str, offset: int) -> int:
    """Return the offset of the next character that is no white space. Raises ValueError."""
    token = _VISIBLE.search(cleared, offset)
    if token is None:
        raise ValueError("it ends unexpectedly")
    return token.start()
