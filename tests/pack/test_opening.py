"""First lines of a pack: how sure it is, and what is not in it."""

from __future__ import annotations

import json

import pytest

from packhound.core.settings_reader import settings_from
from packhound.llm import counter_for
from packhound.operations import answer
from packhound.service import Engine
from tests.support.operations import call_of


def _boil(what: str) -> str:
    """Return a long function that is like no other."""
    lines = (f"    kettle.{what}_{n}(until='the {what} is {n * 7}')\n" for n in range(40))
    return f'def boil_{what}(kettle):\n    """Boil water for {what}."""\n{"".join(lines)}'


_DRINKS = ("tea", "coffee", "cocoa", "soup", "mate", "broth")
_FILES = {
    **{f"{what}.py": _boil(what) for what in _DRINKS},
    "roof.py": "def mend_roof():\n    return 'tiles'\n",
}


@pytest.fixture
def engines(tmp_path):
    opened = []
    for name in ("house", "shed"):
        folder = tmp_path / name
        folder.mkdir()
        for path, text in _FILES.items():
            (folder / path).write_text(text)
        opened.append(Engine.open(folder, settings_from({})))
        assert opened[-1].settled(30)
    yield opened
    for engine in opened:
        engine.close()


def packed(engines, prompt, **fields):
    return answer(call_of(*engines, is_agent=False), "pack", {"prompt": prompt, **fields})


@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
@pytest.mark.parametrize("n_roots", [1, 2])
def test_a_pack_says_once_how_sure_it_is_and_what_is_not_there(engines, form, n_roots) -> None:
    pack = packed(engines[:n_roots], "mend_roof like zqHammer does", budget=600, format=form)
    text, word = pack["text"], pack["confidence_word"]
    sure = f"best hit: {word}"
    said = f"taken as code to find; {sure}; `zqHammer` is not in this folder"
    assert text.count("zqHammer") == 1 and said in text
    assert "mend_roof" in text
    assert pack["tokens"] == counter_for().count(text) <= 600
    if form == "json":
        assert json.loads(text)["about"] == [said]


def test_what_was_left_out_is_named_so_that_it_can_be_read(engines) -> None:
    pack = packed(engines[:1], "boil water", budget=1_000)
    _, left_out, *_ = pack["text"].splitlines()
    assert left_out.startswith("left out, though it may be needed: `")
    reference = left_out.split("`")[1]
    read = answer(call_of(engines[0]), "read_node", {"path": reference})
    assert "boil" in str(read)


def test_an_answer_without_words_of_the_prompt_is_called_weak(engines) -> None:
    pack = packed(engines[:1], "marsupial genome sequencing", budget=600)
    assert pack["confidence_word"] == "weak"
    first, *_ = pack["text"].splitlines()
    assert first.startswith("taken as code to find; best hit: weak, so few files")
    assert "; no hit has a word of the query; " in first
    assert len({item["path"] for item in pack["items"]}) <= 2


@pytest.mark.parametrize("n_roots", [1, 2])
def test_a_search_that_was_cut_short_is_said(engines, n_roots, monkeypatch) -> None:
    assert "stopped" not in packed(engines[:n_roots], "boil water", budget=600)["text"]
    monkeypatch.setattr("packhound.pack.sources.search_hits.DEEP_TIME_MS", 1e-6)
    first, *_ = packed(engines[:n_roots], "boil water", budget=600)["text"].splitlines()
    assert (
        "stopped to keep within" in first
        and "ms, without meaning" in first
        and "--time-ms" not in first
    )


def test_what_a_prompt_is_taken_as_is_said_also_where_the_users_do_not_fit(engines) -> None:
    folder, users = engines[0].root, "".join(f"    hang_door({n})\n" for n in range(60))
    name = "hang_the_front_door_of_a_house_that_has_many_other_doors_in_it"
    for n in range(4):
        text = f"def {name}():\n    return {n}\n\n\ndef use_{n}():\n    {name}()\n{users}"
        (folder / f"door_{n}.py").write_text(text)
    engines[0].refresh()
    assert engines[0].settled(30)
    prompt = f"Rename {name} to hang_it"
    texts = [packed(engines[:1], prompt, budget=budget)["text"] for budget in range(200, 900, 20)]
    assert all(text.startswith("taken as code to change wherever it is used") for text in texts)


def test_a_map_and_an_empty_pack_have_no_such_lines(engines) -> None:
    assert "confidence" not in packed(engines[:1], "", map=True)["text"]
    assert packed(engines[:1], "boil water", budget=5)["text"] == ""


def test_what_prints_the_message_is_there_before_smaller_code(engines) -> None:
    folder, lines = engines[0].root, "".join(f"    shelf_{n}(jar, 'sweet')\n" for n in range(90))
    printer = f"def stow_jar(jar):\n{lines}    raise JarError(f'no shelf for sweet jar {{jar}}')\n"
    (folder / "stow.py").write_text(printer)
    for n in range(30):
        text = f"def sweet_jar_{n}(shelf):\n    return shelf.jar({n})\n"
        (folder / f"jar_{n}.py").write_text(text)
    engines[0].refresh()
    assert engines[0].settled(30)
    text = packed(engines[:1], "no shelf for sweet jar 'x17'", budget=1_300)["text"]
    assert "raise JarError(f'no shelf for sweet jar {jar}')" in text
