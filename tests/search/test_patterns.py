"""Patterns with holes in a search and in grep: they filter, words rank, holes are facets."""

from __future__ import annotations

import threading

import pytest

from packhound.core.errors import Cancelled, SettingsError
from packhound.core.settings import Settings
from packhound.core.status import Reading
from packhound.core.types import Budget, Document, Focus, Query, Results
from packhound.grep import Grep, GrepRequest, NotLookedAt
from packhound.operations import Call, answer, as_text
from packhound.search import so_far
from packhound.service import Roots
from packhound.service.engine import Engine
from tests.support.project import cache, engine, root, write_files

__all__ = ["cache", "engine", "root"]

FILES = {
    "store.py": '''def read_row(path, key):
    """Read one row."""
    if key is None:
        raise StoreError(path)
    return rows[key]


def retry_with_backoff(call):
    """Call again, with a longer pause each time."""
    for pause in (1, 2, 4):
        sleep(pause)
    raise StoreError("gave up")


def parse_number(text):
    raise ValueError(text)
''',
    "send.js": 'function sendMail(order) {\n  throw new TypeError("order");\n}\n',
}


def ask(text: str, **fields: object) -> Query:
    """Return a query with time enough for a busy machine."""
    return Query(text, budget=Budget(60_000), **fields)  # type: ignore[arg-type]


@pytest.fixture
def stored(engine: Engine) -> Engine:
    write_files(engine.root, FILES)
    engine.refresh()
    assert engine.settled(30)
    return engine


def places(results: Results) -> dict[str, list[int]]:
    return {hit.node.name: [line + 1 for line, _ in hit.matches] for hit in results.hits}


def test_a_pattern_alone_lists_what_matches(stored: Engine) -> None:
    results = stored.search(ask("raise $E($$$)"))
    assert places(results) == {"read_row": [4], "retry_with_backoff": [12], "parse_number": [16]}
    assert results.hits[0].explanation().reasons[0] == "1 line matches: 4"
    assert results.hits[0].explanation().line == "raise StoreError(path)"
    assert not results.notes


def test_words_rank_what_the_pattern_lets_through(stored: Engine) -> None:
    results = stored.search(ask("retry with backoff  raise $E($$$)", deep=False))
    assert results.hits[0].node.name == "retry_with_backoff"
    assert "sendMail" not in places(results)
    assert all(places(results).values())


def test_holes_are_facets_that_narrow(stored: Engine) -> None:
    results = stored.search(ask("raise $E($$$)"))
    (facet,) = results.facets
    assert (facet.name, facet.values, facet.n_values) == (
        "E",
        (("StoreError", 2), ("ValueError", 1)),
        2,
    )
    narrowed = stored.search(ask("raise $E($$$)", facets=("E=ValueError",)))
    assert places(narrowed) == {"parse_number": [16]}


@pytest.mark.parametrize(
    "query",
    [
        ask("pattern: throw new $E($M)"),
        ask("", pattern="throw new $E($M)"),
        ask("throw new $E($M) lang:javascript"),
        ask("throw new $E($M)", languages=("javascript",)),
    ],
)
def test_a_pattern_can_be_said_in_several_ways(stored: Engine, query: Query) -> None:
    assert places(stored.search(query)) == {"sendMail": [2]}


def test_filters_count_beside_a_pattern(stored: Engine) -> None:
    assert not stored.search(ask("raise $E($$$) path:web/**")).hits
    assert places(stored.search(ask("raise $E($$$) -path:web/**")))


def test_unsaved_text_counts(stored: Engine) -> None:
    stored.update(Document("store.py", b"def unsaved():\n    raise KeyError(1)\n"))
    assert places(stored.search(ask("raise $E($$$)"))) == {"unsaved": [2]}


def test_what_does_not_parse_says_where_and_is_searched_as_words(stored: Engine) -> None:
    results = stored.search(ask("pattern: raise $E($$$"))
    assert (
        "'raise $E($$$' was taken for a pattern in python, and does not parse at its end: it is"
        " searched as words" in results.notes
    )


def test_the_operator_before_what_does_not_parse_is_no_word(stored: Engine) -> None:
    results = stored.search(ask("lang:python pattern: key int $F($$$ { $$$ }"))
    assert [note for note in results.notes if "taken for a pattern in python" in note]
    # With the operator it was a weak answer: one of four words.
    assert not [note for note in results.notes if "words of the query" in note]


def test_a_lone_variable_is_a_word(stored: Engine) -> None:
    results = stored.search(ask("$HOME"))
    assert not [note for note in results.notes if "pattern" in note]


def test_what_was_not_looked_at_is_said(stored: Engine) -> None:
    results = stored.search(Query("raise $E($$$)", budget=Budget(0.001)))
    assert results.truncated
    assert [note for note in results.notes if "were not looked at" in note]


def test_a_search_can_be_cancelled(stored: Engine) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        stored.search(ask("raise $E($$$)"), cancel)


def test_grep_finds_the_lines_of_a_pattern(stored: Engine) -> None:
    results = stored.grep(GrepRequest("raise $E($$$)", structural=True))
    lines = [line.number + 1 for group in results.groups for line in group.lines]
    assert (lines, results.n_lines, results.n_files) == ([4, 12, 16], 3, 1)
    ranked = stored.grep(GrepRequest("raise $E($$$)", structural=True, query="parse a number"))
    assert ranked.groups[0].node is not None
    assert ranked.groups[0].node.name == "parse_number"


def test_grep_refuses_what_is_no_pattern(stored: Engine) -> None:
    with pytest.raises(SettingsError, match=r"'\$E' was taken for a pattern .* nothing but a hole"):
        stored.grep(GrepRequest("$E", structural=True))


def test_grep_takes_a_pattern_for_one_in_a_language_of_its_files(stored: Engine) -> None:
    with pytest.raises(SettingsError, match="taken for a pattern in javascript, and does not"):
        stored.grep(GrepRequest("throw new $E($$$", structural=True, paths=("*.js",)))
    with pytest.raises(SettingsError, match="taken for a pattern in python, and does not"):
        stored.grep(GrepRequest("throw new $E($$$", structural=True, exclude=("*.js",)))


def test_agents_match_texts_without_secrets(stored: Engine) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    write_files(stored.root, {"key.py": f'def key():\n    login("{secret}", 1)\n'})
    stored.refresh()
    assert stored.settled(30)
    query = ask("login($KEY, $$$)", redacted=True)
    assert secret not in str(stored.search(query).facets)
    assert secret in str(stored.search(ask(query.text)).facets)


def test_the_text_of_an_answer_has_the_lines_and_what_the_holes_are(stored: Engine) -> None:
    call = Call(Roots([stored]), Settings())
    text = as_text("search", answer(call, "search", {"query": "raise $E($$$)", "time_ms": 60_000}))
    assert "$E: StoreError 2, ValueError 1" in text.splitlines()
    assert '12\traise StoreError("gave up")' in text.splitlines()


@pytest.mark.parametrize(
    ("query", "relaxed", "opened"),
    [
        ('raise StoreError("lost")', "raise StoreError($_)", '"lost"'),
        ("raise RowError($MESSAGE)", "raise $_($MESSAGE)", "RowError"),
    ],
)
def test_an_empty_answer_opens_one_hole(
    stored: Engine, query: str, relaxed: str, opened: str
) -> None:
    results = stored.search(ask("", pattern=query))
    assert places(results)
    assert results.notes == (
        f"nothing has the shape '{query}' (python): these have '{relaxed}', any code in the place"
        f" of {opened}",
    )


def test_a_pattern_keeps_a_word(stored: Engine) -> None:
    results = stored.search(ask("", pattern="nowhere($$$)"))
    assert not results.hits
    assert (
        results.notes[0] == "nothing has the shape 'nowhere($$$)' (python, typescript, javascript)"
    )


def test_nothing_is_said_of_the_shape_of_what_is_not_read_yet(stored: Engine) -> None:
    answer = so_far(stored.search(ask("", pattern="nowhere($$$)")), Reading(1, 3, True))
    assert answer.notes[0].startswith("nothing read so far has the shape 'nowhere($$$)'")


def test_a_shape_that_is_nowhere_is_said_so(stored: Engine) -> None:
    results = stored.search(ask("while $A: $B = nowhere($C)"))
    assert not results.hits
    assert results.notes[0].startswith(
        "nothing has the shape 'while $A: $B = nowhere($C)' (python)"
    )


SHAPED = {
    "shop.py": """def order(cart):
    try:
        cart.check("stock")
    except StockError:
        raise OrderError("no stock")
    else:
        cart.pay(3)


def refund(receipt):
    if not receipt.is_paid:  # Nothing to pay back.
        raise OrderError(receipt)
    receipt.pay_back(3, "card")


def cancel(booking):
    if not booking.is_open:
        raise OrderError(booking)
    booking.refund("half")
""",
    "notes.md": "# Errors\n\nAn order (as_said_in_docs) is no _ cart.\n",
}


@pytest.fixture
def shop(engine: Engine) -> Engine:
    write_files(engine.root, SHAPED)
    engine.refresh()
    assert engine.settled(30)
    return engine


@pytest.mark.parametrize(
    ("like", "matches", "note"),
    [
        (
            'raise OrderError("gone")',
            {"order": [5], "refund": [12], "cancel": [18]},
            "these have the shape 'raise OrderError($LITERAL)', with holes for literals",
        ),
        (
            "    if not booking.is_open:\n        raise OrderError(booking)\n",
            {"refund": [11], "cancel": [17]},
            "these have the shape 'if not $BOOKING.$IS_OPEN: raise OrderError($BOOKING)',"
            " with holes for names; no other code has the shape"
            " 'if not booking.is_open: raise OrderError(booking)'",
        ),
        (
            "# Only once.\nif not booking.is_open:\n    # Why not?\n    raise OrderError(booking)",
            {"refund": [11], "cancel": [17]},
            "these have the shape 'if not $BOOKING.$IS_OPEN: raise OrderError($BOOKING)',"
            " with holes for names; no other code has the shape"
            " 'if not booking.is_open: raise OrderError(booking)'",
        ),
        (
            'booking.refund("half")',
            {"cancel": [19]},
            "no other code has the shape '$BOOKING.refund($$$)',"
            " with holes for literals, names and arguments",
        ),
        (
            # From the middle of its first line on.
            "def refund(receipt):\n    if not receipt.is_paid:  # Nothing to pay back.\n"
            '        raise OrderError(receipt)\n    receipt.pay_back(3, "card")',
            {"refund": [10], "cancel": [16]},
            "these have the shape"
            " 'def $REFUND($RECEIPT): if not $RECEIPT.$IS_PAID: raise $CALL $CALL2',"
            " with holes for literals, names, arguments and calls; no other code has the shape"
            " 'def refund(receipt): if not receipt.is_paid: raise OrderError(receipt)"
            " receipt.pay_back($LITERAL, $LITERAL2)'",
        ),
        (
            'try:\n        cart.check("stock")\n    except StockError:\n'
            '        raise OrderError("no stock")\n    else:\n        cart.pay(3)',
            {"order": [2]},
            "no other code has the shape"
            " 'try: $CALL except $STOCKERROR: raise $CALL2 else: $CALL3',"
            " with holes for literals, names, arguments and calls",
        ),
    ],
)
def test_code_is_found_that_is_like_other_code(
    shop: Engine, like: str, matches: dict[str, list[int]], note: str
) -> None:
    results = shop.search(ask("", like=like))
    assert places(results) == matches
    assert results.notes == (note,)


def test_words_rank_what_is_like_code_and_its_holes_are_facets(shop: Engine) -> None:
    results = shop.search(ask("cancel a booking", like="raise OrderError(cart)", deep=False))
    assert results.hits[0].node.name == "cancel"
    (facet,) = results.facets
    assert facet.name == "CART"
    assert facet.values == (('"no stock"', 1), ("receipt", 1), ("booking", 1))
    narrowed = shop.search(ask("", like="raise OrderError(cart)", facets=("CART=receipt",)))
    assert places(narrowed) == {"refund": [12]}


@pytest.mark.parametrize(
    ("like", "reason"),
    [
        ("raise OrderError(", "does not parse"),
        ("cart.pay(3)\ncart.check(1)", "is more than one statement"),
    ],
)
def test_code_to_be_like_is_one_whole_part(shop: Engine, like: str, reason: str) -> None:
    results = shop.search(ask("", like=like))
    assert not results.hits
    (note,) = results.notes
    assert reason in note
    assert note.startswith("select one whole expression, statement or definition: ")


def test_code_is_of_the_language_of_the_file_that_it_is_in(stored: Engine) -> None:
    write_files(stored.root, {"send.py": 'notify(order, "sent")\n'})
    write_files(stored.root, {"send.js": 'notify(mail, "sent");\n'})
    stored.refresh()
    assert stored.settled(30)
    focus = Focus("send.py", 0, str(stored.root))
    assert {hit.node.path for hit in stored.search(ask("", like="notify(a, 1)")).hits} == {
        "send.py",
        "send.js",
    }
    near = stored.search(ask("", like="notify(a, 1)", focus=focus))
    assert {hit.node.path for hit in near.hits} == {"send.py"}


def test_prose_has_no_shape_of_code(shop: Engine) -> None:
    results = shop.search(ask("", pattern="shop($ARGUMENT)"))
    assert not results.hits


def test_like_code_nothing_is_said_of_what_was_not_looked_at(shop: Engine) -> None:
    results = shop.search(Query("", like="raise OrderError(cart)", budget=Budget(0.001)))
    assert results.truncated
    assert "were not looked at" in results.notes[0]
    assert not [note for note in results.notes if "shape" in note]


def test_patterns_that_were_looked_for_in_time_are_named(
    shop: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = NotLookedAt("2 of 2 files that may match")
    find, notes = Grep.places_by_node, [[], [unread]]
    monkeypatch.setattr(Grep, "places_by_node", lambda *given: (find(*given)[0], notes.pop(0)))
    results = shop.search(ask("", like='booking.refund("half")'))
    assert places(results) == {"cancel": [19]}
    assert results.notes[:2] == (
        "no other code has the shape 'booking.refund($LITERAL)', with holes for literals",
        "2 of 2 files that may match were not looked at: give more time, or narrow by path:",
    )
