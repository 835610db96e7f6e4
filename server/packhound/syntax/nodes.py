"""Definitions to nodes: names, signatures, docs, references and own runs read from the source."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import cast

from packhound.syntax.grammar import Captures, Run
from packhound.syntax.languages import Language
from packhound.syntax.lines import Lines
from packhound.syntax.outline import Definition, Outline, without
from packhound.syntax.prose import is_licence, prose
from packhound.text.tokens import identifiers
from packhound.types import Kind, Node

_MAX_NAME = 120
_MAX_SIGNATURE = 300
_MIN_FILE_WORDS = 3
"""What lies outside all nodes is a node of its own from so many words on."""

_MAX_SCOPES = 8
"""Names in front of a name; deeper nesting is generated or hostile."""

_MAX_REFERENCES = 200
_MAX_IMPORTS = 300
_BLANKS = re.compile(r"\s+")
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_PATH = re.compile(r"::|\.|:|\\")
_SCOPE_NOISE = re.compile(r"^(module\.)?exports$|^(this|self|window|global|globalThis|root|M)$")
_HEAD_END = re.compile(r"[\s{=:(\[,]+$|\s*(?:->|=>|\bdo|\bwhere|\bas|\bis)\s*$")
_WORD = re.compile(rb"\w+")
_BATS_TITLE = re.compile(rb"@test[ \t]+([^\n]*?)[ \t]*\{")
_PLAIN = str.maketrans("", "", "*`")
_TITLE_QUOTES = "\"'`"


class Reader:
    """Reads what nodes say of themselves from one source and its captures."""

    def __init__(
        self, path: str, source: bytes, language: Language, keywords: frozenset[str]
    ) -> None:
        self._stem = PurePosixPath(path).stem
        self._source = source
        self._language = language
        self._keywords = keywords
        self._lines = Lines(source)
        self._code = source
        tests = language.test and re.search(language.test_path, path)
        self._is_test = re.compile(language.test.encode()) if tests else None

    def nodes(self, outline: Outline, captures: Captures, code: bytes) -> tuple[Node, ...]:
        """All nodes of the file. References are read from `code`, the source or a part of it."""
        self._code = _masked(code, captures)
        scopes: dict[int, tuple[str, ...]] = {}
        made: list[tuple[Definition | None, Node]] = []
        for one in outline.definitions:
            name, prefix = self._name(one)
            around = scopes[id(one.parent)] if one.parent is not None else ()
            scopes[id(one)] = (*around, *prefix, name)[-_MAX_SCOPES:]
            if one.kind == "function" and prefix and self._language.name == "cpp":
                one.kind = "method"
            if one.kind != "scope":
                made.append((one, self._node(one, name, scopes[id(one)])))
        rest = self._file_node(outline, captures)
        if rest is not None:
            made.append((None, rest))
        made.sort(key=lambda pair: (pair[1].span.start, -pair[1].span.end))
        return _with_parents(made)

    def imports(self, captures: Captures) -> tuple[str, ...]:
        """What the file imports, as written, without quotes, each once."""
        texts = (
            self._text(run).removeprefix("import ").strip(" \t\"'`<>")
            for run in sorted(captures.imports)
        )
        names = dict.fromkeys(_BLANKS.sub(" ", text)[:200] for text in texts if text)
        return tuple(names)[:_MAX_IMPORTS]

    def _node(self, one: Definition, name: str, path: tuple[str, ...]) -> Node:
        own = tuple(self._trimmed(one.own_runs()))
        return Node(
            kind=self._kind(one, len(path)),
            name=name,
            qualname=self._language.separator.join(path),
            span=self._lines.span(one.start, one.end),
            signature=self._signature(one),
            doc=self._doc(one.docs),
            own=own,
            references=self._references(own, name),
        )

    def _file_node(self, outline: Outline, captures: Captures) -> Node | None:
        comments, licences = self._leading_comments(outline, captures)
        docs = [*comments, *outline.docs]
        runs = without((0, len(self._source)), outline.holes + licences + docs)
        own = tuple(run for run in self._trimmed(runs) if _WORD.search(self._source, *run))
        if sum(len(_WORD.findall(self._source, *run)) for run in own) < _MIN_FILE_WORDS:
            return None
        start = min(own[0][0], *(low for low, _ in docs)) if docs else own[0][0]
        end = max(own[-1][1], *(high for _, high in docs)) if docs else own[-1][1]
        return Node(
            kind="file",
            name=self._stem,
            qualname=self._stem,
            span=self._lines.span(start, end),
            signature="",
            doc=self._doc(docs),
            own=own,
            references=self._references(own, self._stem),
        )

    def _leading_comments(
        self, outline: Outline, captures: Captures
    ) -> tuple[list[Run], list[Run]]:
        """Comments above everything else: those on the file, and those on its licence."""
        first = outline.holes[0][0] if outline.holes else len(self._source)
        on_file: list[Run] = []
        licences: list[Run] = []
        at = 0
        for start, end in sorted(captures.comments):
            if start >= first or self._source[at:start].strip():
                break
            at = end
            if self._source.startswith(b"#!", start) and start == 0:
                continue
            on_file.append((start, end))
        if is_licence("\n".join(self._text(run) for run in on_file)):
            on_file, licences = licences, on_file
        return on_file, licences

    def _name(self, one: Definition) -> tuple[str, tuple[str, ...]]:
        """The last part of the name as written, and the parts before it."""
        prefix = self._scope(one)
        title = self._title(one)
        if title:
            return title[:_MAX_NAME], prefix
        if one.name is None:
            return self._stem, prefix
        text = _BLANKS.sub(" ", self._text(one.name)).strip().strip(_TITLE_QUOTES).lstrip(":&*")
        if one.kind == "impl":
            text = text.removeprefix("mut ").removeprefix("dyn ")
        parts = self._parts(text) or [text or self._stem]
        return parts[-1][:_MAX_NAME], (*prefix, *(part[:_MAX_NAME] for part in parts[:-1]))

    def _title(self, one: Definition) -> str:
        """What a test or a section is called, in words."""
        if one.kind == "section":
            return (
                self._text((one.head, one.end))
                .lstrip()
                .partition("\n")[0]
                .strip(" #\r")
                .translate(_PLAIN)
            )
        if one.name is None:
            return ""
        case = _BATS_TITLE.match(self._source, one.name[0])
        if case is not None:
            return case[1].decode("utf-8", "replace").strip(_TITLE_QUOTES)
        if one.kind == "test":
            return _BLANKS.sub(" ", self._text(one.name)).strip(_TITLE_QUOTES).replace('"', "")
        return ""

    def _parts(self, text: str) -> list[str]:
        """The names of a dotted name, the last one last."""
        if not self._language.dotted:
            return [text]
        head, operator, tail = text.partition("operator") if "operator" in text else (text, "", "")
        parts = [part for part in _path_parts(head) if part]
        return [*parts, operator + tail] if operator else parts

    def _scope(self, one: Definition) -> tuple[str, ...]:
        if one.scope is None:
            return ()
        text = _BLANKS.sub("", self._text(one.scope)).removesuffix(".prototype")
        parts = [part for part in _path_parts(text) if not _SCOPE_NOISE.match(part)]
        return tuple(part[:_MAX_NAME] for part in parts if part not in ("module", "exports"))

    def _kind(self, one: Definition, depth: int) -> Kind:
        kind = one.kind
        if kind in ("function", "method") and self._reads_as_test(one):
            return "test"
        if kind == "method" and depth == 1:
            kind = "function"
        return cast(Kind, kind)

    def _reads_as_test(self, one: Definition) -> bool:
        if self._is_test is None:
            return False
        end = one.body if one.body is not None else one.end
        runs = without((one.start, end), one.docs)
        return any(self._is_test.search(self._source, *run) for run in runs)

    def _signature(self, one: Definition) -> str:
        end = one.body if one.body is not None and one.body > one.head else one.first_end
        text = self._text((one.head, min(end, one.head + 4 * _MAX_SIGNATURE)))
        if one.body is None:
            text = text.partition("{")[0] if len(text) > _MAX_SIGNATURE else text
        text = _BLANKS.sub(" ", text).strip()[:_MAX_SIGNATURE]
        return _HEAD_END.sub("", _HEAD_END.sub("", text))

    def _doc(self, docs: list[Run]) -> str:
        texts = [self._text(run) for run in sorted(docs)]
        if texts and docs and min(docs)[0] < 400 and is_licence(texts[0]):
            texts = texts[1:]
        return "\n".join(filter(None, map(prose, texts)))

    def _references(self, own: tuple[Run, ...], name: str) -> tuple[str, ...]:
        text = b"\n".join([self._code[low:high] for low, high in own]).decode("utf-8", "replace")
        found = dict.fromkeys(identifiers(text))
        found.pop(name, None)
        names = [one for one in found if len(one) > 1 and one not in self._keywords]
        return tuple(names[:_MAX_REFERENCES])

    def _trimmed(self, runs: list[Run]) -> list[Run]:
        """The runs without blank lines around them; a line end stays, so that joined words part."""
        source = self._source
        kept = []
        for start, end in runs:
            text = source[start:end]
            bare = text.strip()
            if not bare:
                continue
            first = start + text.index(bare[:1])
            last = first + len(bare)
            indented = source.rfind(b"\n", start, first) + 1
            if last < end and source[last : last + 1] in (b"\n", b"\r"):
                last += 2 if source[last : last + 2] == b"\r\n" and last + 2 <= end else 1
            kept.append((indented or start if start < first else first, last))
        return kept

    def _text(self, run: Run) -> str:
        return self._source[run[0] : run[1]].decode("utf-8", "replace")


def _masked(code: bytes, captures: Captures) -> bytes:
    """The source with blanks in the place of all that holds no identifiers."""
    masked = bytearray(code)
    for runs in (captures.comments, captures.strings, captures.docs, captures.leading_docs):
        for start, end in runs:
            masked[start:end] = b" " * (end - start)
    return bytes(masked)


def _path_parts(text: str) -> list[str]:
    """The names of a path, without type arguments."""
    for _ in range(4):
        text = _GENERICS.sub("", text)
    return [part.strip() for part in _PATH.split(text)]


def _with_parents(made: list[tuple[Definition | None, Node]]) -> tuple[Node, ...]:
    positions = {id(one): i for i, (one, _) in enumerate(made) if one is not None}
    nodes = []
    for one, node in made:
        around = one.parent if one is not None else None
        while around is not None and around.kind == "scope":
            around = around.parent
        parent = positions[id(around)] if around is not None else None
        nodes.append(node if parent is None else replace(node, parent=parent))
    return tuple(nodes)
