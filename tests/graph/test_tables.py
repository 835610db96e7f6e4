"""Values by name and path, shared between copies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhound.graph.tables import PathsByName

NAMES, PATHS = st.sampled_from("ab"), st.sampled_from("xyz")
STEPS = st.lists(st.tuples(st.sampled_from(["put", "remove", "copy"]), NAMES, PATHS, st.integers()))


@given(STEPS)
def test_copies_are_as_dictionaries(steps: list[tuple[str, str, str, int]]) -> None:
    tables = [(PathsByName[int](), dict[str, dict[str, int]]())]
    for step, name, path, value in steps:
        table, expected = tables[value % len(tables)]
        paths = expected.setdefault(name, {})
        if step == "put":
            table.put(name, path, value)
            paths[path] = value
        elif step == "remove" and path in paths:
            table.remove(name, path)
            del paths[path]
        elif step == "copy":
            tables.append((table.copy(), {each: {**by} for each, by in expected.items()}))
        for table, expected in tables:
            assert {each: dict(table.of(each)) for each in "ab"} == {"a": {}, "b": {}} | expected
