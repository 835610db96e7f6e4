"""Query text to its kind, filters, terms and names.

No text raises: a filter with an unknown value is ignored with a note.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from packhound.core.records import ALL_CODE, Scope
from packhound.core.types import Kind, Note, Query, Span, Tests
from packhound.git import History
from packhound.grep import select
from packhound.index import Snapshot
from packhound.search.query import filter_syntax
from packhound.search.query.bug_report import code_of, content_of, is_report
from packhound.search.query.mentions import Frame, frames_of, paths_of
from packhound.search.query.word_lists import (
    EXAMPLE_WORDS,
    PROSE_WORDS,
    REPORT_WORDS,
    STOP_WORDS,
    TEST_WORDS,
)
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.term_matches import n_files_with
from packhound.text import terms as terms_of

QueryKind = Literal["symbol", "phrase", "prose", "report"]

Operator = Literal["fuzzy", "exact", "prefix", "suffix"]

_MAX_TEXT = 20_000
"""Longer reports are cut: what matters comes first."""
_MAX_TERMS = 160
"""Heaviest terms of a report that are scored; the rest add time and noise."""
_TITLE_WEIGHT = 2.0
"""Boost of a word in the first line of a report."""
_FILLER_WEIGHT = 0.3
_FILE_SHARE, _NODE_SHARE = 0.5, 0.1
"""The share of the files and of their nodes that have the project's name in them; hardly another
word has that share of both."""
_MIN_WORDS = 2
"""Words besides stop words that a question needs to be asked without the name."""
_MAX_NAMES = 60

_SYMBOL = re.compile(r"[\w$@!?*~^'+-]+(?:(?:::|->|[.#/\\:])[\w$@!?*~+-]+)*\$?(?:\(\))?")
_QUALIFIED = re.compile(r"(?<![A-Za-z_])[A-Za-z_]\w{0,99}(?:(?:::|->|[.#\\])[A-Za-z_]\w*)+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"\b([a-z_]\w+)\(")
_BACKTICKED = re.compile(r"`([^`\n]{1,80})`")
_PART = re.compile(r"[^\W_]+")
_EDGES = re.compile(r"^\W+|(?:'s)?\W*$")
_SEPARATORS = re.compile(r"::|->|[.#\\/:]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One word of a symbol query and how names must match it."""

    operator: Operator
    text: str


class ExactMatch(NamedTuple):
    """A fact that a node is what a query says: how much it counts, and what it is in words.

    `line` is that of its file where the fact is, if that is in no node.
    """

    level: float
    reason: str
    line: Span | None = None


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query.

    `text` is what the encoder reads; `title` its first line. `terms` are distinct, with `weights`
    beside them. `names` are identifiers as written (last parts of qualified ones), `qualified` the
    parts of names written with their owner. `exact` are quoted words that a hit must contain, and
    `regexes` what must match in it; `within` are the node ids that pass, None for all, and
    `phrase_nodes` those that have the quoted words as phrases. `printers` are the node ids that
    print the message that the query is, with how sure that is, 0 to 1, and the line that does,
    `exact_matches` those that are exactly what it says.
    `frames` are those of a report's stack traces, innermost first, `code` is what it quotes.
    By `history` files have the dates that `scope` asks for.
    """

    text: str
    title: str
    kind: QueryKind
    terms: tuple[str, ...]
    weights: tuple[float, ...]
    names: tuple[str, ...] = ()
    name_weights: tuple[float, ...] = ()
    qualified: tuple[tuple[str, ...], ...] = ()
    exact: tuple[str, ...] = ()
    regexes: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    paths: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    code: str = ""
    kinds: tuple[Kind, ...] = ()
    languages: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    excluded_kinds: tuple[Kind, ...] = ()
    excluded_globs: tuple[str, ...] = ()
    tests: Tests = "last"
    scope: Scope = ALL_CODE
    history: History | None = None
    within: frozenset[int] | None = None
    phrase_nodes: frozenset[int] | None = None
    printers: Mapping[int, tuple[float, str]] = field(default_factory=dict)
    exact_matches: Mapping[int, ExactMatch] = field(default_factory=dict)
    wants_tests: bool = False
    wants_examples: bool = False
    notes: tuple[Note, ...] = ()

    @property
    def has_operators(self) -> bool:
        """True if a word says how names must match it: `'exact`, `^prefix` or `suffix$`."""
        return any(pattern.operator != "fuzzy" for pattern in self.patterns)

    @property
    def has_stop_words_alone(self) -> bool:
        """True if the query is nothing but English words that say nothing about code."""
        filters = self.kinds, self.languages, self.globs, self.exact, self.regexes
        is_asked_for = any(filters) or self.exact_matches or self.has_operators
        return len(self.terms) > 1 and STOPS.issuperset(self.terms) and not is_asked_for

    def without_words(self) -> ParsedQuery:
        """Return the query for a search by meaning alone."""
        return replace(
            self, terms=(), weights=(), names=(), name_weights=(), qualified=(), title=""
        )


class Project(NamedTuple):
    """The code that a question is about, whose own name is a stop word of this project.

    In "how curl resolves a host" all of curl is about curl, and the one file that is called so is
    hardly the answer. The name is a word of the path of the folder `root` that most code has.
    """

    root: str
    snapshot: Snapshot
    stats: CorpusStats


def parse_query(query: Query, project: Project | None = None) -> ParsedQuery:
    """Parse the query's text; filters in it are added to those that the query has as fields.

    The name of the project is no word of a question; names and bug reports stay as they are.
    """
    text = query.text[:_MAX_TEXT].strip()
    if is_report(text):
        return _parse_report(text, query)
    text, filters = filter_syntax.take_filters(text)
    notes: list[str] = []
    regexes, text = filter_syntax.take_regexes(text)
    globs, rest = filter_syntax.take_glob(text)
    if globs and project and not any(map(select(globs, ()), project.snapshot.files)):
        notes.append(f"no file is called so: searched for the text '{text}'")
        globs, rest = (), text
    text = rest
    exact, text = filter_syntax.take_quotes(text)
    text, instruction = filter_syntax.without_instruction(text)
    if instruction:
        notes.append(f"searched for what comes after '{instruction}'")
    kind = _kind_of(text, query)
    fields = filter_syntax.filter_fields(query, filters + [("path", each) for each in globs], notes)
    if project and kind != "symbol" and (names := _project_names(text.split(), project)):
        text = " ".join(word for word in text.split() if word not in names)
        listed = ", ".join(dict.fromkeys(_EDGES.sub("", name) for name in names))
        notes.append(f"searched without '{listed}', which is all over this project")
        kind = _kind_of(text, query)
    patterns = _patterns(text) if kind == "symbol" else ()
    if patterns:
        text = " ".join(pattern.text for pattern in patterns)
    words = project.snapshot.terms_in(text) if project else terms_of(text)
    terms, weights = _weigh(_content_words(words, kind), {})
    return ParsedQuery(
        text=text,
        title=text,
        kind=kind,
        terms=terms,
        weights=weights,
        names=_names(text, kind),
        qualified=_qualified_names(text),
        exact=exact,
        regexes=regexes,
        patterns=patterns,
        paths=paths_of(text) if kind != "symbol" else (),
        wants_tests=fields["tests"] == "only" or _mentions(text, TEST_WORDS),
        wants_examples=_mentions(text, EXAMPLE_WORDS),
        notes=tuple(notes),
        **fields,
    )


def _project_names(words: list[str], project: Project) -> list[str]:
    """Return the words that are the project's name, where enough others are left."""
    components = [_PART.findall(each.lower()) for each in re.split(r"[\\/]", project.root)]
    path_words = {word for parts in components for word in (*parts, "".join(parts))}
    names = [word for word in words if _is_project_name(word, path_words, project)]
    n_others = sum(word not in names and word.lower() not in STOP_WORDS for word in words)
    return names if n_others >= _MIN_WORDS else []


def _is_project_name(word: str, path_words: set[str], project: Project) -> bool:
    """Return True if all parts of a word are in the folder's path, and one is all over the code.

    Stop words are no names, whatever folders are called.
    """
    bare = _EDGES.sub("", word.lower())
    parts = _PART.findall(bare)
    if bare in STOP_WORDS or not parts or "_" in bare or not path_words.issuperset(parts):
        return False
    return any(_is_everywhere(part, project.snapshot, project.stats) for part in parts)


def _is_everywhere(word: str, snapshot: Snapshot, stats: CorpusStats) -> bool:
    last = terms_of(word)[-1:]
    return any(
        len(match.nodes[0]) >= _NODE_SHARE * snapshot.n_nodes
        and n_files_with(snapshot, term) >= _FILE_SHARE * snapshot.n_files
        for term, match in zip(last, stats.term_matches.lookup(snapshot, last), strict=True)
    )


def scope_of(query: Query) -> tuple[Scope, tuple[str, ...]]:
    """Return what a query asks for among all sources, and what is wrong with that."""
    text = query.text[:_MAX_TEXT].strip()
    return filter_syntax.read_scope(
        query, [] if is_report(text) else filter_syntax.take_filters(text)[1]
    )


def _parse_report(text: str, query: Query) -> ParsedQuery:
    """Parse a bug report: words weigh by how often they occur, those of the title more."""
    text = content_of(text)
    title, _, body = text.partition("\n")
    counts = Counter(terms_of(body))
    title_terms = dict.fromkeys(terms_of(title))
    for term in title_terms:
        counts[term] += 1
    boosts = {term: _TITLE_WEIGHT for term in title_terms}
    boosts |= {t: _FILLER_WEIGHT for t in counts if t in _FILLER and t not in title_terms}
    scored = [term for term in counts.elements() if term not in STOPS and not term.isdigit()]
    terms, weights = _weigh(scored, boosts)
    names = _report_names(title, body)
    return ParsedQuery(
        text=text,
        title=title.strip(),
        kind="report",
        terms=terms,
        weights=weights,
        names=tuple(names),
        name_weights=tuple(names.values()),
        qualified=_qualified_names(text),
        paths=paths_of(text),
        frames=frames_of(text),
        code=code_of(text),
        wants_tests=query.tests == "only" or _mentions(title, TEST_WORDS),
        wants_examples=_mentions(title, EXAMPLE_WORDS),
        **filter_syntax.filter_fields(query, [], []),
    )


def _report_names(title: str, body: str) -> dict[str, float]:
    """Return the identifiers of a report, heaviest first, with their weights."""
    counts = Counter(_code_names(body))
    weights = {name: 1 + math.log(n) for name, n in counts.items()}
    for name in _code_names(title):
        weights[name] = weights.get(name, 0.0) + _TITLE_WEIGHT
    heaviest = sorted(weights, key=lambda name: -weights[name])[:_MAX_NAMES]
    return {name: weights[name] for name in heaviest}


def _code_names(text: str) -> list[str]:
    """Return words that look like code, and those that are called or quoted as code."""
    names = [word for word in _NAME.findall(text) if _looks_like_code(word)]
    for quoted in _BACKTICKED.findall(text):
        names += _NAME.findall(quoted)
    names = [name for name in names if name.lower() not in STOP_WORDS]
    # What is called or has an owner, such as `np.where`, is a name whatever word it is.
    names += _CALLED.findall(text)
    names += (_SEPARATORS.split(qualified)[-1] for qualified in _QUALIFIED.findall(text))
    return [name for name in names if len(name) > 2]


def _kind_of(text: str, query: Query) -> QueryKind:
    if query.mode == "symbol" or (text and _SYMBOL.fullmatch(text)):
        return "symbol"
    words = text.lower().split()
    return "prose" if len(words) > 2 and not PROSE_WORDS.isdisjoint(words) else "phrase"


def _patterns(text: str) -> tuple[Pattern, ...]:
    """Parse the words of a symbol query: `'exact`, `^prefix`, `suffix$`, else fuzzy."""
    return tuple(_pattern(word) for word in text.split())


def _pattern(word: str) -> Pattern:
    bare = word.removesuffix("()")
    if len(bare) > 1 and bare[0] == "'":
        return Pattern("exact", bare[1:])
    if len(bare) > 1 and bare[0] == "^":
        return Pattern("prefix", bare[1:])
    if len(bare) > 1 and bare[-1] == "$":
        return Pattern("suffix", bare[:-1])
    return Pattern("fuzzy", bare)


def _content_words(words: list[str], kind: QueryKind) -> list[str]:
    """Return words without stop words, unless these are all, or the query is a name or a phrase."""
    if kind in ("symbol", "phrase"):
        return words
    return [word for word in words if word not in STOPS] or words


def _weigh(
    words: Iterable[str], boosts: dict[str, float]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the distinct terms and their weights: 1 + ln(count), boosted."""
    counts = Counter(words)
    weighted = [(term, (1 + math.log(n)) * boosts.get(term, 1.0)) for term, n in counts.items()]
    if len(weighted) > _MAX_TERMS:
        weighted = sorted(weighted, key=lambda pair: -pair[1])[:_MAX_TERMS]
    return tuple(term for term, _ in weighted), tuple(weight for _, weight in weighted)


def _names(text: str, kind: QueryKind) -> tuple[str, ...]:
    """Return the identifiers of the query: all of a symbol, else the words that look like code."""
    if kind == "symbol":
        last = [_SEPARATORS.split(word.text)[-1] or word.text for word in _patterns(text)]
        return tuple(dict.fromkeys(last))
    names = [word for word in _NAME.findall(text) if _looks_like_code(word)]
    names += [parts[-1] for parts in _qualified_names(text)]
    return tuple(dict.fromkeys(names))


def _looks_like_code(word: str) -> bool:
    if word.lower() in STOP_WORDS:
        return False
    return "_" in word.strip("_") or (not word.islower() and any(map(str.isupper, word)))


def _qualified_names(text: str) -> tuple[tuple[str, ...], ...]:
    names = (name.replace("->", ".") for name in _QUALIFIED.findall(text))
    qualified = (tuple(_SEPARATORS.split(name)) for name in names)
    return tuple(dict.fromkeys(parts for parts in qualified if all(parts)))


def _mentions(text: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(re.findall(r"[a-z]+", text.lower()))


def _stem_all(words: Iterable[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in terms_of(word))


STOPS = _stem_all(STOP_WORDS) | STOP_WORDS
"""Stop words and their terms."""
_FILLER = _stem_all(REPORT_WORDS)
