"""One answer: the same values at each front, for each operation that reads, in each case.

An editor with unsaved text, an agent and the command line ask one daemon at the same time. Left out
of the comparison is what a front adds or measures itself: URIs and ranges, times.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from packhound.cli.operations import COMMANDS, ELSEWHERE, words_of
from packhound.operations import OPERATIONS
from tests.support.agent import Agent, kill_engine
from tests.support.command_line import packhound
from tests.support.git_repository import git
from tests.support.lsp_client import RELAYED, LspClient, eventually, write_files
from tests.support.notebooks import write_notebook

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

KITCHEN = {
    "kitchen.py": 'def boil_water(jug):\n    """Boil the water of a jug."""\n    return jug\n',
    "tea.py": "from kitchen import boil_water\n\ndef make_tea(cup):\n    return boil_water(cup)\n",
    "README.md": "# Kitchen\n\nHow to boil water and make tea.\n",
}
GARDEN = {
    "garden.py": 'def pour_water(jug):\n    """Pour water on a bed."""\n    return jug\n',
    "tests/test_garden.py": "from garden import pour_water\ndef test_pour():\n    pour_water(1)\n",
}
COMMITTED = {
    "pot.py": "def simmer(soup):\n    return soup\n",
    "soup.py": "from pot import simmer\n\ndef cook(soup):\n    return simmer(soup)\n",
    "peel.py": "def peel(carrot):\n    return carrot\n",
}
UNSAVED = KITCHEN["tea.py"] + "\n\ndef cool_water(cup):\n    return boil_water(cup) - 1\n"
SEARCH = {"limit": 10, "deep": False, "snippet_lines": 3, "git": False, "explain": False}

DIFF = "--- /dev/null\n+++ b/whisk.py\n@@ -0,0 +1,2 @@\n+def whisk(tea):\n+    return tea\n"
OVERLAY = hashlib.blake2b(DIFF.encode(), digest_size=4).hexdigest()

ASKED: dict[str, list[dict[str, Any]]] = {
    "search": [
        {"query": "boil water", **SEARCH, "explain": True},
        {"query": "cool_water", **SEARCH},
        {"query": "water", **SEARCH, "tests": "no", "focus_path": "kitchen.py:1"},
        {"query": "water", **SEARCH, "kinds": ["function"], "exclude": ["tea.py"], "offset": 1},
        {"query": "no such thing as zebras", **SEARCH},
        {"query": "whisk", **SEARCH, "patch": OVERLAY},
        {"query": "water path:garden/**", **SEARCH},
        {"query": "garden/garden.py:1", **SEARCH},
        {"query": "", "like": "return boil_water(pot)", **SEARCH, "time_ms": 60_000},
    ],
    "grep": [
        {"pattern": r"def \w+_water", "limit": 50},
        {"pattern": "water", "limit": 3, "offset": 2, "context": 1},
        {"pattern": "water", "limit": 5, "query": "pour on a bed"},
        {"pattern": "water", "limit": 50, "count_only": True},
        {"pattern": "def whisk", "limit": 5, "patch": OVERLAY},
        {"pattern": "water", "paths": ["garden/**"], "exclude": ["garden/tests/**"]},
    ],
    "related": [{"path": "kitchen.py#boil_water", "limit": 5, "snippet_lines": 0}],
    "symbol": [
        {"name": "boil_water", "limit": 30, "distance": 1},
        {"name": "boil_water", "limit": 30, "also": ["make_tea", "nowhere.py"]},
    ],
    "changes": [{"base": "HEAD", "limit": 10}, {"base": "HEAD", "limit": 10, "patch": OVERLAY}],
    "overlays": [{}],
    "overlay": [{"id": OVERLAY, "with_diff": True}],
    "outline": [{"path": ""}],
    "docs": [{"out": "pages"}],
    "read_node": [
        {"path": "kitchen.py#boil_water", "limit": 400},
        {"path": "kitchen.py#boil_water", "limit": 400, "also": ["tea.py#make_tea", "tea.py:1"]},
    ],
    "explain": [{"query": "boil water", "path": "kitchen.py#boil_water", "deep": True}],
    "pack": [
        {"prompt": "boil water for tea", "budget": 400, "explain": True},
        {"prompt": "boil", "budget": 400, "explain": True, "pinned": ["garden/garden.py"]},
    ],
    "memory/list": [{}],
    "memory/search": [{"query": "kettle", "limit": 5}],
    "recall": [{"key": "kettle", "limit": 5}],
    "pop": [{"name": "work", "limit": 5}],
    "skills": [{"query": "boil water", "limit": 5}],
    "memory/show": [{"id": "0123456789ab"}],
    "status": [{}],
    "config": [{}],
}
OF_A_FRONT = {"uri", "range", "selectionRange", "folder", "took_ms"}
ONE, TWO = (pytest.param(case, marks=pytest.mark.release) for case in ("one", "two"))
POSITIONS = {
    "grep": ["pattern"],
    "related": ["path"],
    "symbol": ["name"],
    "changes": ["base"],
    "overlays": [],
    "overlay": ["id"],
    "outline": ["path"],
    "read_node": ["path"],
    "explain": ["query", "path"],
    "pack": ["prompt"],
    "memory/list": [],
    "memory/search": ["query"],
    "recall": ["key"],
    "pop": ["name"],
    "skills": ["query"],
}


class Fronts:
    """An editor, an agent and the command line on some folders, over one daemon."""

    def __init__(self, base: Path, roots: list[Path], *, settled: bool = True) -> None:
        self.base, self.roots = base, roots
        self.editor = LspClient(base / "cache", RELAYED)
        self.editor.initialize(*roots)
        if settled:
            self.editor.settle()
        tools = json.dumps(["default", "memory", "skills", "explain", "docs"])
        options = ("--set", "mcp.structuredContent=true", "--set", f"mcp.tools={tools}")
        self.agent = Agent(base / "cache", *roots, options=options)

    def close(self) -> None:
        self.agent.close()
        self.editor.kill()
        kill_engine(self.base / "cache")

    def of_editor(self, name: str, arguments: dict[str, Any]) -> Any:
        return self.editor.request(f"packhound/{name}", arguments)

    def of_command(self, name: str, arguments: dict[str, Any]) -> Any:
        command = f"packhound.server.{name.replace('/', '.')}"
        params = {"command": command, "arguments": [arguments]}
        return self.editor.request("workspace/executeCommand", params)

    def of_agent(self, name: str, arguments: dict[str, Any]) -> Any:
        result = self.agent.request("tools/call", {"name": name, "arguments": arguments})
        assert "structuredContent" in result, result
        return result["structuredContent"]

    def of_batch(self, name: str, arguments: dict[str, Any]) -> Any:
        batch = self.base / "batch"
        batch.write_text(json.dumps(arguments) + "\n")
        return self.print_of(*words_of(name).split(), "--batch", str(batch))

    def of_command_line(self, name: str, arguments: dict[str, Any]) -> Any:
        words = [str(arguments[key]) for key in POSITIONS[name]]
        options = {
            parameter.name: parameter.opts[0]
            for parameter in reversed(COMMANDS[words_of(name)].params)
            if parameter.name in arguments and parameter.name not in POSITIONS[name]
        }
        given = []
        for key, option in options.items():
            value = arguments[key]
            values = value if isinstance(value, list) else [value]
            given += [option if each is True else f"{option}={each}" for each in values]
        return self.print_of(*words_of(name).split(), *words, *given, "--json")

    def print_of(self, *words: str) -> Any:
        roots = [f"--root={root}" for root in self.roots]
        done = packhound(self.base, *words, *roots)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)


def of_editors(name: str, answer: Any) -> Any:
    """Return what an editor's answer has of the operation's.

    Its packs are counted, and its state is that of the window.
    """
    answer = plain(answer)
    if name == "explain":
        return answer["hit"]
    if name == "status":
        return {key: answer[key] for key in ("state", "pending", "files", "nodes", "kinds")}
    return {key: answer[key] for key in answer.keys() - {"id", "total", "root"}}


def plain(value: Any) -> Any:
    """Return an answer without what a front adds or measures."""
    if isinstance(value, list):
        return [plain(each) for each in value if not is_of_the_clock(each)]
    if not isinstance(value, dict):
        return value
    return {key: plain(each) for key, each in value.items() if key not in OF_A_FRONT}


def is_of_the_clock(value: Any) -> bool:
    """An engine says so after 2 s; a command looks at the disk itself."""
    return isinstance(value, str) and value.startswith("the disk was last looked at")


@pytest.fixture(scope="module", params=[ONE, TWO, "nested"])
def fronts(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Fronts]:
    base = tmp_path_factory.mktemp("fronts")
    kitchen = write_files(base / "kitchen", {**KITCHEN, **COMMITTED})
    write_notebook(
        kitchen / "steep.ipynb", [("python", "def steep_tea(cup):\n    return boil_water(cup)")]
    )
    inner = {path: text for path, text in GARDEN.items() if "/" not in path}
    garden = write_files(
        kitchen / "garden" if request.param == "nested" else base / "garden", inner
    )
    (garden / "tests").mkdir()
    (garden / "tests" / "test_garden.py").write_text(GARDEN["tests/test_garden.py"])
    for root in dict.fromkeys([kitchen, garden]):
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "Begin")
    git(kitchen, "mv", "peel.py", "slice.py")
    (kitchen / "pot.py").write_text("def stew(soup):\n    return soup\n")
    opened = Fronts(base, [kitchen] if request.param == "one" else [kitchen, garden])
    opened.editor.open_document(kitchen / "tea.py", UNSAVED)
    note = {"type": "insight", "key": "kettle", "content": "The kettle boils water"}
    note |= {"code": ["kitchen.py#boil_water"]}
    opened.of_editor("memory/add", {**note, "root": str(kitchen)})
    stash = {"type": "stash", "name": "work", "summary": "Half of the tea"}
    opened.of_editor("memory/add", {**stash, "root": str(kitchen)})
    for decides in (True, False):
        opened.of_editor("propose", {"diff": DIFF, "author": "ann", "root": str(kitchen)})
        if decides:
            opened.of_editor("reject", {"id": OVERLAY, "reason": "Not yet"})
    opened.editor.settle()
    yield opened
    opened.close()


CASES = [(name, arguments) for name, each in ASKED.items() for arguments in each]


@pytest.mark.parametrize(("name", "arguments"), CASES, ids=[name for name, _ in CASES])
def test_all_fronts_give_one_answer(fronts: Fronts, name: str, arguments: dict[str, Any]) -> None:
    fronts.editor.settle()
    expected = of_editors(name, fronts.of_editor(name, arguments))
    answers = {"command": lambda: of_editors(name, fronts.of_command(name, arguments))}
    if name not in ELSEWHERE:
        answers["batch"] = lambda: fronts.of_batch(name, arguments)
    if name in POSITIONS:
        answers["command line"] = lambda: fronts.of_command_line(name, arguments)
    group = OPERATIONS[name].group
    if group in ("default", "memory", "skills", "explain", "docs") and name != "pack":
        answers["agent"] = lambda: fronts.of_agent(name, arguments)
    for front, ask in answers.items():

        def answer(ask: Callable[[], Any] = ask) -> Any:
            found = plain(ask())
            return {key: found.get(key) for key in expected}

        # The command line has the disk looked at, which a status says while it lasts.
        found = eventually(answer, expected) if name == "status" else answer()
        assert found == expected, front


def test_every_operation_that_reads_is_compared() -> None:
    reading = {name for name, operation in OPERATIONS.items() if not operation.writes}
    assert reading == ASKED.keys()


def keys_in(value: Any) -> set[str]:
    """Return the names of all fields of an answer."""
    if isinstance(value, list):
        return {key for each in value for key in keys_in(each)}
    if not isinstance(value, dict):
        return set()
    return {*value, *(key for each in value.values() for key in keys_in(each))}


@pytest.mark.parametrize("name", [*ASKED])
def test_answers_have_the_fields_that_the_protocol_names(fronts: Fronts, name: str) -> None:
    requests = ASKED[name]
    if name == "memory/show":
        requests = [{"id": note["id"]} for note in fronts.of_editor("memory/list", {})["notes"]]
    answers = [fronts.of_editor(name, arguments) for arguments in requests]
    named = {*re.findall(r"`(\w+)`", OPERATIONS[name].returns)}
    assert named <= keys_in(answers)


def test_filters_know_the_folder_that_answers_name(fronts: Fronts) -> None:
    by_filter = fronts.of_editor("search", {"query": "water path:garden/**", **SEARCH})
    lines = fronts.of_agent("grep", {"pattern": "water", "paths": ["garden/**"]})
    few = ["--exclude=garden/**", "--exclude=README.md", "--json"]
    rest = fronts.print_of("grep", "boil|pour", *few)
    n_garden = 2 * (len(fronts.roots) > 1)
    assert len({hit["path"] for hit in by_filter["hits"]}) == n_garden
    assert lines["total_files"] == n_garden
    assert {group["path"] for group in rest["groups"]} == {"kitchen.py", "tea.py", "steep.ipynb"}


def test_unsaved_text_and_cells_are_in_the_answers(fronts: Fronts) -> None:
    answer = fronts.of_agent("search", {"query": "cool_water", **SEARCH})
    assert answer["hits"][0]["path"] == "tea.py"
    assert (
        fronts.of_batch("search", {"query": "steep_tea", **SEARCH})["hits"][0]["path"]
        == "steep.ipynb"
    )
