"""Records of other sources in packs: chosen by a setting, redacted, fenced, in the budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from packhound.core.records import SOURCE_NAMES, SourceName
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.llm import counter_for
from packhound.pack.request import FORMATS, PackRequest
from packhound.service import Engine, EnginePool, Workspace
from tests.support.git_repository import git
from tests.support.operations import call, memory
from tests.support.project import cache, root, write_files

__all__ = ["cache", "root"]

GOLDEN = Path(__file__).parents[1] / "golden" / "packs"
SECRET = "ghp_" + "x7Kq9TzL2mVb4NcR8wYpD1sF6hJ3gA0eUiOk"
REQUEST = PackRequest("mail the receipt of an order to the customer", budget=3_000)
LOG = "mail-2025-12-15.md"
LOG_TEXT = """# Conversation: Receipts
Query: Where is my receipt?

## Phase 1: Assessment
The receipt of an order is mailed by the shop.
```
connect()
```
## Phase 9: Response
Nothing to do.
"""
SKILL = {"name": "mail-receipt", "steps": ["Mail the receipt of an order again"]}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def shop(root: Path, cache: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine whose packs take from all sources, each of which has something for `REQUEST`."""
    write_files(tmp_path / "logs", {LOG: LOG_TEXT})
    git(root, "init")
    git(root, "add", "-A")
    git(root, "commit", "-m", "Mail the receipt of an order\n\nCustomers asked for it.")
    engine = Engine.open(root, settings_with(tmp_path, *SOURCE_NAMES))
    assert engine.settled(60)
    add_note(engine, "Mail goes through the queue")
    call(engine, "record_skill", SKILL)
    yield engine
    engine.close()


def add_note(engine: Engine, content: str) -> None:
    note = {"type": "insight", "content": content, "author": "ann"}
    memory(engine, "add", {**note, "code": ["shop/mail.py#send_receipt"]})


def settings_with(folder: Path, *names: SourceName) -> Settings:
    """Return settings whose packs take from some sources; `folder` has the logs."""
    logs = (str(folder / "logs"),)
    return settings_from(
        {
            "sources.commits.enabled": True,
            "sources.episodes.enabled": True,
            "knowledge.folders": logs,
            "pack.sources": names,
            "search.deep": "off",
        }
    )


def sections(engine: Engine, text: str, form: str) -> str:
    """Return what follows the code of a pack, without the days, names and folders of this run."""
    if form == "json":
        body = {name: rows for name, rows in json.loads(text).items() if name != "files"}
        text = json.dumps(body, indent=1) + "\n"
    elif form == "markdown":
        text = text[text.index("### Notes on") :]
    else:
        text = re.sub(r"code-[0-9a-f]{10}", "TAG", text)
        text = text[text.index('<TAG note="') :]
    text = text.replace(str(engine.root.parent), "FOLDER")
    text = re.sub(r"\(([^,()]*, )?20\d\d-\d\d-\d\d", r"(\1DAY", text)
    return re.sub(r"[0-9a-f]{40}", "COMMIT", text)


@pytest.mark.parametrize("form", FORMATS)
def test_golden_packs_of_all_sources(shop: Engine, form: str, update_golden: bool) -> None:
    packed = shop.pack(replace(REQUEST, format=form))  # type: ignore[arg-type]
    text = sections(shop, packed.text, form)
    file = GOLDEN / f"sources.{form}.txt"
    if update_golden:
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize("names", [("notes",), ("knowledge",), ("skills",), ("commits",), ()])
def test_each_is_chosen_alone(shop: Engine, tmp_path: Path, names: tuple[SourceName, ...]) -> None:
    shop.configure(settings_with(tmp_path, *names))
    body = json.loads(shop.pack(replace(REQUEST, format="json")).text)
    assert set(body) == {"files", *names}


def test_a_source_that_is_off_is_named(shop: Engine) -> None:
    shop.configure(settings_from({"pack.sources": ("commits",), "search.deep": "off"}))
    packed = shop.pack(REQUEST)
    assert "'commits' is switched off: set sources.commits.enabled to true" in packed.notes


def test_what_is_far_from_the_prompt_is_left_out(shop: Engine, tmp_path: Path) -> None:
    shop.configure(settings_with(tmp_path, "knowledge", "skills"))
    body = json.loads(shop.pack(PackRequest("matchRoute", budget=3_000, format="json")).text)
    assert set(body) == {"files"}


def test_what_the_code_of_a_pack_shows_is_not_said_twice(shop: Engine, tmp_path: Path) -> None:
    (shop.root / LOG).write_text(LOG_TEXT)
    shop.refresh()
    assert shop.settled(60)
    shop.configure(settings_from({"knowledge.folders": ()}, settings_with(tmp_path, "knowledge")))
    text = shop.pack(replace(REQUEST, pinned=(LOG,))).text
    assert text.count("The receipt of an order is mailed by the shop.") == 1


def test_a_conversation_gets_each_record_once(shop: Engine, tmp_path: Path) -> None:
    shop.configure(settings_with(tmp_path, "knowledge"))
    talk = replace(REQUEST, conversation="c")
    assert "### Knowledge" in shop.pack(talk).text
    again = replace(talk, prompt="mail the receipt of an order again")
    assert "### Knowledge" not in shop.pack(again).text
    assert "### Knowledge" in shop.pack(replace(again, conversation="d")).text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("budget", [60, 150, 300, 700])
def test_the_budget_holds(shop: Engine, form: str, budget: int) -> None:
    packed = shop.pack(replace(REQUEST, budget=budget, format=form))  # type: ignore[arg-type]
    assert packed.tokens == counter_for("").count(packed.text) <= budget


@pytest.mark.parametrize("form", FORMATS)
def test_no_secret_leaves_and_nothing_closes_its_fence(
    shop: Engine, tmp_path: Path, form: str
) -> None:
    log = f"# Conversation: {SECRET}\n\n## Phase 1: Assessment\n{REQUEST.prompt}, {SECRET} ````\n"
    write_files(tmp_path / "logs", {LOG: f"{log}</code>\n{'x' * 700} {SECRET}\n"})
    call(shop, "record_skill", {**SKILL, "verification": [SECRET]})
    (shop.root / "new.py").write_text("x = 1\n")
    git(shop.root, "add", "-A")
    git(shop.root, "commit", "-m", f"Mail the receipt of an order with {SECRET}")
    text = shop.pack(replace(REQUEST, budget=6_000, format=form)).text  # type: ignore[arg-type]
    assert SECRET[:12] not in text
    assert text.count("REDACTED") >= 3
    if form == "markdown":
        assert "\n`````\n" in text


def test_several_roots_have_each_its_texts(shop: Engine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_files(other, {"post.py": "def mail_receipt(order):\n    return order\n"})
    workspace = Workspace(settings_with(tmp_path, "knowledge"), pool=EnginePool())
    try:
        for folder in (shop.root, other):
            workspace.add(folder)
        assert workspace.settled(60)
        body = json.loads(workspace.roots.pack(replace(REQUEST, format="json")).text)
    finally:
        workspace.close()
    assert {file["root"] for file in body["files"]} == {str(shop.root), str(other)}
    assert len(body["knowledge"]) == 2 * len(LOG_TEXT.split("## Phase")[1:])
