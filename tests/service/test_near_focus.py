"""What is near the user's cursor ranks higher, with its reasons, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.core.types import Document, Focus, Query, Results
from packhound.pack.request import PackFocus, PackRequest
from packhound.search.rank.proximity import WEIGHTS
from packhound.service.engine import Engine
from tests.support.project import write_files

LOADER = 'def load_settings(path):\n    """Read the settings of {}."""\n    return open(path)\n'
INVOICE = "from billing.money import round_up\n\ndef total(x):\n    return round_up(x)\n"
FILES = {
    "billing/settings.py": LOADER.format("billing"),
    "billing/invoice.py": INVOICE,
    "billing/money.py": "def round_up(amount):\n    return -(-amount // 1)\n",
    "mail/settings.py": LOADER.format("mail"),
    "mail/send.py": "def send(letter):\n    return letter\n",
    "util/numbers.py": "def round_up(amount):\n    return -(-amount // 1)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "office"
    write_files(folder, FILES)
    return folder


def ask(engine: Engine, text: str, *focus: object) -> Results:
    return engine.search(Query(text, focus=Focus(*focus) if focus else None))


def paths(results: Results) -> list[str]:
    return [hit.node.path for hit in results.hits]


@pytest.mark.parametrize("folder", ["billing", "mail"])
def test_of_two_equal_answers_the_near_one_is_first(engine, folder):
    neighbour = {"billing": "billing/invoice.py", "mail": "mail/send.py"}[folder]
    results = ask(engine, "load settings", neighbour)
    assert paths(results)[0] == f"{folder}/settings.py"
    hit = results.hits[0]
    assert {s.signal for s in hit.why} >= {"near_folder"}
    assert "in the folder you are in" in {g.name: g.text for g in hit.explanation().groups}["You"]


def test_what_the_file_imports_and_names_is_near(engine):
    hits = ask(engine, "round up the amount", "billing/invoice.py").hits
    near = {s.signal for s in hits[0].why} & WEIGHTS.keys()
    assert hits[0].node.path == "billing/money.py"
    assert {name for name in ("near_import", "near_name", "near_folder") if WEIGHTS[name]} <= near


def test_reasons_add_up_to_the_score(engine):
    for path in FILES:
        for hit in ask(engine, "load the settings", path).hits:
            assert hit.score == pytest.approx(sum(s.contribution for s in hit.why), abs=1e-9)
            groups = hit.explanation().groups
            assert hit.score == pytest.approx(sum(g.contribution for g in groups), abs=1e-9)


def test_without_a_focus_or_with_one_of_another_folder_nothing_changes(engine):
    plain = ask(engine, "load the settings")
    elsewhere = ask(engine, "load the settings", "mail/send.py", 0, "/some/other/folder")
    for before, after in zip(plain.hits, elsewhere.hits, strict=True):
        assert (before.node, before.score, before.why) == (after.node, after.score, after.why)
    assert not any(s.signal in WEIGHTS for hit in plain.hits for s in hit.why)


def test_a_focus_that_is_not_indexed_is_named_and_changes_nothing(engine):
    plain, lost = ask(engine, "load settings"), ask(engine, "load settings", "nowhere.py")
    assert [(h.node, h.score) for h in plain.hits] == [(h.node, h.score) for h in lost.hits]
    assert "'nowhere.py' is no indexed file" in lost.notes[-1]


def test_what_was_edited_lately_is_near(engine):
    source = FILES["mail/settings.py"]
    before = paths(ask(engine, "load settings", "util/numbers.py"))
    for text in (source, source + "\n# edited\n"):
        engine.update(Document("mail/settings.py", text.encode()))
    hits = ask(engine, "load settings", "util/numbers.py").hits
    edited = next(hit for hit in hits if hit.node.path == "mail/settings.py")
    assert "mail/settings.py" in before
    assert ("near_edit" in {s.signal for s in edited.why}) == bool(WEIGHTS["near_edit"])


def test_a_pack_leaves_out_weak_code_far_from_the_focus(engine):
    prompt = "send a letter"
    everywhere = engine.pack(PackRequest(prompt, budget=4_000))
    near = engine.pack(PackRequest(prompt, budget=4_000, focus=PackFocus("mail/send.py")))
    assert near.items[0].path == "mail/send.py" and "at the cursor" in near.items[0].reason
    assert {item.path for item in near.items} <= {item.path for item in everywhere.items}
