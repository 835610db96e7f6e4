"""Exact matches: nodes that hold what a query says as it says it, each a fact that can be checked.

A path names the node of its line, a qualified name its definition, a pasted line the node that has
it, a word of one place that place. Such a fact is worth more than any sum of likelihoods, so each
has a level, and what has a higher one comes first. Bug reports, quotes and questions of a few plain
words have none: there words are hints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import numpy as np

from packhound.core.arrays import Positions, unique_sorted
from packhound.core.status import GREP_ALONE
from packhound.core.types import Note
from packhound.grep import MOST_FILTERED_BYTES, MOST_LINES, Places
from packhound.index import Snapshot
from packhound.search.answer_notes import edit_distance, nearest_names
from packhound.search.query.exact_names import (
    nodes_named,
    nodes_of_parts,
    nodes_of_signature,
    without_namesakes,
)
from packhound.search.query.exact_paths import nodes_of_path
from packhound.search.query.filter_syntax import take_filters
from packhound.search.query.filters import nodes_with
from packhound.search.query.levels import (
    COMMON,
    IDENTIFIER,
    LINE,
    MESSAGE,
    MOST_COMMON,
    MOST_NAMED,
    MOST_PLACES,
    NEAR,
    OTHER_CASE,
    OWNED,
    PREFIX,
    STEMS,
    TEXT,
    TOGETHER,
    WORDS,
)
from packhound.search.query.messages import find_printers
from packhound.search.query.parse import ExactMatch, ParsedQuery
from packhound.search.query.word_lists import ASKING_WORDS, STOP_WORDS
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.text import fold_identifier, terms

if TYPE_CHECKING:
    from packhound.grep import Grep

_MOST_HOLDERS = 60
"""Nodes with all words of a query whose texts are read; of a single word only its files count."""
_MOST_POSTED = 2_000
"""Of a word in more nodes no form is in few places."""
_MOST_FORMS = 15
"""Nodes with the plain word that a question is about, in any form."""
_MOST_READ = 150
_MOST_GREPPED_BYTES = 16_000_000
"""Of data and large files, for a row or a word that no node has: some 10 ms."""
_MOST_FILES = 20
_MAX_CHARACTERS = 2_000
_SHORTEST_PREFIX, _SHORTEST_NEAR = 5, 8
"""Letters of a word from which it is taken for the start of a name, or for one with a mistake."""
_FEW_WORDS, _MANY_WORDS = 3, 5
_MOST_PREFIXES, _MOST_NOTES = 4, 2

_QUOTED = re.compile(r'"([^"\n]*\w[^"\n]*)"')
_WORD = re.compile(r"_*[^\W_]\w*")
_SIGN = re.compile(r"[^\w\s,.?!'-]|\d|_|\w\.\w|[a-z][A-Z]")
"""What code has and plain words have not."""
_IDENTIFIER = re.compile(r"^(?=.*[A-Za-z]).*(?:\d|\w_\w|[a-z][A-Z])")


def find_exact_matches(
    snapshot: Snapshot, stats: CorpusStats, text: str, query: ParsedQuery, texts: Grep | None
) -> ParsedQuery:
    """Return the query with its exact matches, by node id, and what prints the message that it is.

    Where its text, or all that it names, is found as it stands, nothing like it is looked for.
    """
    whole, text = text, take_filters(text[:_MAX_CHARACTERS])[0]
    is_asked = bool(text) and text not in query.globs
    has_facts = is_asked and not (query.kind == "report" or query.has_operators or query.regexes)
    lead, *more = [line for line in whole[:_MAX_CHARACTERS].splitlines() if line.strip()] or [""]
    lead = lead if more else ""
    notes = list[Note]()
    found = _find(snapshot, stats, text, lead, query, texts, notes) if has_facts else {}
    query = replace(query, exact_matches=found, notes=(*query.notes, *notes[:_MOST_NOTES]))
    if any(match.level >= MESSAGE for match in found.values()) or (found and notes):
        return query
    query = find_printers(snapshot, stats, whole, query, texts)
    if texts and has_facts and not query.printers and not _QUOTED.fullmatch(text):
        found = dict(_by_identifiers(snapshot, text, texts)) | found
    return replace(query, exact_matches=found) if found else query


def _find(
    snapshot: Snapshot,
    stats: CorpusStats,
    text: str,
    lead: str,
    query: ParsedQuery,
    texts: Grep | None,
    notes: list[Note],
) -> dict[int, ExactMatch]:
    """Return what a query says as it stands: a path, a name, a text, or nearly a name.

    `lead` is its first line, if it has more. What a path lacks is added to `notes`.
    """
    if quoted := _QUOTED.fullmatch(text):
        return dict(_by_text(snapshot, quoted[1], texts, _MOST_HOLDERS) if texts else ())
    subject, found = _subject(text), dict(nodes_of_path(snapshot, text, texts, notes))
    if any(match.level > OWNED for match in found.values()) or (found and notes):
        return found
    # Where the one word is a name, the many places of its text are no news.
    is_name = query.kind == "symbol" and bool(len(snapshot.node_ids_named_folded(text.lower())))
    most = _MOST_HOLDERS if is_name else _MOST_POSTED
    if subject != text and not _IDENTIFIER.search(subject):
        # Where many places have another form of it, it is what a question is about in none of them.
        most = _MOST_FORMS
    for node_id, match in (
        *nodes_named(snapshot, text, query),
        *nodes_of_parts(snapshot, text),
        *nodes_of_signature(snapshot, text),
        *(_by_text(snapshot, subject, texts, most, lead) if texts else ()),
        *(_by_message(snapshot, text, texts) if texts and ": " in text else ()),
        *(_by_spelling(snapshot, stats, subject) if _WORD.fullmatch(subject) else ()),
    ):
        if node_id not in found or found[node_id].level < match.level:
            found[node_id] = match
    return found


def _is_code_like(text: str) -> bool:
    n_words = len(text.split())
    return n_words == 1 or n_words >= _MANY_WORDS or bool(_SIGN.search(text))


def _is_data(text: str) -> bool:
    """Return True for a text with signs and without a word of a sentence, as rows of data have."""
    return bool(_SIGN.search(text)) and STOP_WORDS.isdisjoint(text.lower().split())


def _subject(text: str) -> str:
    """Return the one word that a short question is about, or the text."""
    words = text.rstrip("?").split()
    about = [word for word in words if word.lower() not in STOP_WORDS | ASKING_WORDS]
    is_word = len(about) == 1 and _WORD.fullmatch(about[0])
    return about[0] if is_word and 1 < len(words) <= _MANY_WORDS else text


def _by_text(
    snapshot: Snapshot, text: str, texts: Grep, most: int, lead: str = ""
) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the places of the text itself, or else of all its words, where these are few.

    Of more than `most` nodes with all words no text is read. Where no node has all words of
    several lines, those of the first, `lead`, are looked at.
    """
    words = [*dict.fromkeys(_WORD.findall(text))]
    is_plain = not _is_code_like(text)
    if is_plain and STOP_WORDS.issuperset(text.lower().split()):
        return
    holders = _holders(snapshot, text)
    if is_plain and 1 < len(words) <= _FEW_WORDS and 0 < len(holders) <= MOST_PLACES:
        together = _with_all(snapshot, words, holders, texts, ignore_case=True)
        yield from _matches(together if len(together) == 1 else {}, TOGETHER, " and ".join(words))
    if is_plain and len(words) < _FEW_WORDS:
        return
    is_cut = are_apart = False
    if not len(holders):
        holders, is_cut, are_apart = _likely_holders(snapshot, text, words, lead)
    if len(holders) > most:
        return
    common = MOST_COMMON if len(words) >= _FEW_WORDS else MOST_PLACES
    find = partial(texts.nodes_with_text, snapshot, text, most=common, most_read=_MOST_READ)
    nodes, as_line = find(_paths_of(snapshot, holders), is_cut=is_cut)
    if nodes == {} and len(words) > 1 and not (is_cut or lead or is_plain):
        further, *_ = _likely_holders(snapshot, text, words, lead)
        paths = _paths_of(snapshot, further if len(further) <= most else further[:0])
        nodes, as_line = find(paths, is_cut=True)
    is_sentence = len(words) > _FEW_WORDS and not _is_data(text)
    is_unposted = not len(holders) or is_cut or are_apart
    elsewhere = ""
    if nodes == {} and not is_plain and (len(words) > _FEW_WORDS or is_unposted):
        most_of_one = MOST_FILTERED_BYTES if is_sentence else _MOST_GREPPED_BYTES
        paths = _soon_grepped(_grepped_alone(snapshot), most_of_one)
        # Nodes have not all of their file: not the licence above them, nor all of a long comment.
        admitting = texts.paths_admitting(snapshot, text)
        places = [*admitting, *paths] if len(admitting) < _MOST_READ else paths
        nodes, as_line = find([*dict.fromkeys(places)])
        if not len(holders):
            ids = [snapshot.files[path].node_ids[0] for path in paths]
            holders, are_apart = np.array(ids, np.intp), True
    elif nodes:
        nodes, is_all = _with_large_files(snapshot, text, nodes, texts)
        elsewhere = "" if is_all else " but for data and large files"
    what = text if len(words) <= _FEW_WORDS else "this line"
    yield from _matches(nodes or {}, _level(nodes, TEXT), what + elsewhere)
    if len(words) > 1 and (nodes is None or len(nodes) > 1):
        # Of a text that is in many places, or begins longer lines, those where it is the line.
        yield from _matches(as_line or {}, _level(as_line, LINE), f"the line {what}")
    most = 1 if is_plain else most if len(words) == 1 else _MOST_HOLDERS
    if nodes == {} and len(words) <= _FEW_WORDS and len(holders) <= most:
        by_words = _by_words(snapshot, words, holders, texts, are_spaced=text.split() == words)
        yield from (pair for pair in by_words if not are_apart or pair[1].level > STEMS)


def _with_large_files(
    snapshot: Snapshot, text: str, nodes: Places, texts: Grep
) -> tuple[Places, bool]:
    """Return the places of a text with the few that data and large files have; True if all."""
    large = _grepped_alone(snapshot)
    paths = _soon_grepped(large, MOST_FILTERED_BYTES)
    beside, _ = texts.nodes_with_text(snapshot, text, paths, MOST_PLACES, _MOST_READ)
    if beside is None or (beside and len(nodes | beside) > MOST_PLACES):
        return nodes, False
    paths += _paths_of(snapshot, np.array([*nodes], np.intp))
    return nodes | beside, large.keys() <= {*paths}


def _likely_holders(
    snapshot: Snapshot, text: str, words: list[str], lead: str
) -> tuple[Positions, bool, bool]:
    """Return the nodes that may have a text though none has all its terms.

    And if its last word may be cut, and if it is a word whose parts may be apart in them.
    """
    if lead or not words:
        return _holders(snapshot, lead), False, False
    if len(words) > 1:
        return _holders(snapshot, text[: text.rindex(words[-1])]), True, False
    # Where letter case tells the parts of a word, its terms are others.
    folded = fold_identifier(words[0])
    posted = [snapshot.postings(folded).node_ids]
    are_apart = not len(posted[0])
    if are_apart:
        posted = [snapshot.postings(term).node_ids for term in terms(folded)]
    holders = unique_sorted(np.concatenate(posted)).astype(np.intp)
    return holders[snapshot.live[holders]], False, are_apart and len(posted) > 1


def _level(nodes: Places | None, level: float) -> float:
    """Return the level of a text that some nodes have, lower where they are many."""
    return level if len(nodes or ()) <= MOST_PLACES else COMMON


def _with_all(
    snapshot: Snapshot, words: list[str], holders: Positions, texts: Grep, *, ignore_case: bool
) -> Places:
    """Return those of some nodes whose text has all of some words."""
    nodes: Places = {node_id: [] for node_id in holders.tolist()}
    paths = _paths_of(snapshot, holders)
    for word in words:
        having, _ = texts.nodes_with_text(
            snapshot, word, paths, None, _MOST_READ, ignore_case=ignore_case
        )
        nodes = {node_id: lines for node_id, lines in (having or {}).items() if node_id in nodes}
    return dict(sorted(nodes.items()))


def _by_words(
    snapshot: Snapshot, words: list[str], holders: Positions, texts: Grep, *, are_spaced: bool
) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the nodes with all of some words as written, else in another case, else as stems.

    Where the query joins them by signs, not `are_spaced`, they say less of a place that does not.
    """
    for level, ignore_case, suffix in ((WORDS, False, ""), (OTHER_CASE, True, ", in another case")):
        level = level if are_spaced else IDENTIFIER
        nodes = _with_all(snapshot, words, holders, texts, ignore_case=ignore_case)
        if 0 < len(nodes) <= MOST_PLACES:
            yield from _matches(nodes, level, f"{' and '.join(words)}{suffix}")
            return
    # Forms of several plain words, each somewhere in a long function, say nothing of it.
    if len(holders) <= MOST_PLACES and (len(words) == 1 or _is_code_like(" ".join(words))):
        forms: Places = {node_id: [] for node_id in holders.tolist()}
        yield from _matches(forms, STEMS, f"forms of {' and '.join(words)}")


def _by_spelling(
    snapshot: Snapshot, stats: CorpusStats, word: str
) -> Iterator[tuple[int, ExactMatch]]:
    """Yield what is named nearly like a word that nothing is named: in its number, or its letters.

    Where a text has the word, it is no mistake.
    """
    if len(snapshot.node_ids_named_folded(word.lower())):
        return
    for other in _other_numbers(word):
        for node_id in snapshot.node_ids_named_folded(other.lower())[:MOST_NAMED].tolist():
            yield node_id, ExactMatch(NEAR, f"its name is nearly {word}")
    folded = fold_identifier(word)
    if len(_holders(snapshot, word)) or len(folded) < _SHORTEST_PREFIX:
        return
    for name in nearest_names(snapshot, stats.letters, word):
        distance = edit_distance(folded, fold_identifier(name), 1)
        if not distance or (distance == 1 and len(folded) >= _SHORTEST_NEAR):
            level = NEAR if distance else OTHER_CASE
            for node_id in snapshot.node_ids_named(name)[:MOST_NAMED].tolist():
                yield node_id, ExactMatch(level, f"its name, {name}, is nearly {word}")
    names, start = snapshot.name_table.names, word.lower()
    begin = [
        name
        for name_id in stats.letters.match_start(names, word).tolist()
        if len(name := names[name_id]) > len(word) and name[: len(word)].lower() == start
    ]
    for name in sorted(begin, key=lambda name: (len(name), name))[:_MOST_FILES]:
        named = without_namesakes(snapshot, snapshot.node_ids_named(name))
        for node_id in islice(named, MOST_PLACES):
            yield node_id, ExactMatch(PREFIX, f"its name begins with {word}")


def _other_numbers(word: str) -> list[str]:
    """Return the singulars and plurals that a word may have."""
    singular = [f"{word[:-3]}y"] if word.endswith("ies") else []
    singular += [word[:-2]] if word.endswith("es") else []
    singular += [word[:-1]] if word.endswith("s") else []
    return [*singular, f"{word}s", f"{word}es"]


def _by_identifiers(snapshot: Snapshot, text: str, texts: Grep) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the places of the identifiers of a question that only few have: it is about them.

    So it is about two or three words that are nowhere together, each of which has one place.
    """
    words = [*dict.fromkeys(_WORD.findall(text))]
    is_like_code = any(map(_IDENTIFIER.search, words))
    are_apart = 1 < len(words) <= _FEW_WORDS and not len(_holders(snapshot, text))
    if are_apart and not is_like_code:
        are_apart = all(len(_holders(snapshot, word)) == 1 for word in words)
    for word in words if len(words) > 1 else ():
        is_identifier = _IDENTIFIER.search(word)
        holders = _holders(snapshot, word if is_identifier or are_apart else "")
        if 0 < len(holders) <= _MOST_HOLDERS:
            paths, most = _paths_of(snapshot, holders), MOST_PLACES if is_identifier else 1
            nodes, _ = texts.nodes_with_text(snapshot, word, paths, most, _MOST_READ)
            yield from _matches(nodes or {}, IDENTIFIER if is_like_code else TOGETHER, word)


def _by_message(snapshot: Snapshot, text: str, texts: Grep) -> Iterator[tuple[int, ExactMatch]]:
    """Yield the places of what follows a prefix, such as `Error: ` or the head of a log line."""
    parts = text.split(": ")
    for start in range(1, min(len(parts), _MOST_PREFIXES + 1)):
        message = ": ".join(parts[start:])
        found = [*_by_text(snapshot, message, texts, _MOST_HOLDERS)] if " " in message else []
        if found := [pair for pair in found if pair[1].level >= TEXT]:
            yield from ((node_id, match._replace(level=MESSAGE)) for node_id, match in found)
            return


def _matches(nodes: Places, level: float, what: str) -> Iterator[tuple[int, ExactMatch]]:
    count = "the only place with" if len(nodes) == 1 else f"one of {len(nodes)} places with"
    for node_id, lines in nodes.items():
        reason, more = f"{count} {what}", " or more" * (len(lines) == MOST_LINES)
        if len(lines) > 1:
            reason = f"the first of {len(lines):,}{more} lines here with {what}"
        yield node_id, ExactMatch(level, reason, lines[0] if lines else None)


def _holders(snapshot: Snapshot, text: str) -> Positions:
    """Return the nodes with all terms of a text, none for a text without any."""
    return nodes_with(snapshot, text) if terms(text) else np.empty(0, np.intp)


def _grepped_alone(snapshot: Snapshot) -> dict[str, int]:
    """Return the sizes of the files that are in the index by their first lines."""
    entries = [each for each in snapshot.files.values() if each.degraded == GREP_ALONE]
    with_node = [each for each in entries if len(each.node_ids)]
    # The text of an open document is in memory.
    return {each.path: each.stamp.size if each.stamp else 0 for each in with_node}


def _soon_grepped(sizes: Mapping[str, int], most_of_one: int) -> list[str]:
    """Return the paths of files of at most some bytes, as many as are soon read."""
    paths = sorted(sizes, key=lambda path: (sizes[path], path))
    totals = accumulate(sizes[path] for path in paths)
    n_read = sum(total <= _MOST_GREPPED_BYTES for total in totals)
    return [path for path in paths[:n_read] if sizes[path] <= most_of_one]


def _paths_of(snapshot: Snapshot, node_ids: Positions) -> list[str]:
    """Return the files of some nodes, those with the most first: what is common shows there."""
    counts = Counter(snapshot.file_of.take(node_ids).tolist())
    pairs = ((-count, snapshot.paths[file_id]) for file_id, count in counts.items())
    return [path for _, path in sorted(pairs)]
