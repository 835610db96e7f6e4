"""What paths say, by word and by file id."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhound.index.path_table import FLAG, FOLDER, N_STEM_GROUPS, STEM, PathTable
from packhound.text.path_features import FLAGS, path_facts

PARTS = st.sampled_from(["src", "tests", "utils", "http_server", "parseConfig", "Index", "é"])
PATHS = st.builds(
    lambda parts, ending: "/".join(parts) + ending,
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from([".py", ".d.ts", ".md", ""]),
)
LISTS = ("stems", "words", "stem_groups", "folder_words", "folder_stem_groups")


def table_of(paths):
    table = PathTable()
    for path in paths:
        table.add(path)
    return table


def words_of(table, words):
    """Which of `words` each path of the table has, list by list."""
    folder = table.rows(len(table))[:, FOLDER].tolist()
    actual = {path: set() for path in table.paths}
    for name in LISTS:
        for word in words:
            numbers = set(getattr(table, name).of(word).tolist())
            for i, path in enumerate(table.paths):
                if (folder[i] if name.startswith("folder") else i) in numbers:
                    actual[path].add((name, word))
    return actual


@given(st.lists(PATHS, min_size=1, max_size=12, unique=True), st.data())
def test_a_table_is_saved_without_the_paths_that_are_not_kept(paths, data):
    table = table_of(paths)
    saved = np.array(data.draw(st.lists(st.booleans(), min_size=len(paths), max_size=len(paths))))
    remaining = [path if keep else "" for path, keep in zip(paths, saved, strict=True)]
    back = PathTable.from_bytes(table.to_bytes(saved), remaining)
    output = [path for path in remaining if path]
    fresh = table_of(output)
    facts = [path_facts(path) for path in paths]
    words = {"src", "test", "http", "server"}.union(
        *(f.words | f.stem_groups | {f.stem} for f in facts)
    )
    expected = words_of(back, words)
    assert {path: has for path, has in expected.items() if path} == words_of(fresh, words)
    rows = back.rows(len(back))
    same_stem = rows[saved, STEM][:, None] == rows[saved, STEM]
    stems = [path_facts(path).stem for path in output]
    assert same_stem.tolist() == [[a == b for b in stems] for a in stems]
    assert rows[saved][:, [N_STEM_GROUPS, FLAG]].tolist() == (
        fresh.rows(len(fresh))[:, [N_STEM_GROUPS, FLAG]].tolist()
    )
    for path in ("src/later.py", "tests/utils.py"):
        assert back.add(path) == len(back.paths) - 1
        assert len(back.paths) - 1 in back.words.of(next(iter(path_facts(path).words)))


def test_words_of_paths_that_are_not_kept_are_not_saved():
    table = table_of(["secretfolder/secretname.py", "src/a.py"])
    assert b"secret" not in table.to_bytes(np.array([False, True]))


def test_what_a_path_says():
    facts = path_facts("packages/core/tests/http_utils.spec.ts")
    flags = dict(zip(FLAGS, facts.flags, strict=True))
    assert facts.stem == "httputils" and facts.depth == 3
    assert flags["is_test"] and flags["is_grab_bag"] and not flags["is_prose"]
    assert "http" in facts.stem_groups and "httputil" not in facts.stem_groups
