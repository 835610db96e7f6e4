"""What goes into a record comes out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.types import KINDS, Node, Span
from packhound.parsing.captured import move_rows, rows_of
from packhound.parsing.captures import Capture, Captures
from packhound.parsing.node_codec import Record, encode_nodes

numbers = st.integers(0, 2**31 - 1)
runs = st.tuples(numbers, numbers)
nodes = st.builds(
    Node,
    kind=st.sampled_from(KINDS),
    name=st.text(),
    qualname=st.text(),
    span=st.builds(Span, numbers, numbers, numbers, numbers),
    signature=st.text(),
    doc=st.text(st.characters()),
    own_ranges=st.lists(runs, max_size=3).map(tuple),
    parent=st.none() | numbers,
    references=st.lists(st.text(), max_size=3).map(tuple),
)


@given(st.lists(nodes, max_size=4))
def test_there_and_back(given_nodes):
    rows = (*rows_of("import", [(3, 9)]), *rows_of("alias", [(5, 9)]), *rows_of("blank", [(7, 8)]))
    record = Record(encode_nodes(given_nodes, move_rows(rows, 2)))
    captures = Captures(record.captured)
    imported, blank = (list(captures.of(kind)) for kind in ("import", "blank"))
    assert imported == [Capture("import", (5, 11), {"alias": (7, 11)})]
    assert blank == [Capture("blank", (9, 10), {})]
    assert [*captures.runs("import")] == [(5, 11)]
    assert captures.starts("import") == ({5}, {7})
    assert [record.node(i) for i in range(len(record))] == given_nodes
    assert [KINDS[kind] for kind in record.kinds()] == [node.kind for node in given_nodes]
    assert record.names() == [(node.name, node.qualname) for node in given_nodes]


@given(st.lists(nodes, min_size=1, max_size=2), st.data())
def test_what_is_cut_off_is_no_record(given_nodes, data):
    record = encode_nodes(given_nodes)
    with pytest.raises(ValueError):
        Record(record[: data.draw(st.integers(0, len(record) - 1))])
