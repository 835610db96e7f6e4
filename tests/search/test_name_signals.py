"""What the names in a file say of it."""

from __future__ import annotations

import numpy as np
import pytest

from packhound.core.types import Document, NodeRef, Query
from packhound.index.writer import Index
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse as parse_document
from packhound.search.pipeline import parse, retrieve_context, search
from packhound.search.query.encode import QueryVectors
from packhound.search.signals.file import neighbours_in_name
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


IMPLS = {
    "src/join.rs": "/// Waits for a task.\npub struct JoinHandle<T> { raw: T }\n"
    + "".join(
        f"impl<T> Trait{i} for JoinHandle<T> {{ fn f{i}(&self) {{ go(); }} }}\n" for i in range(8)
    ),
    "src/more.rs": "use join;\n"
    + "".join(f"impl Other{i} for JoinHandle<u8> {{}}\n" for i in range(8)),
    "src/task.rs": "\n".join(
        f"pub fn spawn_{i}() -> JoinHandle<u8> {{ JoinHandle::start({i}) }}" for i in range(8)
    ),
}


OVERLOADS = {
    "src/Arrays.java": "class Arrays {\n"
    + "".join(
        f"    static boolean isEmpty({kind}[] array) {{ return getLength(array) == 0; }}\n"
        for kind in ("int", "long", "char", "byte", "short", "float", "double", "Object")
    )
    + "}\n",
    "src/Strings.java": "class Strings {\n    static boolean isEmpty(String text) {\n"
    "        return text == null || text.length() == 0;\n    }\n}\n",
    "src/Form.java": "class Form {\n    void check() { require(!Strings.isEmpty(name)); }\n}\n",
    "src/test/ArraysTest.java": "class ArraysTest {\n    boolean isEmpty(int[] isEmpty) {\n"
    "        return Arrays.isEmpty(isEmpty) || Strings.isEmpty(isEmpty.toString());\n    }\n"
    "    void testIsEmpty() { assertTrue(Arrays.isEmpty(new int[0])); }\n"
    "    void onlyHere() { assertTrue(isEmpty(null)); }\n}\n",
}


def search_in(files: dict[str, str], query: Query) -> list[NodeRef]:
    index = Index(None)
    documents = [Document(path, text.encode()) for path, text in files.items()]
    index.replace([analyse(document, parse_document(document)) for document in documents], {})
    return [hit.node for hit in search(index.publish(), query, environment()).hits]


def test_a_type_comes_before_its_impls_and_they_leave_room_for_its_uses() -> None:
    kinds = [node.kind for node in search_in(IMPLS, Query("JoinHandle"))]
    assert kinds[:2] == ["struct", "impl"]
    assert kinds[:10].count("impl") < 6
    assert search_in(IMPLS, Query("JoinHandle", mode="symbol"))[0].kind == "struct"


def test_overloads_leave_room_for_other_definitions_and_uses() -> None:
    names = [node.qualname for node in search_in(OVERLOADS, Query("isEmpty"))]
    assert set(names[:2]) == {"Arrays.isEmpty", "Strings.isEmpty"}
    assert "Form.check" in names
    assert names.index("Form.check") < 8


def test_a_definition_in_tests_comes_after_those_that_they_test() -> None:
    paths = [node.path for node in search_in(OVERLOADS, Query("isEmpty")) if node.name == "isEmpty"]
    in_tests = ["test" in path for path in paths[:3]]
    assert not any(in_tests[:2])
    assert search_in(OVERLOADS, Query("onlyHere"))[0].name == "onlyHere"
    asked_for = search_in(OVERLOADS, Query("isEmpty", tests="only"))
    assert asked_for[0].name == "isEmpty"


def test_the_name_of_each_definition_finds_it_first() -> None:
    for node_id in np.flatnonzero(snapshot().live).tolist():
        node = snapshot().ref(node_id, "")
        if node.kind not in ("file", "window", "section", "impl") and node.name.isidentifier():
            hit = search(snapshot(), Query(node.name), environment()).hits[0]
            assert hit.node.name == node.name, node
            assert hit.node.kind != "impl", node
