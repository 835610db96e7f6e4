"""`--root` several times, and `packhound show`: real processes over two folders."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.support.git_repository import git
from tests.support.lsp_client import write_files
from tests.support.program import run_program

KITCHEN = "def boil_water(jug):\n    '''Boil the water of a jug.'''\n    return jug\n"
GARDEN = "def pour_water(jug):\n    '''Pour the water of a jug on a bed.'''\n    return jug\n"
QUESTIONS = ("pour water on a bed", "boil the water")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    base = tmp_path_factory.mktemp("roots")
    folders = [
        write_files(base / "kitchen", {"kitchen.py": KITCHEN}),
        write_files(base / "garden", {"garden.py": GARDEN}),
    ]
    roots = [f"--root={folder}" for folder in folders]

    def run_command(*arguments, of=()):
        folders = {f"PACKHOUND_{name}_DIR": str(base / name) for name in ("CACHE", "DATA")}
        return run_program(*arguments, *(of or roots), env=folders)

    run_command.folders = folders
    return run_command


def test_a_search_ranks_the_hits_of_all_roots_from_one(run):
    answer = json.loads(run("search", "water", "--limit", "2", "--json").stdout)
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2]
    assert {hit["root"] for hit in answer["hits"]} == {str(folder) for folder in run.folders}
    text = run("search", "water").stdout
    assert "garden/garden.py:1" in text and "kitchen/kitchen.py:1" in text


def test_a_line_of_a_batch_names_one_root(run, tmp_path):
    (tmp_path / "batch").write_text('{"query": "water", "root": "garden"}\n{"query": "water"}\n')
    one, all_roots = run("search", "--batch", str(tmp_path / "batch")).stdout.splitlines()
    assert {hit["path"] for hit in json.loads(one)["hits"]} == {"garden.py"}
    assert len({hit["path"] for hit in json.loads(all_roots)["hits"]}) == 2


def test_a_pack_is_of_all_roots_within_one_budget(run):
    answer = json.loads(run("pack", "pour and boil water", "-b", "300", "--format=json").stdout)
    assert {item["root"] for item in answer["items"]} == {str(folder) for folder in run.folders}
    assert 0 < answer["tokens"] <= 300


@pytest.mark.parametrize("location", ["garden.py:2", "garden/garden.py:1"])
def test_explain_and_related_take_a_place_of_any_root(run, location):
    explained = json.loads(run("explain", "pour", location, "--json").stdout)
    assert explained["path"] == "garden.py" and explained["name"] == "pour_water"
    related = run("related", location, "--json")
    assert related.returncode == 0, related.stderr
    assert {hit["root"] for hit in json.loads(related.stdout)["hits"]} <= {str(run.folders[1])}
    missing = run("explain", "pour", "shed.py:1")
    assert missing.returncode == 2 and "'shed.py' is not an indexed file" in missing.stderr


def test_status_is_of_all_roots(run):
    answer = json.loads(run("status", "--json").stdout)
    assert [row["root"] for row in answer["roots"]] == [str(folder) for folder in run.folders]
    text = run("status").stdout
    assert all(str(folder) in text.replace("\n", "") for folder in run.folders)


@pytest.mark.parametrize("reference", ["garden.py#pour_water", "garden.py:2", "garden/garden.py:1"])
def test_show_prints_the_code_at_a_reference(run, reference):
    assert run("show", reference).stdout.splitlines() == [
        "garden/garden.py:1-3 function pour_water",
        *(f"{n}\t{line}" for n, line in enumerate(GARDEN.splitlines(), 1)),
    ]
    answer = json.loads(run("show", reference, "--json").stdout)
    assert (answer["ref"], answer["root"]) == ("garden.py#pour_water", str(run.folders[1]))


@pytest.mark.parametrize(
    ("reference", "remedy"),
    [
        ("garden.py#Bed.pour_water", "did you mean 'garden.py#pour_water'?"),
        ("beds/garden.py:1", "did you mean 'garden.py'?"),
        ("garden.py:900", "it has 3 lines"),
        ("cellar.py", "is not an indexed file"),
    ],
)
def test_a_reference_to_nothing_is_an_error_with_its_remedy(run, reference, remedy):
    failure = run("show", reference)
    assert failure.returncode == 2 and remedy in failure.stderr


def test_grep_pages_through_the_lines_of_all_roots(run):
    lines = run("grep", "return").stdout.splitlines()
    assert [line for line in lines if "function" in line] == [
        "kitchen/kitchen.py:1-3 function boil_water",
        "garden/garden.py:1-3 function pour_water",
    ]
    pages = [
        json.loads(run("grep", "jug", "-n2", f"--offset={n}", "--json").stdout) for n in (0, 2, 4)
    ]
    assert [page["next_offset"] for page in pages] == [2, 4, -1]
    assert {page["total_lines"] for page in pages} == {6}
    rows = [
        (group["root"], line["line"])
        for page in pages
        for group in page["groups"]
        for line in group["lines"]
        if line["match"]
    ]
    assert rows == [(str(folder), n) for folder in run.folders for n in (1, 2, 3)]
    assert run("grep", "-c", "jug").stdout.split() == ["kitchen/kitchen.py:3", "garden/garden.py:3"]
    assert run("grep", "no such line").returncode == 1
    assert "let through" not in run("grep", "water", "-g", "garden.py").stderr
    assert "let through" in run("grep", "water", "-g", "shed.py").stderr


def test_grep_ranks_the_definitions_of_all_roots_by_a_question(run):
    first = [run("grep", "jug", "--query", query).stdout.splitlines()[0] for query in QUESTIONS]
    assert first == [
        "garden/garden.py:1-3 function pour_water",
        "kitchen/kitchen.py:1-3 function boil_water",
    ]


@pytest.mark.parametrize("name", ["pour_water", "garden.py:2", "garden/garden.py#pour_water"])
def test_a_symbol_is_looked_up_in_all_roots(run, name):
    answer = json.loads(run("symbol", name, "--json").stdout)
    assert (answer["qualname"], answer["root"]) == ("pour_water", str(run.folders[1]))
    assert run("symbol", name).stdout.startswith("garden/garden.py:1-3 function pour_water")
    missing = run("symbol", "fill_kettle")
    assert missing.returncode == 2 and "no definition of 'fill_kettle' is" in missing.stderr
    lines = run("symbol", "jug").stderr.splitlines()
    assert "  garden/garden.py:1 | def pour_water(jug):" in lines


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_changes_are_of_all_roots_and_one_without_git_is_named(run):
    refused = run("changes")
    assert refused.returncode == 2
    garden = run.folders[1]
    git(garden, "init", "-q")
    git(garden, "add", ".")
    git(garden, "commit", "-qm", "one")
    (garden / "garden.py").write_text(GARDEN.replace("return jug", "return jug, jug"))
    answer = json.loads(run("changes", "--json").stdout)
    (definition,) = answer["definitions"]
    assert (definition["qualname"], definition["root"]) == ("pour_water", str(garden))
    text = run("changes").stdout
    assert "garden/garden.py:1-3 function pour_water (line 3)" in text
    assert "note: kitchen: " in text


def test_settings_are_those_of_each_root(run):
    settings = run.folders[1] / ".packhound.toml"
    settings.write_text("search.limit = 7\n")
    answer = json.loads(run("config", "--json").stdout)
    limits = {
        row["root"]: setting["value"]
        for row in answer["roots"]
        for setting in row["settings"]
        if setting["name"] == "search.limit"
    }
    settings.unlink()
    assert limits == {str(run.folders[0]): 10, str(run.folders[1]): 7}
    text = run("config").stdout
    assert all(f"{folder}:\n" in text for folder in run.folders)


def test_notes_of_all_roots_are_listed_found_shown_and_forgotten(run):
    kitchen, garden = ([f"--root={folder}"] for folder in run.folders)
    code = ("-c", "garden.py#pour_water")
    identities = [
        run("memory", "add", "insight", *note, of=root).stdout.split()[-1]
        for root, note in (
            (kitchen, ("kettle", "The kettle boils water.")),
            (garden, ("can", "The can pours water.", *code)),
        )
    ]
    listed = json.loads(run("memory", "list", "--json").stdout)["notes"]
    assert [(row["id"], row["label"]) for row in listed] == [
        (identities[1], "garden"),
        (identities[0], "kitchen"),
    ]
    hits = json.loads(run("memory", "search", "water", "--json").stdout)["notes"]
    assert {row["id"] for row in hits} == {*identities}
    note_text = run("memory", "show", identities[1]).stdout
    assert "garden" in note_text.splitlines()[0] and "on garden.py#pour_water" in note_text
    assert run("memory", "forget", *identities).returncode == 0
    assert run("memory", "list").stdout == "no notes\n"
    assert run("memory", "show", identities[0]).returncode == 2


def test_a_command_of_one_root_refuses_several(run):
    for command in (["rebuild"], ["memory", "add", "insight", "key", "text"], ["memory", "clear"]):
        refused = run(*command)
        assert refused.returncode == 2
        assert "kitchen', '" in refused.stderr and "this command takes one" in refused.stderr


def test_a_root_is_written_as_people_write_it(run):
    garden = run.folders[1]
    for written in (garden.as_uri(), f"{garden}/", f"{garden}/../garden"):
        answer = run("search", "water", "--json", of=(f"--root={written}", f"--root={garden}"))
        hits = json.loads(answer.stdout)["hits"]
        assert [(hit["rank"], hit["name"]) for hit in hits] == [(1, "pour_water")]
    missing = run("search", "water", of=(f"--root={garden}", "--root=~/no such folder"))
    assert missing.returncode == 2 and "no such folder' does not exist" in missing.stderr


def test_a_root_inside_of_another_is_answered_once(run, tmp_path):
    outer = write_files(tmp_path / "outer", {"kitchen.py": KITCHEN})
    inner = write_files(outer / "inner", {"garden.py": GARDEN})
    roots = (f"--root={outer}", f"--root={inner}")
    hits = json.loads(run("search", "water", "--json", of=roots).stdout)["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2]
    owners = {hit["name"]: hit["root"] for hit in hits}
    assert owners == {"boil_water": str(outer), "pour_water": str(inner)}
    answer = json.loads(run("grep", "jug", "--json", of=roots).stdout)
    assert (answer["total_lines"], answer["total_files"]) == (6, 2)
    pack = json.loads(run("pack", "pour and boil water", "--format=json", of=roots).stdout)
    assert sorted(item["path"] for item in pack["items"]) == ["garden.py", "kitchen.py"]
