"""What the names in a file say of it."""

from __future__ import annotations

import pytest

from packhound.core.types import Query
from packhound.search.pipeline import parse, retrieve_context
from packhound.search.query.encode import QueryVectors
from packhound.search.signals.name import neighbours_in_name
from tests.support.shop import environment, snapshot


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("how the stock levels are kept", {"core/stock_level.rs"}),
        ("policy for retrying", set()),
        ("creation of servers", {"web/src/server.ts"}),
        ("the total of the prices", {"web/src/basket.ts"}),
        ("StockLevel", set()),
        ("", set()),
    ],
)
def test_neighbours_in_a_query_that_are_neighbours_in_a_name(text: str, files: set[str]) -> None:
    query, words_only = Query(text), QueryVectors()
    parsed = parse(snapshot(), query, environment())
    context = retrieve_context(snapshot(), query, parsed, words_only, environment())
    marks = zip(context.candidates.entries, neighbours_in_name(context).tolist(), strict=True)
    assert {entry.path for entry, mark in marks if mark} == files
