"""How sure an answer says that it is. `pytest --update-golden` rewrites the golden file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import Query, Results
from packhound.search import pipeline, related
from packhound.search.answer_notes import edit_distance, nearest_names
from packhound.search.confidence import LIKELY, load_fit
from packhound.search.environment import SearchEnvironment
from packhound.search.signals.bloom import LetterFilter
from tests.support.pack_check import context_of
from tests.support.shop import embedder, environment, snapshot

GOLDEN = Path(__file__).parents[1] / "golden/ranking/confidence.txt"
ANSWERED = (
    *("Session", "router", "add_route", "StockLevel::reserve", "session cookie signature"),
    *("how a path is matched against routes", "form validation errors", "charge a credit card"),
)
UNANSWERED = (
    *("zzqqxx wwvv", "kubernetes operator reconcile loop", "quantum entanglement of photons"),
    *("slugfy", "Sesion", "parse the abstract syntax tree of a regular expression"),
)
FUSERS = ("linear", "rrf")


def ask(text: str, fuser: str = "linear", **fields: object) -> Results:
    query = replace(Query(text), **fields)  # type: ignore[arg-type]
    return pipeline.search(snapshot(), query, environment(fuser))


def test_golden_confidence(update_golden: bool) -> None:
    lines = ["linear, rrf; the first three hits -> query"]
    for text in (*ANSWERED, *UNANSWERED):
        answers = [ask(text, fuser) for fuser in FUSERS]
        words = ", ".join(f"{a.confidence_word} {a.confidence:.2f}" for a in answers)
        hits = " ".join(f"{hit.confidence:.2f}" for hit in answers[0].hits[:3])
        lines.append(f"{words}; {hits} -> {text}")
    text = "\n".join(lines) + "\n"
    if update_golden:
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("fuser", FUSERS)
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense", "symbol"])
def test_confidence_falls_with_rank(mode: str, fuser: str) -> None:
    for text in (*ANSWERED, *UNANSWERED):
        answer = ask(text, fuser, mode=mode, limit=20)
        confidences = [hit.confidence for hit in answer.hits]
        assert confidences == sorted(confidences, reverse=True)
        assert answer.confidence is not None and 0 <= answer.confidence <= 1
        assert all(confidence <= answer.confidence for confidence in confidences)


@pytest.mark.parametrize("fuser", FUSERS)
def test_nonsense_is_weak_and_its_note_comes_first(fuser: str) -> None:
    answer = ask("zzqqxx wwvv", fuser)
    assert answer.confidence_word == "weak"
    assert answer.notes[0] == "weak answer: no hit has a word of the query"


def test_notes_on_an_answer_agree_with_its_hits_and_are_two_at_most() -> None:
    weak = [text for text in (*UNANSWERED, "zzqqxx session", "executePrompt parsePrise qq") if
            ask(text).confidence_word == "weak"]  # fmt: skip
    assert weak
    for text in weak:
        answer = ask(text)
        assert len(answer.notes) <= 2 and answer.notes[0].startswith("weak answer: ")
        has_word = [h for h in answer.hits if re.match("[1-9]", h.explanation().groups[1].text)]
        assert ("no hit has a word" in answer.notes[0]) == (not has_word)


def test_all_of_few_words_are_not_weak() -> None:
    """One word that some places have is what was asked for, however little they say of it."""
    for text in ("missing", "errors", "field value"):
        assert ask(text).confidence_word != "weak", text


def test_what_others_say_too_is_not_strong() -> None:
    copies = {
        f"shop/part_{n}.py": f"def step_{n}(parcel):\n    return weigh(parcel, {n})\n"
        for n in range(6)
    }
    query = Query("weigh a parcel", mode="lexical")
    answer = pipeline.search(context_of(copies).snapshot, query, SearchEnvironment("shop"))
    assert answer.confidence_word in ("likely", "possible", "weak")


def test_a_name_is_exact_letter_for_letter() -> None:
    for text in ("Router", "add_route", "StockLevel::reserve", "slugify()"):
        assert ask(text).confidence_word == "exact"
        assert ask(text, mode="symbol").confidence_word == "exact"
    answer = ask("SLUGIFY")
    assert (answer.confidence_word, answer.notes) == ("strong", ())


def test_what_the_second_hit_says_as_well_is_not_strong() -> None:
    """Two definitions have the name: whichever is first, the other may be meant."""
    answer = ask("router")
    assert [hit.node.name for hit in answer.hits[:2]] == ["Router", "Router"]
    assert (answer.confidence_word, answer.notes) == ("likely", ())


def test_a_first_hit_with_no_more_of_the_words_than_the_second_is_not_strong() -> None:
    delay = """def retry_delay(response):
    \"""Read how many seconds to wait from the Retry-After header of a response.\"""
    return int(response.headers["Retry-After"])
"""
    date = """def retry_date(response):
    \"""Read from the Retry-After header how many seconds a response says to wait until a date.\"""
    return parse_date(response.headers["Retry-After"])
"""
    names = ("size", "colour", "parcel", "account", "invoice", "letter", "price", "tax", "name")
    body = 'def {0}(x):\n    """Return the {0} of x."""\n    return x.{0}\n'
    files = {f"shop/{name}.py": body.format(name) for name in names}
    query = Query("how many seconds to wait from the retry after header")
    words = []
    for parts in ({"shop/delay.py": delay}, {"shop/delay.py": delay, "shop/date.py": date}):
        snapshot = context_of(files | parts).snapshot
        answer = pipeline.search(snapshot, query, SearchEnvironment("shop", embedder()))
        assert answer.hits[0].node.name == "retry_delay"
        words.append(answer.confidence_word)
    assert words == ["strong", "likely"]


@pytest.mark.parametrize("fuser", FUSERS)
def test_a_word_says_what_the_first_hit_is_worth(fuser: str) -> None:
    for text in (*ANSWERED, *UNANSWERED):
        answer = ask(text, fuser)
        first = (answer.hits[0].confidence or 0.0) if answer.hits else 0.0
        if answer.confidence_word in ("possible", "weak"):
            assert first < LIKELY, text
        if answer.confidence_word in ("strong", "likely"):
            assert first >= LIKELY, text


def test_what_is_there_is_surer_than_what_is_not() -> None:
    least = min(ask(text).confidence or 0.0 for text in ANSWERED)
    most = max(ask(text).confidence or 0.0 for text in UNANSWERED)
    assert least > 0.5 > most


def test_names_that_are_nowhere_are_named() -> None:
    notes = ask("does the router call executePrompt or parsePrise").notes
    assert "`executePrompt` is not in this folder" in notes
    assert "`parsePrise` is not in this folder; did you mean: parse_price" in notes
    # A name that is only used is in the folder.
    assert not any("fullmatch" in note for note in ask("where is route.fullmatch called").notes)
    lexical = pipeline.search(
        snapshot(vectors=False), Query("wibbleWobble", mode="lexical"), SearchEnvironment("shop")
    )
    assert lexical.notes == ("`wibbleWobble` is not in this folder", "nothing matches")


def test_nearest_names() -> None:
    assert nearest_names(snapshot(), LetterFilter(), "Sesion") == ["Session"]
    assert nearest_names(snapshot(), LetterFilter(), "addruote") == ["add_route"]
    assert nearest_names(snapshot(), LetterFilter(), "xyz") == []


def test_letters_of_names_are_known_whatever_they_are() -> None:
    names = ["", "loadConfig", "_load", "", "Ärger_x", "İd", "a" * 70_000, "", "LOADER"]
    letters = LetterFilter()
    for n in (2, len(names)):  # Names come in several steps.
        letters.rows(names[:n])
    assert letters.match_start(names, "load").tolist() == [1, 8]
    assert letters.match_start(names, "är").tolist() == [4]
    assert letters.match_all(names, "config").tolist() == [1]
    assert letters.match_near(names, "loader", 1, 2).tolist() == [8]
    assert letters.match_near(names, "ärgerx", 0, 2).tolist() == [4]


def test_edit_distance() -> None:
    for first, second, distance in (
        *(("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abcd", 1)),
        *(("kitten", "sitting", 3), ("abc", "", 3)),
    ):
        assert edit_distance(first, second, 3) == distance
    assert edit_distance("kitten", "sitting", 1) == 2


@given(st.text("abc", min_size=1, max_size=8), st.text("abc", max_size=8))
def test_edit_distance_is_that_of_the_table(first: str, second: str) -> None:
    rows = [[*range(len(second) + 1)]]
    for i, letter in enumerate(first):
        row = [i + 1]
        for j, other in enumerate(second):
            row.append(min(rows[i][j] + (letter != other), rows[i][j + 1] + 1, row[j] + 1))
            if i and j and (letter, first[i - 1]) == (second[j - 1], other):
                row[-1] = min(row[-1], rows[i - 1][j - 1] + 1)
        rows.append(row)
    assert edit_distance(first, second, 9) == rows[-1][-1]


def test_an_answer_without_words_or_hits_has_a_confidence() -> None:
    assert ask("zzqqxx wwvv", mode="lexical").confidence == 0.0
    # Words alone find what is in quotes, so the quotes are covered.
    assert (ask('"segments of a path"').confidence or 0.0) > 0.2
    assert ask("").confidence is None


def test_related_nodes_answer_nothing() -> None:
    answer = related(snapshot(), "shop/utils.py", 1, Query("slugify"), environment())
    assert answer.hits
    assert (answer.confidence, answer.confidence_word) == (None, None)
    assert {hit.confidence for hit in answer.hits} == {None}


def test_the_coefficients_are_of_the_bundled_encoder() -> None:
    """Cosines of another one are on another scale; run benchmarks/quality/fit_confidence.py."""
    assert load_fit().model == embedder().fingerprint


def test_what_only_a_help_text_says_is_not_strong() -> None:
    help_text = (
        'def unpack_help():\n    return """\n'
        "Search the contents of files that are compressed. Files are unpacked with the\n"
        "program that the user chose for them. A file that is not compressed is opened\n"
        'and searched as it is. Decide for each of the files which program unpacks it.\n"""\n'
    )
    steps = {f"{n}.py": f"def step_{n}(parcel):\n    return weigh({n})\n" for n in range(6)}
    found = context_of({"flags.py": help_text, **steps}).snapshot
    query = Query("unpack help compressed files program", mode="lexical")

    def word(text: str) -> str | None:
        shop = SearchEnvironment("shop", text_of=lambda node: f"{node.path}\n{text}")
        return pipeline.search(found, query, shop).confidence_word

    assert (word(help_text), word("def unpack_help(): 0")) == ("likely", "strong")
