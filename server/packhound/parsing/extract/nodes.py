"""Definitions to nodes: signatures, docs, references and own runs read from the source."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import cast

from packhound.core.types import Kind, Node
from packhound.parsing.extract.definition import Definition, without
from packhound.parsing.extract.doc_comments import is_licence_or_pragma, strip_comment_marks
from packhound.parsing.extract.file_node import file_node_content
from packhound.parsing.extract.naming import impl_title, name_and_scope
from packhound.parsing.extract.outline import Outline
from packhound.parsing.extract.windows import portions
from packhound.parsing.grammar import Captures, Grammar
from packhound.parsing.source import ByteRange, Source
from packhound.text import blank_separators, identifiers

_MAX_SIGNATURE = 300
_MAX_SCOPES = 8
"""Names in front of a name; deeper nesting is generated or hostile."""

_MAX_REFERENCES = 200
_MAX_IMPORTS = 300
_MAX_IMPORT = 200
_HEADER_BYTES = 400
"""A licence that got attached to the first definition of a file starts within these."""

_TAIL_MARKS = " {=:([,"
_TAIL_WORDS = ("->", "=>", " do", " where", " as", " is")
"""Words between a signature and its body."""


@dataclass(slots=True)
class _Draft:
    """A node whose parent has no position yet."""

    node: Node
    holder: Definition | None
    definition: Definition | None = None


class Reader:
    """Builds the nodes of one source from its outline and captures."""

    def __init__(self, source: Source, code: bytes, captures: Captures, grammar: Grammar) -> None:
        """`code` is the source as preprocessed for the grammar."""
        self._source, self._captures, self._grammar = source, captures, grammar
        self._comments = sorted(captures.runs["comment"])
        masked = _mask(code, captures)
        self._code = blank_separators(masked)
        self._special_names = grammar.special_names(masked, self._code)
        row = source.language
        tests = row.test and re.search(row.test_path, source.path)
        self._is_test = re.compile(row.test.encode()) if tests else None

    def nodes(self, outline: Outline) -> tuple[Node, ...]:
        """Return all nodes of the file in order of start."""
        drafts = self._of_definitions(outline)
        runs, docs = file_node_content(self._source, outline, self._captures)
        if runs or docs:
            drafts += self._of_file(runs, docs)
        drafts.sort(key=lambda draft: (draft.node.span.start, -draft.node.span.end))
        positions = {id(draft.definition): i for i, draft in enumerate(drafts) if draft.definition}
        return tuple(
            draft.node._replace(
                parent=None if draft.holder is None else positions[id(draft.holder)],
                references=self._references(draft.node),
            )
            for draft in drafts
        )

    def imports(self) -> tuple[str, ...]:
        """Return the imports of the file, as written, without quotes, each once."""
        names: dict[str, None] = {}
        for run in sorted(self._captures.runs["import"]):
            text = " ".join(self._source.text(run).split()).removeprefix("import ")
            names[text.strip(" \"'`<>")[:_MAX_IMPORT]] = None
        names.pop("", None)
        return tuple(names)[:_MAX_IMPORTS]

    def _of_definitions(self, outline: Outline) -> list[_Draft]:
        paths: dict[int, tuple[str, ...]] = {}
        drafts: list[_Draft] = []
        for definition in outline.definitions:
            name, prefix = name_and_scope(self._source, definition)
            scope = paths[id(definition.parent)] if definition.parent is not None else ()
            path = paths[id(definition)] = (*scope, *prefix, name)[-_MAX_SCOPES:]
            if definition.kind != "scope":
                drafts += self._of_definition(definition, path, bool(prefix))
        return drafts

    def _of_definition(
        self, definition: Definition, path: tuple[str, ...], prefixed: bool
    ) -> list[_Draft]:
        runs = self._source.trim(definition.own_runs())
        qualname = self._source.language.separator.join(path)
        if definition.kind == "impl" and self._source.language.name == "rust":
            qualname = impl_title(self._source, definition, path)
        node = Node(
            kind=self._kind(definition, len(path), prefixed),
            name=path[-1],
            qualname=qualname,
            span=self._source.lines.span(definition.start, definition.end),
            signature=self._signature(definition),
            doc=self._doc(definition.docs),
            own_ranges=tuple(runs),
        )
        draft = _Draft(node, _holder(definition), definition)
        if definition.kind != "section":
            return [draft]
        return [draft, *self._windows(draft, definition)]

    def _windows(self, draft: _Draft, holder: Definition | None) -> list[_Draft]:
        """Cut off all but the first portion of a long draft as windows."""
        node = draft.node
        first, *rest = portions(self._source.octets, [*node.own_ranges]) or [[]]
        draft.node = node._replace(own_ranges=tuple(first))
        spans = (self._source.lines.span(runs[0][0], runs[-1][1]) for runs in rest)
        lines = ((span, f":{span.start_line + 1}") for span in spans)
        return [
            _Draft(
                Node("window", node.name + line, node.qualname + line, span, "", "", tuple(runs)),
                holder,
            )
            for runs, (span, line) in zip(rest, lines, strict=True)
        ]

    def _of_file(self, file_runs: list[ByteRange], docs: list[ByteRange]) -> list[_Draft]:
        stem = self._source.stem
        nowhere = self._source.lines.span(0, 0)
        node = Node("file", stem, stem, nowhere, "", self._doc(docs), tuple(file_runs))
        draft = _Draft(node, None)
        windows = self._windows(draft, None)
        own = [*draft.node.own_ranges]
        runs = own + [run for run in docs if not windows or run[1] <= (own[-1][1] if own else 0)]
        span = self._source.lines.span(min(run[0] for run in runs), max(run[1] for run in runs))
        draft.node = draft.node._replace(span=span)
        return [draft, *windows]

    def _kind(self, definition: Definition, depth: int, prefixed: bool) -> Kind:
        if definition.kind in ("function", "method") and self._reads_as_test(definition):
            return "test"
        if definition.kind == "method" and depth == 1:
            return "function"
        if definition.kind == "function" and prefixed and self._source.language.name == "cpp":
            return "method"
        return cast(Kind, definition.kind)

    def _reads_as_test(self, definition: Definition) -> bool:
        if self._is_test is None:
            return False
        end = definition.body if definition.body is not None else definition.end
        runs = without((definition.start, end), definition.docs)
        return any(self._is_test.search(self._source.octets, *run) for run in runs)

    def _signature(self, definition: Definition) -> str:
        end = (
            definition.body
            if definition.body is not None and definition.body > definition.head
            else definition.first_end
        )
        run = (definition.head, min(end, definition.head + 4 * _MAX_SIGNATURE))
        inside = slice(*(bisect_left(self._comments, (at,)) for at in run))
        text = "".join(map(self._source.text, without(run, self._comments[inside])))
        if definition.body is None and len(text) > _MAX_SIGNATURE:
            text = text.partition("{")[0]
        text = _strip_tail(" ".join(text.split()))
        return text if len(text) <= _MAX_SIGNATURE else f"{text[:_MAX_SIGNATURE].rstrip()} ..."

    def _doc(self, docs: list[ByteRange]) -> str:
        texts = [self._source.text(run) for run in sorted(docs)]
        if texts and min(docs)[0] < _HEADER_BYTES and is_licence_or_pragma(texts[0]):
            texts = texts[1:]
        return "\n".join(filter(None, map(strip_comment_marks, texts)))

    def _references(self, node: Node) -> tuple[str, ...]:
        code = b" ".join([self._code[low:high] for low, high in node.own_ranges])
        text = code.decode("utf-8", "replace")
        words = text.split() if text.isascii() else identifiers(text)
        special, special_words = self._special_names, list[str]()
        for low, high in node.own_ranges if special else ():
            inside = slice(bisect_left(special, (low, "")), bisect_left(special, (high, "")))
            special_words += [name for _, name in special[inside]]
        names = dict.fromkeys([*map(self._grammar.name_in, words), *special_words])
        # Where the node gives itself its name is no use.
        if (special_words if node.name in special_words else words).count(node.name) < 2:
            names.pop(node.name, None)
        names.pop("", None)
        return tuple(islice(names, _MAX_REFERENCES))


def _strip_tail(signature: str) -> str:
    text = signature.rstrip(_TAIL_MARKS)
    for word in _TAIL_WORDS:
        if text.endswith(word):
            return text.removesuffix(word).rstrip(_TAIL_MARKS)
    return text


def _holder(definition: Definition) -> Definition | None:
    holder = definition.parent
    while holder is not None and holder.kind == "scope":
        holder = holder.parent
    return holder


def _mask(code: bytes, captures: Captures) -> bytes:
    """Replace everything without identifiers by blanks."""
    masked = bytearray(code)
    for start, end in captures.blank():
        masked[start:end] = b" " * (end - start)
    return bytes(masked)
