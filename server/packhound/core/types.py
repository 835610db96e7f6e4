"""Frozen values that packages exchange.

Coordinates: offsets are UTF-8 bytes from the start of the document, half open; lines are 0-based
and a span's `end_line` is the line of its last byte. Only `lsp/` and the command line translate
(UTF-16 code units there, 1-based lines here). Paths are relative to their root, with `/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar, Literal, NamedTuple, NewType, TypeAlias, get_args

from packhound.core.line_history import LineHistory
from packhound.core.records import ALL, CODE, RECORD_TYPES, NoteMark, Record, RecordType
from packhound.core.status import ALL_READ, Reading

Json: TypeAlias = dict[str, object]
"""A JSON object."""

NodeId = NewType("NodeId", int)
"""Row of one node's derived data (terms, vector) in a snapshot; opaque outside `index/`."""

Kind = Literal[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "trait",
    "impl",
    "module",
    "type",
    "constant",
    "macro",
    "test",
    "section",  # a heading of a prose document with the text below it
    "file",  # what a parsed file holds outside all its other nodes
    "window",  # a run of lines of a text that no grammar covers
]
KINDS: tuple[Kind, ...] = get_args(Kind)
TYPES: tuple[str, ...] = (*KINDS, CODE, *RECORD_TYPES, ALL)
"""What a query may ask for: kinds of code, all code, types of records."""

Field = Literal["name", "path", "signature", "doc", "body"]
FIELDS: tuple[Field, ...] = get_args(Field)

Mode = Literal["hybrid", "lexical", "dense", "symbol"]
MODES: tuple[Mode, ...] = get_args(Mode)

Tests = Literal["last", "no", "only"]
TESTS: tuple[Tests, ...] = get_args(Tests)
"""Test code below the code that it tests, left out, or alone."""


class Span(NamedTuple):
    """A half-open run of bytes and the lines it touches (0-based, inclusive)."""

    start: int
    end: int
    start_line: int
    end_line: int


class CellPlace(NamedTuple):
    """A place in a notebook: cell and line, both from 1."""

    number: int
    line: int

    @classmethod
    def of(cls, number: int, line: int) -> CellPlace:
        """Return a place by its 0-based line; that above the first line counts as the first."""
        return cls(number, max(line, 0) + 1)


class FileStamp(NamedTuple):
    """File status at the time of reading; a file is read again if it differs."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a text. `source` is UTF-8 (lone surrogates passed through).

    `stamp` is None for the text of an open editor, which wins over the file of the same path. Of a
    large text only grep reads more than the first lines.
    """

    path: str
    source: bytes
    language: str | None = None
    stamp: FileStamp | None = None
    is_large: bool = False


class Node(NamedTuple):
    """A primary node: a definition with a name, or a stretch of text that has none.

    `span` covers the definition and the doc comment that belongs to it. `own_ranges` are the byte
    ranges of this node's own text: its span without its doc comment and without its child nodes,
    so that each byte of code belongs to one node. `parent` is a position in the same file's nodes.
    `references` are the distinct identifiers used in the own text, in order of first use.
    """

    kind: Kind
    name: str
    qualname: str
    span: Span
    signature: str
    doc: str
    own_ranges: tuple[tuple[int, int], ...]
    parent: int | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The nodes of one document, in order of their start, and the modules or files it imports.

    `degraded` says why the nodes are windows where a grammar exists. `own_texts` has for each node
    what stands for its own text, None for that of its runs; empty where all have that. `captured`
    are the rows of `parsing/captured.py`.
    """

    path: str
    language: str
    nodes: tuple[Node, ...]
    imports: tuple[str, ...] = ()
    degraded: str | None = None
    own_texts: tuple[bytes | None, ...] = ()
    captured: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node as clients see it, at one generation; or the place of a record, maybe without path."""

    root: str
    path: str
    language: str
    kind: Kind | RecordType
    name: str
    qualname: str
    signature: str
    doc: str
    span: Span
    generation: int
    node_id: NodeId


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a search. Reaching one truncates the results and never raises."""

    time_ms: float = 1_000.0
    candidates: int = 400
    of_sources: tuple[tuple[str, int], ...] = ()
    """Candidates of sources that have no equal share of these."""

    def share(self, source: str, n_sources: int) -> Budget:
        """Return the part of one of several sources."""
        equal = max(1, self.candidates // n_sources)
        return Budget(self.time_ms / n_sources, dict(self.of_sources).get(source, equal))


@dataclass(frozen=True, slots=True)
class Focus:
    """Position of the user's cursor: a path, a 0-based line, and the folder, "" for any."""

    path: str
    line: int = 0
    root: str = ""


MAX_HITS = 1_000
"""More than anyone scrolls through, and still only a few milliseconds of JSON."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question. Empty `kinds`, `languages` and `paths` (globs) mean all.

    `excluded_kinds` and `exclude` (globs) are left out. With `files` the answer has one hit
    per file: the node that answers best in it. With `deep` the best hits are read again by the
    small transformer, if it is installed and the setting allows it. Without `types` code alone
    answers; `since` and `before` are days (YYYY-MM-DD), of any of the `tags` one suffices.
    `fuser` and `scorers` replace those of the settings. With `redacted` regular expressions and
    phrases are matched against texts without secrets, so that no answer tells what they are. With
    `git` hits have the commits of their lines, and `snippet_lines` lines of code at most, by their
    rank where that is None. With
    `overlapping` hits may share lines and texts, as a class and its method do. A `pattern` of code
    with holes is what hits must have, its holes being what `facets` say, each NAME=VALUE. In its
    place may stand code `like` which it is: whose literals, names and calls become holes.
    """

    text: str
    limit: int = 10
    mode: Mode = "hybrid"
    kinds: tuple[Kind, ...] = ()
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)
    focus: Focus | None = None
    files: bool = False
    tests: Tests = "last"
    excluded_kinds: tuple[Kind, ...] = ()
    exclude: tuple[str, ...] = ()
    deep: bool = False
    fuser: str = ""
    scorers: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: str = ""
    before: str = ""
    tags: tuple[str, ...] = ()
    redacted: bool = False
    git: bool = False
    snippet_lines: int | None = 0
    overlapping: bool = False
    pattern: str = ""
    facets: tuple[str, ...] = ()
    like: str = ""

    @property
    def time_ms(self) -> int:
        """The time budget as requests state it."""
        return max(1, round(self.budget.time_ms))

    @property
    def candidates(self) -> int:
        """The budget of candidates as requests state it."""
        return self.budget.candidates


class Facet(NamedTuple):
    """Texts of a hole of a pattern, each with the number of its matches, the most first.

    `n_values` is the number of different texts, of which not all may be here.
    """

    name: str
    values: tuple[tuple[str, int], ...]
    n_values: int


def merge_facets(answers: Iterable[Sequence[Facet]]) -> tuple[Facet, ...]:
    """Return the facets of several folders as those of one."""
    counts: dict[str, Counter[str]] = {}
    for facet in chain.from_iterable(answers):
        counts.setdefault(facet.name, Counter()).update(dict(facet.values))
    return tuple(
        Facet(name, tuple(texts.most_common()), len(texts))
        for name, texts in sorted(counts.items())
    )


class SignalValue(NamedTuple):
    """One reason for a score: contribution = weight * value. A search makes hundreds."""

    signal: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        """Weight times value: the part of the score."""
        return self.weight * self.value


ConfidenceWord = Literal["exact", "strong", "likely", "possible", "weak"]

GroupName = Literal["Name", "Words", "Meaning", "Structure", "You"]
GROUP_NAMES: tuple[GroupName, ...] = get_args(GroupName)


class SignalGroup(NamedTuple):
    """All signals of one kind: what they add to a score, and what there is to see of them.

    `value` is 0 to 1 in the group's own measure, `contribution` the sum of its signals.
    """

    name: GroupName
    value: float
    contribution: float
    text: str


class Explanation(NamedTuple):
    """Reasons for a hit (`reasons`) and against it, at most three each, in words.

    `beside` says in what it is ahead of the best other hit and in what behind. `line` is the line
    of its signature and its comment with the most words of the query.
    """

    reasons: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    beside: str = ""
    groups: tuple[SignalGroup, ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A node with its rank, and the signals whose contributions add up to its score.

    `siblings` are the next best nodes of its file that are not hits themselves, `copies` nodes
    elsewhere that have its text. `confidence` is the
    chance, 0 to 1, that the node answers the query; None where nothing was asked. `explanation`
    computes the explanation when it is first called for, with those of all hits of the search.
    A hit of a source beside code has its `record`; `notes` are those on the node, `git` the commits
    of its lines and `snippet` some of these where they were asked for, `cell` that of a notebook.
    A file that is known by its path alone says in `unread` why, such as "binary by name". `matches`
    are the 0-based lines that a pattern of code matches, with their texts.
    """

    node: NodeRef
    rank: int
    score: float
    why: tuple[SignalValue, ...]
    siblings: tuple[NodeRef, ...] = ()
    copies: tuple[NodeRef, ...] = ()
    confidence: float | None = None
    used: str = ""
    explanation: Callable[[], Explanation] = field(default=Explanation, compare=False, repr=False)
    record: Record | None = None
    notes: tuple[NoteMark, ...] = ()
    git: LineHistory | None = None
    cell: CellPlace | None = None
    snippet: tuple[tuple[int, str], ...] = ()
    unread: str = ""
    matches: tuple[tuple[int, str], ...] = ()

    @property
    def source(self) -> str:
        """Name of the source that the hit comes from."""
        return self.record.source if self.record else CODE


@dataclass(frozen=True, slots=True)
class Remark:
    """Note on an answer that something is decided by: by its class, never by its words.

    Its text is the template about the `subject`, then `details`, which it may have or not.
    """

    template: ClassVar[str] = "{}"
    subject: str = ""
    details: tuple[str, ...] = ()

    def __init_subclass__(cls, template: str = "") -> None:
        cls.template = template or cls.template

    def __str__(self) -> str:
        return self.template.format(self.subject) + "".join(self.details)

    @property
    def bare(self) -> Remark:
        """The same without details."""
        return replace(self, details=())


Note: TypeAlias = str | Remark
"""Note on an answer: a text unless something is decided by it."""


@dataclass(frozen=True, slots=True)
class Results:
    """Hits of one query, all of one generation.

    `confidence` is the chance that an answer is among the first five hits, `confidence_word` the
    same in a word; None where nothing was asked, as of nodes like a node, and where `reading` says
    that not all of the folder was looked at. `facets` are of the named holes of a pattern,
    `remarks` its notes.
    """

    query: str
    hits: tuple[Hit, ...]
    truncated: bool
    generation: int
    took_ms: float
    candidates: int
    remarks: tuple[Note, ...] = ()
    confidence: float | None = None
    confidence_word: ConfidenceWord | None = None
    reading: Reading = ALL_READ
    facets: tuple[Facet, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes as they leave."""
        return tuple(map(str, self.remarks))
