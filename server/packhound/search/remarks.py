"""Notes on an answer by which something is decided, and what becomes of them in another answer.

One of several folders says more or less than each, and so does one of files that are not all read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from packhound.core.status import BINARY_BY_NAME, LeftOut, Reading
from packhound.core.types import Explanation, Note, Remark, Results

_MORE_TIME = ": for more, raise --time-ms or search.timeMs, or narrow by path: or kind:"


@dataclass(frozen=True)
class Stopped(Remark, template="stopped {}"):
    """Limit of time for which a search was cut short, and the parts that more time would add.

    A part that would hardly be ready in time is not begun, so the limit need not be reached.
    """

    parts: tuple[str, ...] = ()


class Weak(Remark, template="weak answer: {}"):
    """Reason why an answer is weak."""


class Missing(Remark):
    """Says that one folder lacks something, which another may have."""


class Absent(Missing, template="{} not in this folder"):
    """Names or words that are nowhere in what was searched."""


class InNoNode(Missing, template="`{}` is in no definition, but in "):
    """A word that a file has outside of what is indexed, and the first place of it."""


class NoFile(Missing, template="no indexed file has the path {}"):
    """A path that no file has."""


class NothingMatches(Missing, template="nothing matches"):
    """Says that a query has no hit."""


class NoLanguage(Missing, template="no file here is in '{}'; languages here: "):
    """Languages that no file is in, and those that there are."""


class NoShape(Remark, template="{} has the shape "):
    """Says of nothing, or of no other code, that it matches a pattern."""


class Relaxed(Remark, template="without {} there are "):
    """Filters without which there are hits."""


class Spelling(Remark, template="for `{}`, did you mean: "):
    """A word that names are written nearly like."""


NO_WORD = Missing("no word of the query is in the index: ranked by meaning alone")
NO_HIT_HAS_A_WORD = Weak("no hit has a word of the query")


def listed(names: Iterable[str], lead: str = "") -> tuple[str, ...]:
    """Return a list of names as details, with which those of a longer list begin."""
    return tuple(f"{', ' if n else lead}{name}" for n, name in enumerate(names))


def merge_stopped(
    notes: Sequence[Note], time_ms: float, further: Sequence[str] = ()
) -> tuple[Note, ...]:
    """Return notes of which the first says what was left out for want of time, if anything was.

    That is all that any of them says, and what is `further`.
    """
    stopped = [note for note in notes if isinstance(note, Stopped) and note.parts]
    parts = tuple(dict.fromkeys([*(part for note in stopped for part in note.parts), *further]))
    if not parts:
        return tuple(notes)
    first = Stopped(
        f"to keep within {time_ms:,g} ms, without {', '.join(parts)}", (_MORE_TIME,), parts
    )
    return (first, *(note for note in notes if note not in stopped))


def merge_notes(surest: Results, answers: Sequence[Results], time_ms: float) -> tuple[Note, ...]:
    """Return the distinct notes of several folders' answers to one query.

    Those of a weak answer are left out unless the `surest` answer has them, those of names, words
    or files that are not in one folder where another has them, and those that say less than others.
    What is said of the whole answer comes first.
    """
    missing = [{n.bare for n in each.remarks if isinstance(n, Missing)} for each in answers]
    missing_in_all = set.intersection(*missing) if missing else set()
    merged = {
        note: None
        for answer in answers
        for note in answer.remarks
        if not (isinstance(note, Weak) and note not in surest.remarks)
        and not (isinstance(note, Missing) and note.bare not in missing_in_all)
    }
    distinct = [note for note in merged if not any(_says_more(each, note) for each in merged)]
    notes = merge_stopped(distinct, time_ms)
    return tuple(sorted(notes, key=lambda note: not isinstance(note, Stopped | Weak)))


def _says_more(longer: Note, note: Note) -> bool:
    if isinstance(longer, str) or isinstance(note, str) or longer.bare != note.bare:
        return False
    return note.details == longer.details[: len(note.details)] != longer.details


def so_far(results: Results, reading: Reading) -> Results:
    """Return an answer that claims nothing of files that are not read yet.

    Until all are, no name is said to be nowhere, and nobody knows how good the hits are.
    """
    if reading.is_complete:
        return results
    return replace(
        results,
        hits=tuple(
            replace(hit, confidence=None, explanation=partial(_explain_so_far, hit.explanation))
            for hit in results.hits
        ),
        remarks=tuple(
            Remark(f"{note.subject} read so far has the shape ", note.details)
            if isinstance(note, NoShape)
            else note
            for note in results.remarks
            if not isinstance(note, Weak | Missing)
        ),
        confidence=None,
        confidence_word=None,
        reading=reading,
    )


def without_files(results: Results, paths: Collection[str]) -> Results:
    """Return an answer without the hits in files that have changed since they were read."""
    hits = [hit for hit in results.hits if hit.record or hit.node.path not in paths]
    n_left_out = len(results.hits) - len(hits)
    if not n_left_out:
        return results
    noun = "hit is" if n_left_out == 1 else "hits are"
    note = f"{n_left_out} {noun} left out, in files that have changed and are not read again yet"
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, results.hits[0].rank))
    return replace(results, hits=ranked, remarks=(*results.remarks, note))


def as_far_as_searched(results: Results, left_out: LeftOut) -> Results:
    """Return an answer that denies no word of what it does not know without saying so.

    It says how many files were not or not wholly searched, and that those binary by name were not.
    """
    n_texts = sum(n for reason, n in left_out.counts.items() if reason != BINARY_BY_NAME)
    noun = "file is" if n_texts == 1 else "files are"
    how_many = f"{n_texts:,} {noun} not or not wholly searched"
    scope = [f", of which {how_many}"] * bool(n_texts)
    scope += [", binary files aside"] if BINARY_BY_NAME in left_out.counts else []
    remarks = [*results.remarks]
    for n, note in enumerate(remarks):
        if isinstance(note, Absent):
            remarks[n] = replace(note, details=(*scope, *note.details))
        elif n_texts and isinstance(note, Remark) and note in (NO_WORD, NO_HIT_HAS_A_WORD):
            remarks[n] = replace(note, details=(f"; {how_many}",))
    return replace(results, remarks=tuple(remarks))


def without_denials(results: Results) -> Results:
    """Return an answer that holds a file nobody has read: its name is there, no word of it known.

    How sure the answer is does not say anything of such a file, so none is said where it is first.
    """
    is_unread = bool(results.hits[0].unread)
    denials = Missing | Weak if is_unread else Missing
    remarks = tuple(note for note in results.remarks if not isinstance(note, denials))
    results = replace(results, remarks=remarks)
    return replace(results, confidence=None, confidence_word=None) if is_unread else results


def caveats_in(notes: Iterable[Note]) -> Iterator[str]:
    """Yield why an answer is cut short or weak, and what of the query is nowhere."""
    for note in notes:
        if isinstance(note, Weak):
            yield "".join((note.subject, *note.details))
        elif isinstance(note, Stopped):
            yield str(note.bare)
        elif isinstance(note, Missing):
            yield str(note)


def _explain_so_far(explain: Callable[[], Explanation]) -> Explanation:
    """Return an explanation whose counts of places are of what was read."""
    explanation = explain()
    reasons = explanation.reasons
    counted = [f"so far {r}" if r.startswith(("the only place", "one of ")) else r for r in reasons]
    return explanation._replace(reasons=tuple(counted))
