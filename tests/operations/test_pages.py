"""Answers as pages: whole, honest, without secrets, and nothing in them becomes markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.operations import OPERATIONS, answer, as_page
from packhound.operations.page_of_status import squarify
from packhound.pack import Part, read_markdown
from packhound.pack.render import markdown_parts
from packhound.service import Engine
from tests.support.operations import call_of
from tests.support.page import read_page, texts_of
from tests.support.proposals import ask, committed

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DOOR = f'''\
from lock import turn_bolt

TOKEN = "{TOKEN}"


def open_door(key):
    """Unlock the front door: </pre><script>alert(1)</script> <img src=x onerror=alert(2)>"""
    return turn_bolt(key)
'''
LOCK = 'def turn_bolt(key):\n    """Turn it once."""\n    return key.turn()\n'
FILES = {
    "door.py": DOOR,
    "lock.py": LOCK,
    "a/<b onclick=alert(3)>.py": "def mend_roof():\n    return 'tiles'\n",
    f"a/{TOKEN}.py": "def sweep_floor():\n    return 'dust'\n",
    "a/b/one.py": "def first():\n    pass\n\n\ndef second():\n    pass\n",
    "a/b/photo.png": "\x89PNG\0",
}
PROMPT = f"unlock the front door\n\n<b>now</b> with {TOKEN}"


@pytest.fixture
def engines(tmp_path):
    opened = []
    for name in ("house", "shed"):
        for path, text in FILES.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        opened.append(Engine.open(tmp_path / name, settings_from({})))
        assert opened[-1].settled(30)
    yield opened
    for engine in opened:
        engine.close()


def page_of(engines, name, **arguments):
    """Return the answer of an operation to a person, and what is seen of its page."""
    arguments = {**OPERATIONS[name].page.fields, **arguments}
    made = answer(call_of(*engines, is_agent=False), name, arguments)
    page = as_page(name, made, arguments)
    assert TOKEN not in page
    return made, read_page(page)


@pytest.mark.parametrize("n_roots", [1, 2])
def test_the_page_of_a_pack_has_all_that_is_sent_and_why(engines, n_roots) -> None:
    pack, seen = page_of(engines[:n_roots], "pack", prompt=PROMPT, budget=1_500)
    parts = [each for each in read_markdown(pack["text"]) if isinstance(each, Part)]
    # The first one is the prompt.
    assert texts_of(seen, "pre")[1:] == [part.content for part in parts]
    assert texts_of(seen, "h3") == [part.heading for part in parts]
    reasons = [each.text for each in seen if str(each.attributes.get("id")).startswith("part-")]
    assert len(reasons) == len(pack["items"]) > n_roots
    for item, reason in zip(pack["items"], reasons, strict=True):
        assert item["reason"] in reason and f"{item['tokens']:,} tokens" in reason
    assert f"{pack['tokens']:,} of 1,500 tokens in {len(reasons)} parts" in "".join(
        texts_of(seen, "p")
    )
    assert ("root: " in "".join(texts_of(seen, "p"))) == (n_roots == 2)


def test_a_line_leads_from_a_part_to_one_that_it_uses(engines) -> None:
    _, seen = page_of(engines[:1], "pack", prompt="open_door", budget=1_500)
    drawn = [each for each in seen if each.name == "path"]
    assert "used by open_door (door.py)" in [each.text for each in drawn]
    assert len(texts_of(seen, "a")) > len(drawn)


def test_what_a_pack_left_out_is_named_with_the_reason(engines) -> None:
    pack, seen = page_of(engines[:1], "pack", prompt="open_door turn_bolt", budget=80)
    assert pack["omitted"]
    cells = texts_of(seen, "td")
    for row in pack["omitted"]:
        assert row["name"] in cells and row["reason"] in cells


def test_a_page_shows_only_packs_in_markdown(engines) -> None:
    with pytest.raises(SettingsError, match="leave 'format' out"):
        page_of(engines[:1], "pack", prompt="open_door", format="xml")


def test_a_page_shows_a_pack_as_if_a_patch_were_applied(tmp_path) -> None:
    patch = "--- a/lock.py\n+++ b/lock.py\n@@ -1,3 +1,3 @@\n def turn_bolt(key):\n"
    patch += '-    """Turn it once."""\n+    """Turn it thrice."""\n     return key.turn()\n'
    with committed(tmp_path, {"lock.py": LOCK}) as engine:
        arguments = {"prompt": "turn_bolt", "patch": patch}
        page = as_page("pack", ask(engine, "pack", **arguments), arguments)
    assert "Turn it thrice." in "".join(texts_of(read_page(page), "pre"))


def test_a_map_has_a_page_too(engines) -> None:
    pack, seen = page_of(engines[:1], "pack", map=True, budget=400)
    assert texts_of(seen, "h1") == ["Map of the most used definitions"]
    assert len([each for each in seen if "id" in each.attributes]) == len(pack["items"])


@pytest.mark.parametrize("n_roots", [1, 2])
def test_the_page_of_a_status_shares_all_files_out(engines, n_roots) -> None:
    status, seen = page_of(engines[:n_roots], "status")
    folders = status["folders"]
    assert sum(row["files"] for row in folders) == status["files"] == 5 * n_roots
    assert sum(row["nodes"] for row in folders) == status["nodes"]
    assert {row["path"] for row in folders} == {"*", "a/*", "a/b/**"}
    titles = [each.text for each in seen if each.name == "title"]
    for row in folders:
        assert sum(f"{row['path']}: {row['nodes']:,} def" in title for title in titles) == n_roots
    items = texts_of(seen, "li")
    assert sum("a/b/photo.png" in item for item in items) == n_roots
    assert {row["reason"] for row in status["left_out"]} == {"binary by name"}


def test_the_page_of_a_search_adds_each_score_up(engines) -> None:
    found, seen = page_of(engines[:1], "search", query="unlock the front door")
    shown = [each for each in seen if each.name == "details"]
    assert len(shown) == len(found["hits"]) > 0
    for hit, each in zip(found["hits"], shown, strict=True):
        parts = [float(number) for number in re.findall(r" ([+-]\d+\.\d\d): ", each.text)]
        assert sum(parts) == pytest.approx(hit["score"], abs=0.005 * len(parts))
        assert f"Score {hit['score']:.2f}" in texts_of(seen, "p")


def test_only_some_operations_have_a_page() -> None:
    with pytest.raises(SettingsError, match="'grep' has no page; expected one of: search, pack"):
        as_page("grep", {}, {})


@given(st.lists(st.text("ab`#\n <", max_size=40), max_size=5))
def test_parts_in_markdown_are_read_as_they_were_written(contents) -> None:
    parts = [Part(f"{n}.py:1", "", content, "python") for n, content in enumerate(contents)]
    text = "\n".join(["confidence: strong", "", *markdown_parts(parts), "Sent before: a"])
    assert [*read_markdown(text)] == ["confidence: strong", *parts, "Sent before: a"]


@given(st.lists(st.integers(1, 10_000), max_size=60))
def test_areas_are_as_sizes_and_share_the_box_out(sizes) -> None:
    sizes.sort(reverse=True)
    boxes = squarify(sizes, (0, 0, 960, 480))
    areas = [width * height for _, _, width, height in boxes]
    scale = 960 * 480 / max(1, sum(sizes))
    assert areas == pytest.approx([size * scale for size in sizes], rel=1e-6)
    for x, y, width, height in boxes:
        assert x >= -1e-6 and y >= -1e-6
        assert x + width <= 960 + 1e-6 and y + height <= 480 + 1e-6
    for n, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:n]:
            beside = x + 1e-6 >= other_x + other_width or other_x + 1e-6 >= x + width
            assert beside or y + 1e-6 >= other_y + other_height or other_y + 1e-6 >= y + height
