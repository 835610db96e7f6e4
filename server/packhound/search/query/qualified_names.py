"""Qualified names as people paste them, such as `Ring::<T>::push(x)` and `(*Ring[T]).push`."""

from __future__ import annotations

import re
from typing import NamedTuple

from packhound.core.titles import name_parts, signs_of

_PART = r"[A-Za-z_][\w$]*[!?=]?"
_NAME = re.compile(rf"{_PART}(?:(?:::|->|[.#\\/]){_PART})+")
_IS_PART = re.compile(_PART).fullmatch
_TWO_NAMES = re.compile(rf"{_PART} {_PART}")
_SEPARATOR = re.compile(r"::|->|[.#\\/ ]")
_RECEIVER = re.compile(r"(?:^|(?<=[.:]))\(\s*[*&]?\s*(\w[^()]*)\)(?=\s*(?:\.|->|::))")
"""The type before a method of Go, or what a cast is of."""
_ARGUMENTS = re.compile(r"\([^()]*\)|\([^()]*$")
_GENERICS = re.compile(r"(?:::)?<[^<>]*>|\[[^\[\]]*\]")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>(?=::|\.)|\[[^\[\]]+\](?=\.)")
_BEFORE = re.compile(r"^(?:(?:await|new|return|throw|yield)\s+|[&*\\$]|::)+")
_AFTER = re.compile(r"(?:(?<=\w)/\d+|[;,])$")
"""The number of arguments that Elixir and Erlang write, or the end of a statement."""
_ARGUMENTS_OF_SIGNS = re.compile(r"\([^()]+\)$")
_MAX_CHARACTERS = 300


class QualifiedName(NamedTuple):
    """A name with its owners, the innermost last; `text` is it without arguments and generics."""

    owners: list[str]
    name: str
    text: str
    has_arguments: bool


def qualified_name(text: str) -> QualifiedName | None:
    """Return the name that a text is, or calls; None where it is or does more."""
    if len(text) > _MAX_CHARACTERS:
        return None
    bare = _RECEIVER.sub(r"\1", _BEFORE.sub("", text.strip()))
    if operator := _operator(bare):
        return operator
    arguments = [group.strip("() ") for group in _ARGUMENTS.findall(bare)]
    bare = _AFTER.sub("", _without(_GENERICS, _without(_ARGUMENTS, bare)))
    bare = re.sub(r"\s*[?!]?(\.|::|->|#|\\)\s*", r"\1", bare)
    bare = re.sub(r"(?<=\w)\$(?=[A-Z])|\.prototype\.", ".", bare)
    if not _NAME.fullmatch(bare) and not _TWO_NAMES.fullmatch(bare):
        return None
    *owners, name = [part for part in _SEPARATOR.split(bare) if part]
    return QualifiedName(owners, name, bare, any(arguments))


def _operator(text: str) -> QualifiedName | None:
    """Return the operator of a type that a text names by its signs, which are no generics."""
    bare = _ARGUMENTS_OF_SIGNS.sub("", text)
    *owners, name = name_parts(_without(_TYPE_ARGUMENTS, bare)) or [""]
    if not signs_of(name) or not owners or not all(map(_IS_PART, owners)):
        return None
    return QualifiedName(owners, name, bare, bare != text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without what matches, from the innermost outwards."""
    while (shorter := pattern.sub("", text)) != text:
        text = shorter
    return text
