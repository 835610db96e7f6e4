"""The text of a search: as much of each hit as its rank and the tokens leave room for."""

from __future__ import annotations

import re

import pytest

from packhound.core.types import Document
from packhound.llm import counter_for
from tests.support.operations import as_text, call

LONG = "".join(f"    weigh_{n} = melon * {n}\n" for n in range(70))
MELONS = {
    "fruit/melons.py": (
        f'def ripen_melon(melon: Melon, days: int) -> bool:\n    """Ripen a melon."""\n\n'
        f"    return days > melon.days\n\n\ndef weigh_melon(melon):\n{LONG}    return melon\n"
    ),
    **{
        f"fruit/melon_{n}.py": (
            f'@of("{n}")\ndef sell_melon(melon: Melon, {n}_price):\n    pay(melon)\n'
            "    pack(melon)\n    send(melon)\n    return melon\n"
        ).replace(f"{n}_price", f"price_{n}: float")
        for n in range(8)
    },
}


@pytest.fixture(scope="module")
def melons(engine):
    for path, text in MELONS.items():
        engine.update(Document(path, text.encode()))
    assert engine.settled(30)
    yield engine
    for path in MELONS:
        engine.release(path)
    assert engine.settled(30)


def search_text(engine, query, **arguments):
    values = {"query": query, "limit": 10, **arguments}
    answer = call(engine, "search", values)
    return answer, as_text("search", answer, values)


def test_where_it_is_sure_the_first_hit_is_whole_the_next_have_lines_and_others_one(melons):
    answer, text = search_text(melons, "ripen_melon")
    first, *others = answer["hits"]
    assert answer["confidence_word"] == "exact"
    assert (first["path"], first["start_line"], first["end_line"]) == ("fruit/melons.py", 1, 4)
    assert [line["line"] for line in first["snippet"]] == [1, 2, 3, 4]
    assert [bool(hit.get("snippet")) for hit in others] == [True] * 2 + [False] * (len(others) - 2)
    of_melons = [hit for hit in others[2:] if hit["name"] == "sell_melon"]
    for hit in of_melons:
        (line,) = (row for row in text.splitlines() if row.startswith(f"{hit['path']}:"))
        assert re.search(r" sell_melon\(melon: Melon, price_\d: float\) @of\(\"\d\"\)$", line)
    assert len(of_melons) >= 3
    assert counter_for().count(text) <= 1_200


def test_where_it_is_unsure_all_hits_have_lines(melons):
    answer, _ = search_text(melons, "money that is asked for vegetables", paths=["fruit/**"])
    assert answer["confidence_word"] not in ("exact", "strong")
    assert all(1 <= len(hit["snippet"]) <= 12 for hit in answer["hits"])


def test_namesakes_have_the_decorators_that_tell_them_apart(melons):
    answer, text = search_text(melons, "sell_melon", max_tokens=400)
    signatures = {hit["signature"] for hit in answer["hits"] if hit["name"] == "sell_melon"}
    assert len(signatures) == 8
    assert all(signature.startswith('@of("') for signature in signatures)
    assert "sell_melon(melon: Melon, price_" in text


def test_snippets_say_how_many_lines_they_skip(melons):
    _, text = search_text(melons, "weigh_melon")
    numbers, skipped = [], 0
    for line in text.split("fruit/melons.py:7-78 ")[1].splitlines()[1:]:
        if number := re.match(r"(\d+)\t", line):
            numbers.append(int(number[1]))
        elif mark := re.fullmatch(r"  \.\.\. (\d+) lines?", line):
            skipped += int(mark[1])
        else:
            break
    assert numbers[0] == 7 and len(numbers) + skipped == 72


def test_hundred_tokens_are_paths(melons):
    answer, text = search_text(melons, "sell_melon", max_tokens=100)
    lines = text.splitlines()
    places = [line for line in lines if re.fullmatch(r"fruit/melon_\d\.py:1-6", line)]
    assert len(places) >= 4
    assert f"note: {len(answer['hits']) - len(places)} more hits did not fit" in text
    assert not re.search(r"^\d+\t", text, re.M)


def test_what_does_not_fit_is_shorter_before_it_is_left_out(melons):
    lengths = []
    for max_tokens in (100, 200, 400, 800, 1_600):
        _, text = search_text(melons, "sell a melon for a price", max_tokens=max_tokens)
        assert counter_for().count(text) <= max_tokens
        lengths.append(sum(bool(re.match(r"\d+\t", line)) for line in text.splitlines()))
        if max_tokens >= 400:
            assert "did not fit" not in text
    assert lengths == sorted(lengths) and lengths[0] == 0 < lengths[-1]


ENOUGH = "enough: all indexed definitions of"


@pytest.mark.parametrize(
    "query", ["ripen_melon", "who calls ripen_melon", "ripen_melon sell_melon"]
)
def test_enough_is_said_where_all_that_the_query_names_is_whole(melons, query):
    _, text = search_text(melons, query, max_tokens=4_000)
    assert f"{ENOUGH} `ripen_melon`" in text.splitlines()[-1]


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("weigh_melon", {}),  # Longer than what is shown whole.
        ("ripen_melon peel_melon", {}),  # Nothing is known of the second.
        ("sell_melon", {"limit": 3}),  # There are more than are on the page.
        ("sell_melon", {"max_tokens": 300}),  # Not all are whole in so few tokens.
        ("ripen_melon", {"max_tokens": 100, "limit": 3, "snippet_lines": 1}),
        ("ripen_melon", {"paths": ["fruit/**"]}),  # Others may be elsewhere.
        ("ripen_melon lang:python", {}),
        ("how is a melon made ripe", {}),  # Names none.
        ("ripen_melon", {"snippet_lines": 0}),
    ],
)
def test_enough_is_not_said_otherwise(melons, query, arguments):
    _, text = search_text(melons, query, **arguments)
    assert "enough" not in text


def test_files_that_are_not_searched_are_said_beside_enough(melons):
    answer, text = search_text(melons, "ripen_melon")
    assert answer["skipped"] == {"credentials by name": 1}
    assert text.splitlines()[-1].endswith("(1 credentials by name): `status --skipped` lists them")


def test_a_call_answers_further_queries_and_says_which_it_cannot(melons):
    places = {"path": "fruit/melons.py#ripen_melon", "also": ["fruit/melon_1.py:2", "gone.py:1"]}
    answer = call(melons, "read_node", places)
    found, missing = answer["also"]
    assert (found["asked"], found["qualname"]) == ("fruit/melon_1.py:2", "sell_melon")
    assert missing["asked"] == "gone.py:1" and "is not an indexed file" in missing["error"]
    text = as_text("read_node", answer, places)
    assert re.findall(r"^== (.*)$", text, re.M) == [places["path"], *places["also"]]
    alone = as_text("read_node", call(melons, "read_node", {"path": places["path"]}))
    assert text.startswith(f"== {places['path']}\n{alone}\n== fruit/melon_1.py:2\n")


@pytest.mark.parametrize(("name", "field"), [("read_node", "path"), ("symbol", "name")])
def test_the_line_of_the_first_place_is_not_that_of_further_ones(melons, name, field):
    further = "fruit/melons.py#ripen_melon"
    places = {field: "fruit/melon_1.py", "line": 2, "also": [further]}
    answer = call(melons, name, places)
    alone = call(melons, name, {field: further})
    assert answer["qualname"] == "sell_melon"
    assert answer["also"] == [{"asked": further, **alone}]


@pytest.mark.parametrize("max_tokens", [200, 700])
def test_answers_of_one_call_share_its_tokens(melons, max_tokens):
    queries = {"query": "sell_melon", "also": ["weigh_melon", "ripen_melon"]}
    answer = call(melons, "search", queries)
    text = as_text("search", answer, {**queries, "max_tokens": max_tokens})
    assert counter_for().count(text) <= max_tokens
    assert len(re.findall(r"^== ", text, re.M)) == 3
    assert "fruit/melons.py:7-78" in text.split("== weigh_melon\n")[1]
    default = counter_for().count(as_text("search", answer, queries))
    assert max_tokens < default <= 3 * 1_200
