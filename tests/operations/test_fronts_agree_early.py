"""One answer while a folder is still being read: at each front the same code, and no more said.

An extractor that takes its time over some files keeps the folder from being read whole; what a
request names is read first. Left out of the comparison is what changes with each file that is read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.operations.test_fronts_agree import POSITIONS, SEARCH, Fronts, of_editors
from tests.support.lsp_client import write_files

pytestmark = [pytest.mark.release, pytest.mark.skipif(os.name == "nt", reason="signals")]

SLOW = """
import os, time
def slow(path, text):
    time.sleep(1)
    return []
slow.suffixes = (".slow",)
"""
PACKAGE = {
    "METADATA": "Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n",
    "entry_points.txt": "[packhound.extractors]\nslow = slow_extractor:slow\n",
}
N_SLOW = 500
FILES = {
    "kitchen.py": 'def boil_water(jug):\n    """Boil the water of a jug."""\n    return jug\n',
    "tea.py": "from kitchen import boil_water\n\ndef make_tea(cup):\n    return boil_water(cup)\n",
}
OF_THE_MOMENT = {"reading", "notes", "generation", "took_ms", "score", "why", "truncated"}
OF_THE_MOMENT |= {"candidates", "groups", "counterfactual", "reasons", "line", "text", "origins"}

ASKED: dict[str, dict[str, Any]] = {
    "search": {"query": "boil_water", **SEARCH, "paths": ["*.py"]},
    "grep": {"pattern": r"def \w+_(water|tea)", "limit": 50},
    "symbol": {"name": "boil_water", "limit": 30, "distance": 1},
}


def lasting(value: Any) -> Any:
    """Return what of an answer does not change with each file that is read."""
    if isinstance(value, list):
        return [lasting(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: lasting(each) for key, each in value.items() if key not in OF_THE_MOMENT}


@pytest.fixture(scope="module")
def fronts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronts]:
    base = tmp_path_factory.mktemp("reading")
    write_files(base / "site", {"slow_extractor.py": SLOW})
    write_files(base / "site" / "slow-1.0.dist-info", PACKAGE)
    with pytest.MonkeyPatch.context() as patch:
        paths = [str(base / "site"), *sys.path]
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path))
        patch.setenv("PACKHOUND_CONFIG_DIR", str(base / "config"))
        write_files(base / "config", {"packhound.toml": "index.extractors = ['slow']\n"})
        slow = {f"{number}.slow": f"file {number}\n" for number in range(N_SLOW)}
        root = write_files(base / "work", FILES)
        write_files(root / "slow", slow)
        fronts = Fronts(base, [root], settled=False)
        for place in ("kitchen.py#boil_water", "tea.py#make_tea"):
            assert "def " in fronts.agent.tool("read_node", path=place)
        yield fronts
        fronts.close()


@pytest.mark.parametrize("name", [*ASKED])
def test_all_fronts_give_one_answer_while_a_folder_is_read(fronts: Fronts, name: str) -> None:
    arguments = ASKED[name]
    answers = {
        "editor": fronts.of_editor(name, arguments),
        "command": fronts.of_command(name, arguments),
        "agent": fronts.of_agent(name, arguments),
        "batch": fronts.of_batch(name, arguments),
    }
    if name in POSITIONS:
        answers["command line"] = fronts.of_command_line(name, arguments)
    plain = {front: lasting(of_editors(name, answer)) for front, answer in answers.items()}
    for front, answer in answers.items():
        assert answer["complete"] is False, front
        assert "files read so far" in str(answer), front
        assert {key: plain[front].get(key) for key in plain["editor"]} == plain["editor"], front
