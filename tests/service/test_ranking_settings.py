"""Settings of the ranking in a folder's file: each counts from the next search on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from packhound.core.settings_files import FolderSettings
from packhound.core.types import Budget, Query, Results
from packhound.pack.request import PackRequest
from packhound.search.signals.registry import group_of
from packhound.service.engine import Engine
from tests.support.shop import FILES

QUERY = "total price of the cart"
Ask = Callable[..., Results]
UNREAD = 'index.exclude = [".packhound.toml"]'
"""Else the words of the file itself count, once it has been read."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    for path, text in FILES.items():
        (tmp_path / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / path).write_text(text)
    (tmp_path / "shop" / ".packhound.toml").write_text(UNREAD)
    return tmp_path / "shop"


@pytest.fixture
def engine(folder: Path) -> Iterator[Engine]:
    engine = Engine.open(folder, FolderSettings(folder))
    engine.settled()
    yield engine
    engine.close()


@pytest.fixture
def ask(engine: Engine, folder: Path) -> Ask:
    def ask(*lines: str, **query: object) -> Results:
        (folder / ".packhound.toml").write_text("\n".join((UNREAD, *lines)))
        # On a busy machine a second is too short for all of a search.
        query = {"budget": Budget(time_ms=60_000), **query}
        results = engine.search(Query(QUERY, **query))  # type: ignore[arg-type]
        for hit in results.hits:
            assert hit.score == pytest.approx(sum(signal.contribution for signal in hit.why))
        return results

    return ask


def ranked(results: Results) -> list[tuple]:
    return [(hit.node.path, hit.node.qualname, hit.score, hit.why) for hit in results.hits]


def groups(results: Results) -> set[str]:
    return {group_of(s.signal) for hit in results.hits for s in hit.why if s.contribution}


def test_defaults_written_out_change_nothing(ask: Ask) -> None:
    written = ("words.weight = 1", "words.k1 = 1.2", "words.b = 0.75", "meaning.weight = 1.0")
    top_k = ("words.topK = 100", "meaning.topK = 100", "names.topK = 100", "search.mmrLambda = 1")
    assert ranked(ask(*written, *top_k)) == ranked(ask())


@pytest.mark.parametrize(
    "line",
    [
        *("words.weight = 2", "words.k1 = 0.1", "words.b = 0", "meaning.weight = 0.5"),
        *("search.fuser = 'blend'", "search.fuser = 'rrf'", "search.mmrLambda = 0.5"),
    ],
)
def test_each_setting_changes_the_next_search_and_its_reasons(ask: Ask, line: str) -> None:
    before = ask()
    assert ranked(ask(line)) != ranked(before)
    again = ask()
    differing = [
        (hit.node.qualname, value, other)
        for hit, first in zip(again.hits, before.hits, strict=True)
        for value, other in zip(hit.why, first.why, strict=False)
        if value != other
    ]
    assert not differing and ranked(again) == ranked(before)


def test_factors_multiply_the_weights_of_their_groups(ask: Ask) -> None:
    assert not groups(ask("words.weight = 0")) & {"Words", "Name"}
    assert "Meaning" not in groups(ask("meaning.weight = 0"))
    weights = {s.signal: s.weight for hit in ask().hits for s in hit.why}
    doubled = {s.signal: s.weight for hit in ask("meaning.weight = 2").hits for s in hit.why}
    same = [name for name in weights.keys() & doubled.keys() if name != "speaks_for_file"]
    assert any(group_of(name) == "Meaning" for name in same)
    for name in same:
        factor = 2 if group_of(name) == "Meaning" else 1
        assert doubled[name] == factor * weights[name]


@pytest.mark.parametrize("fuser", ["blend", "rrf"])
def test_factors_count_for_other_fusers(ask: Ask, fuser: str) -> None:
    words = ask(f"search.fuser = '{fuser}'", "meaning.weight = 0")
    assert groups(words) == {"Words"}


def test_a_request_has_the_last_word_on_the_fuser(ask: Ask) -> None:
    assert ranked(ask("search.fuser = 'rrf'", fuser="blend")) == ranked(
        ask("search.fuser = 'blend'")
    )


def test_top_k_bounds_what_each_source_brings(ask: Ask) -> None:
    assert ask("words.topK = 0", "names.topK = 0", "meaning.topK = 0").candidates == 0
    by_words = ask("words.topK = 1", "names.topK = 0", "meaning.topK = 0")
    assert by_words.candidates == len(by_words.hits) == 1
    assert ask("words.topK = 0", "names.topK = 0", "meaning.topK = 2").candidates > 0


def test_signals_of_a_file_are_of_the_whole_file(ask: Ask) -> None:
    def of_file(results: Results) -> dict[str, float]:
        names = ("file_coverage", "node_count")
        return {s.signal: s.value for s in results.hits[0].why if s.signal in names}

    patient = Budget(time_ms=60_000)
    alone = ask("words.topK = 1", "names.topK = 0", "meaning.topK = 0", budget=patient)
    among_others = ask(budget=patient)
    assert alone.hits[0].node.qualname == among_others.hits[0].node.qualname
    assert len(of_file(alone)) == 2
    assert of_file(alone) == pytest.approx(of_file(among_others))


def test_repeated_code_comes_later_with_less_lambda(engine: Engine, ask: Ask) -> None:
    [first, *rest] = ask("search.mmrLambda = 0.3").hits
    assert not any(signal.signal == "repeats_above" for signal in first.why)
    reasons = [signal for hit in rest for signal in hit.why if signal.signal == "repeats_above"]
    assert reasons and all(signal.contribution < 0 for signal in reasons)


def test_graph_top_k_bounds_the_neighbours_of_a_pack(engine: Engine, folder: Path) -> None:
    def reasons(line: str) -> str:
        (folder / ".packhound.toml").write_text(line)
        return "; ".join(item.reason for item in engine.pack(PackRequest(QUERY)).items)

    words = ("used by", "uses ", "member of", "contains ")
    assert any(word in reasons("") for word in words)
    assert not any(word in reasons("graph.topK = 0") for word in words)


def test_meaning_that_is_off_loads_no_encoder_and_the_status_says_so(
    engine: Engine, ask: Ask
) -> None:
    assert "Meaning" in groups(ask())
    ask("meaning.enabled = false")
    engine.settled()
    results = ask("meaning.enabled = false")
    assert results.hits and "Meaning" not in groups(results)
    assert results.notes == ("`cart` is not in this folder",)
    notes = ask("meaning.enabled = false", mode="dense").notes
    assert "meaning.enabled is off: ranked by words alone" in notes
    status = engine.status()
    assert (status.model, status.vectors) == ("off by the setting meaning.enabled", 0)
    ask()
    engine.settled()
    assert "Meaning" in groups(ask())


def test_no_library_of_models_is_imported_while_meaning_is_off(folder: Path) -> None:
    (folder / ".packhound.toml").write_text("meaning.enabled = false\n")
    script = f"""
import sys
from pathlib import Path
from packhound.core.settings_files import FolderSettings
from packhound.core.types import Query
from packhound.service.engine import Engine
folder = Path({str(folder)!r})
engine = Engine.open(folder, FolderSettings(folder))
engine.settled()
assert engine.search(Query({QUERY!r}, deep=True)).hits
engine.close()
print(sorted(name for name in ("onnxruntime", "tokenizers", "hnswlib") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_meaning_that_is_switched_on_answers_the_next_search(ask: Ask) -> None:
    ask("meaning.enabled = false", budget=Budget(60_000))
    results = ask("meaning.enabled = true", budget=Budget(60_000))
    assert "Meaning" in groups(results)
    assert not any("files read" in note for note in results.notes)
