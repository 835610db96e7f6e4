"""What the names in a file say of it."""

from __future__ import annotations

import pytest
from shop import snapshot

from packhound.core.types import Query
from packhound.search.query.parse import parse_query
from packhound.search.retrieve.retrieve import measure
from packhound.search.signals.name import neighbours_in_name


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
    view = measure(snapshot(), parse_query(Query(text)), None)
    marks = zip(view.candidates.entries, neighbours_in_name(view).tolist(), strict=True)
    assert {entry.path for entry, found in marks if found} == files
