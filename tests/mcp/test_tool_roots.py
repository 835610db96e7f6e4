"""Several roots of one server: answers say whose they are, and settings reach the tools."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import closing

import pytest

from packhound.core.errors import RootError, SettingsError
from packhound.core.settings_files import Overrides
from packhound.llm import counter_for
from packhound.mcp.folders import Folders
from tests.support.agent import Agent, kill_engine
from tests.support.git_repository import bare_repository, git
from tests.support.operations import as_text

OVERRIDES = Overrides.of_command_line({"index.persist": False, "search.limit": 1})


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    base = tmp_path_factory.mktemp("roots")
    for name, function in (("kitchen", "boil_water"), ("garden", "pour_water")):
        (base / name).mkdir()
        source = "def {}(jug):\n    return jug\n\n\n"
        text = source.format(function) + source.format(f"{function}_again")
        (base / name / f"{name}.py").write_text(text)
    return [base / "kitchen", base / "garden"]


@pytest.fixture(scope="module")
def folders(roots):
    with closing(Folders(roots, OVERRIDES)) as served:
        yield served


def test_hits_name_their_root(folders, roots):
    answer = folders.call("search", {"query": "water", "limit": 5})
    owners = {hit["path"]: hit["root"] for hit in answer["hits"]}
    assert owners == {f"{root.name}.py": str(root) for root in roots}
    text = as_text("search", answer)
    assert "garden/garden.py:1-2 function pour_water" in text
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2, 3, 4]


def test_other_answers_name_their_root(folders, roots):
    location = {"path": "garden.py", "line": 1}
    for tool in ("read_node", "related"):
        answer = folders.call(tool, location)
        assert answer["root"] == str(roots[1])
        assert as_text(tool, answer)
    node = folders.call("read_node", location)
    assert as_text("read_node", node).splitlines()[0] == "garden/garden.py:1-2 function pour_water"
    outline = as_text("outline", folders.call("outline", {}))
    assert "kitchen/kitchen.py\n" in outline and "garden/garden.py\n" in outline
    assert [status["root"] for status in folders.call("status", {})["roots"]] == [
        str(root) for root in roots
    ]


@pytest.mark.parametrize(
    "spelling", ["garden", "Garden/", "{}", "{}/", "{}/../garden", "file://{}", "{}/garden.py"]
)
def test_a_root_is_its_path_or_its_name(folders, roots, spelling):
    root = spelling.format(roots[1])
    answer = folders.call("search", {"query": "water", "limit": 5, "root": root})
    assert {(hit["path"], hit["root"]) for hit in answer["hits"]} == {("garden.py", str(roots[1]))}


def test_an_unknown_root_is_named_with_the_known_ones(folders, roots):
    expected = f"unknown root 'cellar'; expected one of: kitchen ({roots[0]}), garden ({roots[1]})"
    with pytest.raises(SettingsError, match=re.escape(expected)):
        folders.call("status", {"root": "cellar"})
    with pytest.raises(SettingsError, match="unknown root '\ufffd'; expected one of"):
        folders.call("status", {"root": "\ud800"})


def test_the_setting_limits_calls_that_state_no_limit(folders, roots):
    answer = folders.call("search", {"query": "water", "root": "garden"})
    assert len(answer["hits"]) == 1
    assert len(folders.call("search", {"query": "water"})["hits"]) == 1


def test_the_pages_of_all_roots_join_without_gap_or_repeat(folders):
    whole = folders.call("search", {"query": "water", "limit": 4})
    pages, offset = [], 0
    while offset != -1:
        page = folders.call("search", {"query": "water", "limit": 1, "offset": offset})
        pages += page["hits"]
        offset = page["next_offset"]
    names = [(hit["rank"], hit["root"], hit["name"]) for hit in pages]
    assert names == [(hit["rank"], hit["root"], hit["name"]) for hit in whole["hits"]]
    assert len(names) == 4


@pytest.mark.parametrize("context", [0, 1])
def test_the_pages_of_a_ranked_grep_are_those_of_one_list(folders, context):
    request = {"pattern": "def|return", "query": "pour the water again", "context": context}
    whole = folders.call("grep", request)
    names = [group["name"] for group in whole["groups"]]
    assert names[0] == "pour_water_again" and len(names) == 4
    scores = [group["score"] for group in whole["groups"]]
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[-1]
    assert {group["label"] for group in whole["groups"]} == {"kitchen", "garden"}
    rows, offset = [], 0
    while offset != -1:
        page = folders.call("grep", {**request, "limit": 3, "offset": offset})
        rows += [(g["name"], x["line"]) for g in page["groups"] for x in g["lines"] if x["match"]]
        offset = page["next_offset"]
        assert page["total_lines"] == 8
    assert rows == [
        (g["name"], x["line"]) for g in whole["groups"] for x in g["lines"] if x["match"]
    ]


def test_the_outlines_of_all_roots_are_paged_as_one(folders):
    pages, offset = [], 0
    while offset != -1:
        page = folders.call("outline", {"limit": 3, "offset": offset})
        pages += [(node["label"], node["name"]) for node in page["nodes"]]
        offset = page["next_offset"]
    assert pages == [
        *(("kitchen", "boil_water"), ("kitchen", "boil_water_again")),
        *(("garden", "pour_water"), ("garden", "pour_water_again")),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "garden/garden.py:1",
        "{}/garden.py:1-2",
        "garden.py#pour_water",
        "garden/garden.py#pour_water",
    ],
)
def test_a_place_is_found_in_its_root_as_it_is_printed(folders, roots, written):
    answer = folders.call("read_node", {"path": written.format(roots[1])})
    assert (answer["label"], answer["name"]) == ("garden", "pour_water")


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """Two folders with a file of one name; one has a folder that is called as the other is."""
    base = tmp_path_factory.mktemp("twins")
    for path in ("one/a.py", "two/a.py", "one/nested/a.py", "two/one/b.py", "one/src/c.py"):
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        name = path.replace("/", "_").partition(".")[0]
        (base / path).write_text(f"def water_{name}():\n    return 1\n")
    with closing(Folders([base / "one", base / "two", base / "one/nested"], OVERRIDES)) as served:
        yield base, served


def paths_in(rows):
    return sorted(f"{row['label']}/{row['path']}" for row in rows)


EVERYWHERE = ["nested/a.py", "one/a.py", "one/src/c.py", "two/a.py", "two/one/b.py"]
GLOBS = [
    ("two/**", ["two/a.py", "two/one/b.py"]),
    ("./two/a.py", ["two/a.py"]),
    ("{}/two/*.py", ["two/a.py"]),
    ("one/**", ["one/a.py", "one/src/c.py", "two/one/b.py"]),
    ("nested/**", ["nested/a.py"]),
    ("one/nested/a.py", ["nested/a.py"]),
    ("one", ["one/a.py", "one/src/c.py", "two/one/b.py"]),
    ("src/**", ["one/src/c.py"]),
    ("**/a.py", ["nested/a.py", "one/a.py", "two/a.py"]),
    ("three/**", []),
]


@pytest.mark.parametrize(("glob", "expected"), GLOBS)
def test_globs_begin_with_the_name_of_their_root(twins, glob, expected):
    base, served = twins
    glob, others = glob.format(base), [path for path in EVERYWHERE if path not in expected]
    grep = {"pattern": "def ", "limit": 50}
    for found, rows in (
        (expected, served.call("grep", {**grep, "paths": [glob]})["groups"]),
        (others, served.call("grep", {**grep, "exclude": [glob]})["groups"]),
        (expected, served.call("search", {"query": f"water path:{glob}", "limit": 9})["hits"]),
        (others, served.call("search", {"query": f"water -path:{glob}", "limit": 9})["hits"]),
        (others, served.call("pack", {"prompt": "water", "exclude": [glob]})["items"]),
    ):
        assert paths_in(rows) == found


def test_a_note_names_no_filter_that_nobody_wrote(twins):
    answer = twins[1].call("search", {"query": "water -path:*.py", "limit": 9})
    said = [note for note in answer["notes"] if "-path:" in note]
    assert said and all(": without -path:*.py there are " in note for note in said)
    answer = twins[1].call("search", {"query": "water path:three/**", "limit": 9})
    assert not [note for note in answer["notes"] if "-path:" in note]


@pytest.mark.parametrize("reference", ["two/a.py", "two/a.py:1", "{}/two/a.py"])
def test_a_path_of_one_root_is_no_file_of_another(twins, reference):
    query = reference.format(twins[0])
    answer = twins[1].call("search", {"query": query, "limit": 9})
    assert (answer["query"], answer["confidence_word"]) == (query, "exact")
    assert paths_in(answer["hits"])[0] == "two/a.py"
    assert not {"one/a.py", "nested/a.py"} & {*paths_in(answer["hits"])}


@pytest.fixture(scope="module")
def alike(tmp_path_factory):
    base = tmp_path_factory.mktemp("alike")
    for name in ("one", "two"):
        for file in ("a", "b"):
            (base / name).mkdir(exist_ok=True)
            (base / name / f"{file}.py").write_text("def parse(text):\n    return text * 2\n")
    with closing(Folders([base / "one", base / "two"], OVERRIDES)) as served:
        yield base, served


@pytest.mark.parametrize("path", ["one/a.py", "one/b.py", "two/a.py", "two/b.py"])
@pytest.mark.parametrize(
    "query",
    [
        "why does {0} parse twice",
        "does the text of `{0}:1` parse twice?",
        "text is parsed twice in {1}/{0}.",
    ],
)
def test_a_path_of_one_root_within_a_question_is_of_that_root(alike, query, path):
    query = query.format(path, alike[0])
    answer = alike[1].call("search", {"query": query, "limit": 9})
    assert answer["query"] == query
    assert paths_in(answer["hits"][:1]) == [path]


def test_a_pin_is_of_the_root_whose_name_it_has(twins):
    def pinned(*pins, **fields):
        answer = twins[1].call("pack", {"prompt": "water", "pinned": [*pins], **fields})
        unknown = [note for note in answer["notes"] if "is no indexed file" in note]
        return paths_in(i for i in answer["items"] if i["reason"].startswith("pinned")), unknown

    assert pinned("two/a.py:1-2") == (["two/a.py"], [])
    assert pinned("a.py") == (["nested/a.py", "one/a.py", "two/a.py"], [])
    lost = "pinned 'two/c.py' is no indexed file, so it is ignored"
    assert pinned("two/c.py", "one/src/c.py") == (["one/src/c.py"], [lost])
    assert pinned("two/c.py", root="one") == ([], [lost])


def test_notes_on_records_are_of_all_roots_or_name_theirs(tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("def water():\n    return 1\n")
    for name in ("one", "two"):
        (tmp_path / name / "AGENTS.md").write_text(f"# {name}\n\nGiraffes of {name}.\n")
    (tmp_path / "two/MEMORY.md").write_text("# Zoo\n\nElephants.\n")
    folders = [tmp_path / name for name in ("one", "two", "three")]
    asked = {"types": ["knowledge"], "mode": "lexical", "limit": 5}
    with closing(Folders(folders, OVERRIDES)) as served:
        found = served.call("search", {**asked, "query": "giraffes"})
        nothing = served.call("search", {**asked, "query": "zebras"})
        filtered = served.call("search", {"query": "water path:a.py kind:class", "limit": 5})
    assert paths_in(found["hits"]) == ["one/AGENTS.md", "two/AGENTS.md"]
    assert not [note for note in found["notes"] if "nothing of" in note]
    assert [note for note in nothing["notes"] if "nothing of" in note] == [
        "one: nothing of type:knowledge matches, among 1 record",
        "two: nothing of type:knowledge matches, among 2 records",
    ]
    assert "one, two, three: without kind:class there are 1" in filtered["notes"]


def test_one_root_is_not_named(roots):
    with closing(Folders(roots[:1], OVERRIDES)) as served:
        answer = served.call("search", {"query": "water"})
    assert "root" not in answer["hits"][0]


def test_a_pack_is_of_all_roots_within_one_budget(folders, roots):
    arguments = {"prompt": "pour and boil water", "budget": 300, "pinned": ["cellar.py"]}
    answer = folders.call("pack", arguments)
    assert {item["root"] for item in answer["items"]} == {str(root) for root in roots}
    assert {item["label"] for item in answer["items"]} == {"kitchen", "garden"}
    text = as_text("pack", answer, arguments)
    assert all(f"root: {root}\n" in text for root in roots)
    assert counter_for().count(text) <= 300
    assert "pinned 'cellar.py' is no indexed file, so it is ignored" in text
    assert "pinned 'garden.py'" not in as_text(
        "pack", folders.call("pack", {**arguments, "pinned": ["garden.py"]})
    )


def test_the_focus_of_a_pack_is_in_one_of_the_roots(folders):
    for focus in ("garden.py:1", "garden/garden.py:1"):
        answer = folders.call("pack", {"prompt": "water", "budget": 400, "focus_path": focus})
        at_cursor = {i["label"] for i in answer["items"] if "at the cursor" in i["reason"]}
        assert at_cursor == {"garden"}
    nowhere = folders.call("pack", {"prompt": "water", "focus_path": "cellar.py"})
    assert any("packed without focus: 'cellar.py'" in note for note in nowhere["notes"])


@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
def test_every_format_names_the_roots(folders, roots, form):
    answer = folders.call("pack", {"prompt": "pour and boil water", "budget": 400, "format": form})
    text = as_text("pack", answer)
    if form == "json":
        assert {file["root"] for file in json.loads(text)["files"]} == {str(r) for r in roots}
    else:
        assert all(f"root: {root}\n" in text for root in roots)


def test_a_place_that_is_in_two_roots_is_said_to_be(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.py").write_text(f"def of_{name}(): pass\n")
    with closing(Folders([tmp_path / "one", tmp_path / "two"], OVERRIDES)) as served:
        answer = served.call("read_node", {"path": "same.py:1"})
        assert answer["name"] == "of_one"
        note = "there is such a place in two too; begin the path with its name"
        assert f"note: {note}" in as_text("read_node", answer)
        assert served.call("read_node", {"path": "two/same.py:1"})["name"] == "of_two"


@pytest.mark.skipif(os.name == "nt" or not shutil.which("git"), reason="signals, git")
def test_an_agent_has_symbols_lines_and_changes_of_all_roots(tmp_path):
    folders = []
    for name in ("kitchen", "garden"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "jug.py").write_text(f"def fill_{name}(jug):\n    return jug\n")
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "one")
        (folder / "jug.py").write_text(f"def fill_{name}(jug):\n    return jug, 1\n")
        (folder / "notes.txt").write_text("new\n")
        folders.append(folder)
    agent = Agent(tmp_path / "cache", *folders)
    try:
        symbol = agent.tool("symbol", name="fill_garden")
        assert symbol.startswith("garden/jug.py:1-2 function fill_garden")
        lines = agent.tool("grep", pattern="return jug").splitlines()
        assert "2 lines match in 2 files" in lines[0]
        assert [line for line in lines if "function" in line] == [
            "kitchen/jug.py:1-2 function fill_kitchen",
            "garden/jug.py:1-2 function fill_garden",
        ]
        related = agent.tool("related", path="garden/jug.py:1")
        assert "kitchen/" not in related
        changes = agent.tool("changes").splitlines()
        for name in ("kitchen", "garden"):
            assert f"  {name}/jug.py:1-2 function fill_{name} (line 2)" in changes
            assert f"  {name}/notes.txt" in changes
    finally:
        agent.close()
        kill_engine(tmp_path / "cache")


def test_notes_are_written_in_one_root_and_recalled_from_all(roots, tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))
    tools = ["default", "memory", "skills"]
    overrides = Overrides.of_command_line({"index.persist": False, "mcp.tools": tools})
    with closing(Folders(roots, overrides)) as folders:
        note = {"key": "can", "content": "The can pours water."}
        for tool, arguments in (("remember", note), ("record_skill", {"name": "water"})):
            with pytest.raises(SettingsError, match="'root' is needed to write; expected one of"):
                folders.call(tool, arguments)
        written = folders.call("remember", {**note, "code": ["garden/garden.py#pour_water"]})
        assert as_text("remember", written).splitlines()[1] == "on garden/garden.py#pour_water"
        folders.call("remember", {"key": "kettle", "content": "It boils.", "root": "kitchen"})
        recalled = folders.call("recall", {"key": "can"})
        assert (recalled["match_type"], len(recalled["results"])) == ("exact", 1)
        text = as_text("recall", recalled)
        assert ", garden)" in text and "on garden/garden.py#pour_water" in text
        near = folders.call("recall", {"key": "what has water", "limit": 2})
        assert {row["label"] for row in near["results"]} == {"kitchen", "garden"}
        assert folders.call("forget", {"id": written["id"]}) == {"status": "deleted"}
        assert folders.call("skills", {"query": "pour"})["hits"] == []


def test_a_root_inside_of_another_is_answered_once(roots):
    base = roots[0].parent
    with closing(Folders([base, roots[1]], OVERRIDES)) as folders:
        hits = folders.call("search", {"query": "water", "limit": 9})["hits"]
        grep = folders.call("grep", {"pattern": "return"})
        pack = folders.call("pack", {"prompt": "pour and boil water"})
    owners = {(hit["name"], hit["root"]) for hit in hits}
    names = ("boil_water", "boil_water_again", "pour_water", "pour_water_again")
    expected = {(name, str(base if "boil" in name else roots[1])) for name in names}
    assert owners == expected and len(hits) == 4
    assert (grep["total_lines"], grep["total_files"]) == (4, 2)
    packed = {(item["path"], item["root"]) for item in pack["items"]}
    assert packed == {("kitchen/kitchen.py", str(base)), ("garden.py", str(roots[1]))}


@pytest.fixture(scope="module")
def namesakes(tmp_path_factory):
    """A root with a folder of its name, as many projects have, and another root."""
    base = tmp_path_factory.mktemp("namesakes")
    for root in ("shop", "mill"):
        (base / root / root).mkdir(parents=True)
        (base / root / root / f"{root}.py").write_text(f"def open_{root}(key):\n    return key\n")
    with closing(Folders([base / "shop", base / "mill"], OVERRIDES)) as served:
        yield served


@pytest.mark.parametrize(
    "written", ["shop/shop.py:1", "shop/shop/shop.py#open_shop", "shop/shop.py"]
)
@pytest.mark.parametrize("root", [{}, {"root": "shop"}])
def test_a_folder_may_have_the_name_of_its_root(namesakes, written, root):
    answer = namesakes.call("read_node", {"path": written, **root})
    assert (answer["label"], answer["path"]) == ("shop", "shop/shop.py")
    outline = namesakes.call("outline", {"path": written, **root})
    assert [node["name"] for node in outline["nodes"]] == ["open_shop"]


def test_what_one_root_lacks_is_no_note_where_another_has_it(namesakes):
    for focus in ("shop/shop.py:1", "shop/shop/shop.py"):
        request = {"query": "open_shop", "focus_path": focus, "languages": ["python"]}
        assert namesakes.call("search", request)["notes"] == []
    missing = namesakes.call("search", {"query": "open_shop", "focus_path": "cellar.py"})["notes"]
    assert len(missing) == 1
    assert missing[0].startswith("searched without focus: 'cellar.py' is not an indexed file")
    nowhere = namesakes.call("search", {"query": "open_shop", "paths": ["cellar/"]})["notes"]
    assert "nothing matches" in nowhere
    last = namesakes.call("search", {"query": "open_shop", "offset": 900})
    assert as_text("search", last).splitlines()[0] == "no more hits"


def test_a_status_without_room_says_the_state_of_each_root(namesakes):
    text = as_text("status", namesakes.call("status", {}), {"max_tokens": 100})
    assert counter_for().count(text) <= 100
    assert re.search(r"^/\S*/shop: \w+, \d+ pending, 1 files, ", text, re.M)
    assert text.endswith("over max_tokens of 100: ask for more tokens")
    status = namesakes.call("status", {"root": "mill"})
    assert status["files"] == 1 and "1 files, " in as_text("status", status, {"max_tokens": 100})


def test_an_agent_is_served_the_files_of_a_bare_repository(tmp_path):
    bare = bare_repository(tmp_path)
    with closing(Folders([bare], OVERRIDES)) as served:
        found = served.call("search", {"query": "boil_water"})
        assert as_text("search", found).splitlines()[1].startswith("kitchen.py:1-2")
        read = served.call("read_node", {"path": "kitchen.py#boil_water"})
        assert read["text"] == "def boil_water(jug):\n    return jug"
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    with pytest.raises(RootError, match="has no commit at HEAD"):
        Folders([tmp_path / "empty.git"], OVERRIDES)
