"""Definitions to nodes: signatures, docs, references and own runs read from the source."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import cast

from packhound.core.types import Kind, Node, Span
from packhound.parsing.extract.definition import Definition, without
from packhound.parsing.extract.doc_comments import is_boilerplate, prose
from packhound.parsing.extract.file_node import remains
from packhound.parsing.extract.naming import name_of
from packhound.parsing.extract.outline import Outline
from packhound.parsing.extract.windows import portions
from packhound.parsing.grammar import Captures
from packhound.parsing.lines import Run
from packhound.parsing.source import Source
from packhound.text.tokenizer import identifiers, spaced

_MAX_SIGNATURE = 300
_MAX_SCOPES = 8
"""Names in front of a name; deeper nesting is generated or hostile."""

_MAX_REFERENCES = 200
_MAX_IMPORTS = 300
_MAX_IMPORT = 200
_HEADER_BYTES = 400
"""A licence that got attached to the first definition of a file starts in so many bytes."""

_TAIL_MARKS = " {=:([,"
_TAIL_WORDS = ("->", "=>", " do", " where", " as", " is")
"""What leads from a signature to its body."""


@dataclass(slots=True)
class _Draft:
    """A node before it is known at which position its holder is."""

    kind: Kind
    name: str
    qualname: str
    span: Span
    signature: str
    doc: str
    own: list[Run]
    holder: Definition | None
    definition: Definition | None = None


class Reader:
    """Reads what nodes say of themselves from one source and its captures."""

    def __init__(self, source: Source, code: bytes, captures: Captures) -> None:
        """`code` is the source, or what the grammar has seen of it."""
        self._source = source
        self._captures = captures
        self._code = spaced(_masked(code, captures))
        row = source.language
        tests = row.test and re.search(row.test_path, source.path)
        self._is_test = re.compile(row.test.encode()) if tests else None

    def nodes(self, outline: Outline, name_in: Callable[[str], str]) -> tuple[Node, ...]:
        """All nodes of the file in order of start; `name_in` is that of the grammar."""
        drafts = self._of_definitions(outline)
        own, docs = remains(self._source, outline, self._captures)
        if own or docs:
            drafts += self._of_file(own, docs)
        drafts.sort(key=lambda draft: (draft.span.start, -draft.span.end))
        positions = {id(draft.definition): i for i, draft in enumerate(drafts) if draft.definition}
        return tuple(self._node(draft, positions, name_in) for draft in drafts)

    def imports(self) -> tuple[str, ...]:
        """What the file imports, as written, without quotes, each once."""
        names: dict[str, None] = {}
        for run in sorted(self._captures.imports):
            text = " ".join(self._source.text(run).split()).removeprefix("import ")
            names[text.strip(" \"'`<>")[:_MAX_IMPORT]] = None
        names.pop("", None)
        return tuple(names)[:_MAX_IMPORTS]

    def _of_definitions(self, outline: Outline) -> list[_Draft]:
        paths: dict[int, tuple[str, ...]] = {}
        drafts: list[_Draft] = []
        for one in outline.definitions:
            name, prefix = name_of(self._source, one)
            around = paths[id(one.parent)] if one.parent is not None else ()
            path = paths[id(one)] = (*around, *prefix, name)[-_MAX_SCOPES:]
            if one.kind != "scope":
                drafts += self._of_definition(one, path, bool(prefix))
        return drafts

    def _of_definition(
        self, one: Definition, path: tuple[str, ...], prefixed: bool
    ) -> list[_Draft]:
        own = self._source.trimmed(one.own_runs())
        draft = _Draft(
            kind=self._kind(one, len(path), prefixed),
            name=path[-1],
            qualname=self._source.language.separator.join(path),
            span=self._source.lines.span(one.start, one.end),
            signature=self._signature(one),
            doc=self._doc(one.docs),
            own=own,
            holder=_holder(one),
            definition=one,
        )
        if one.kind != "section":
            return [draft]
        return [draft, *self._windows(draft, one)]

    def _windows(self, draft: _Draft, holder: Definition | None) -> list[_Draft]:
        """Cut what is too long for one node into windows, and leave the first part to `draft`."""
        first, *others = portions(self._source.octets, draft.own) or [[]]
        draft.own = first
        return [
            _Draft(
                kind="window",
                name=f"{draft.name}:{span.start_line + 1}",
                qualname=f"{draft.qualname}:{span.start_line + 1}",
                span=span,
                signature="",
                doc="",
                own=own,
                holder=holder,
            )
            for own in others
            for span in (self._source.lines.span(own[0][0], own[-1][1]),)
        ]

    def _of_file(self, own: list[Run], docs: list[Run]) -> list[_Draft]:
        stem = self._source.stem
        nowhere = self._source.lines.span(0, 0)
        draft = _Draft("file", stem, stem, nowhere, "", self._doc(docs), own, None)
        windows = self._windows(draft, None)
        last = draft.own[-1][1] if draft.own else 0
        runs = draft.own + [run for run in docs if not windows or run[1] <= last]
        draft.span = self._source.lines.span(
            min(start for start, _ in runs), max(end for _, end in runs)
        )
        return [draft, *windows]

    def _node(
        self, draft: _Draft, positions: dict[int, int], name_in: Callable[[str], str]
    ) -> Node:
        return Node(
            kind=draft.kind,
            name=draft.name,
            qualname=draft.qualname,
            span=draft.span,
            signature=draft.signature,
            doc=draft.doc,
            own=tuple(draft.own),
            parent=None if draft.holder is None else positions[id(draft.holder)],
            references=self._references(draft, name_in),
        )

    def _kind(self, one: Definition, depth: int, prefixed: bool) -> Kind:
        if one.kind in ("function", "method") and self._reads_as_test(one):
            return "test"
        if one.kind == "method" and depth == 1:
            return "function"
        if one.kind == "function" and prefixed and self._source.language.name == "cpp":
            return "method"
        return cast(Kind, one.kind)

    def _reads_as_test(self, one: Definition) -> bool:
        if self._is_test is None:
            return False
        end = one.body if one.body is not None else one.end
        runs = without((one.start, end), one.docs)
        return any(self._is_test.search(self._source.octets, *run) for run in runs)

    def _signature(self, one: Definition) -> str:
        end = one.body if one.body is not None and one.body > one.head else one.first_end
        text = self._source.text((one.head, min(end, one.head + 4 * _MAX_SIGNATURE)))
        if one.body is None and len(text) > _MAX_SIGNATURE:
            text = text.partition("{")[0]
        return _without_tail(" ".join(text.split())[:_MAX_SIGNATURE])

    def _doc(self, docs: list[Run]) -> str:
        texts = [self._source.text(run) for run in sorted(docs)]
        if texts and min(docs)[0] < _HEADER_BYTES and is_boilerplate(texts[0]):
            texts = texts[1:]
        return "\n".join(filter(None, map(prose, texts)))

    def _references(self, draft: _Draft, name_in: Callable[[str], str]) -> tuple[str, ...]:
        code = b" ".join([self._code[low:high] for low, high in draft.own])
        text = code.decode("utf-8", "replace")
        words = text.split() if text.isascii() else identifiers(text)
        found = dict.fromkeys(map(name_in, words))
        found.pop(draft.name, None)
        found.pop("", None)
        return tuple(islice(found, _MAX_REFERENCES))


def _without_tail(signature: str) -> str:
    text = signature.rstrip(_TAIL_MARKS)
    for word in _TAIL_WORDS:
        if text.endswith(word):
            return text.removesuffix(word).rstrip(_TAIL_MARKS)
    return text


def _holder(one: Definition) -> Definition | None:
    around = one.parent
    while around is not None and around.kind == "scope":
        around = around.parent
    return around


def _masked(code: bytes, captures: Captures) -> bytes:
    """The source with blanks in the place of all that holds no identifiers."""
    masked = bytearray(code)
    for blank in (
        captures.comments,
        captures.strings,
        captures.docs,
        captures.leading_docs,
        captures.following_docs,
    ):
        for start, end in blank:
            masked[start:end] = b" " * (end - start)
    return bytes(masked)
