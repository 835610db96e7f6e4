"""A reranker changes the order, says so in the reasons, and never costs the answer."""

import math
import threading
from pathlib import Path

import pytest

from packhound.core.errors import Cancelled
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Document, Query, Results
from packhound.service.engine import Engine

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "cross_encoder"
PARSER = "def parse_config_file(path):\n    return split(path)\n"
OTHER = (
    "def helper(path):\n    parse = tree = config = file = 1\n    return config file tree parse\n"
)
QUERY = Query("how to parse a config file")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "reader.py").write_text(PARSER)
    (folder / "other.py").write_text(OTHER)
    for number in range(60):
        (folder / f"config_{number}.py").write_text(f"def config_file_{number}():\n    pass\n")
    return folder


def search(root: Path, query: Query, settings: dict[str, object]) -> Results:
    engine = Engine.open(root, settings_from(settings))
    try:
        engine.settled()
        return engine.search(query)
    finally:
        engine.close()


def test_off_unless_a_folder_is_named(root):
    results = search(root, QUERY, {})
    assert results.hits[0].node.name == "parse_config_file"
    assert all(reason.signal != "cross_encoder" for hit in results.hits for reason in hit.why)


def test_its_word_counts_and_is_one_of_the_reasons(root):
    results = search(root, QUERY, {"rerank.path": str(MODEL), "rerank.weight": 50.0})
    assert results.hits[0].node.name == "helper"
    assert [hit.rank for hit in results.hits] == list(range(1, 11))
    for hit in results.hits:
        assert math.isclose(hit.score, math.fsum(reason.contribution for reason in hit.why))
        assert hit.why[-1].signal == "cross_encoder"
    assert not results.truncated


def test_explain_gives_the_score_that_ranked(root):
    engine = Engine.open(root, settings_from({"rerank.path": str(MODEL)}))
    engine.settled()
    best = engine.search(QUERY).hits[0]
    explained = engine.explain(QUERY, best.node.path, best.node.span.start_line)
    assert explained is not None and math.isclose(explained.score, best.score)
    engine.close()


def test_unsaved_text_is_what_it_reads(root):
    engine = Engine.open(root, settings_from({"rerank.path": str(MODEL), "rerank.weight": 50.0}))
    engine.settled()
    typed = OTHER.replace("helper", "typed") + "    return parse config file\n"
    engine.update(Document("typed.py", typed.encode()))
    assert engine.search(QUERY).hits[0].node.name == "typed"
    engine.close()


def test_hits_below_those_that_are_read_stay_below(root):
    deep = Query(QUERY.text, limit=62)
    plain, reranked = search(root, deep, {}), search(root, deep, {"rerank.path": str(MODEL)})
    assert {hit.node.path for hit in plain.hits} == {hit.node.path for hit in reranked.hits}
    assert [hit.score for hit in reranked.hits] == sorted(
        (hit.score for hit in reranked.hits), reverse=True
    )


def test_a_typed_name_has_its_definition_first_whatever_it_says(root):
    settings = {"rerank.path": str(MODEL), "rerank.weight": 100.0}
    results = search(root, Query("config_file_7"), settings)
    assert results.hits[0].node.name == "config_file_7"


def test_no_time_is_said_and_loses_nothing(root):
    hurried = Query(QUERY.text, budget=Budget(time_ms=0.001))
    results = search(root, hurried, {"rerank.path": str(MODEL)})
    assert len(results.hits) == 10 and results.truncated
    assert any("stopped to keep within 0.001 ms, without" in note for note in results.notes)
    assert any("the reranker" in note for note in results.notes)


def test_a_folder_without_a_model_is_said_and_loses_nothing(root):
    results = search(root, QUERY, {"rerank.path": str(root)})
    assert results.hits[0].node.name == "parse_config_file"
    assert any("results are not reranked" in note for note in results.notes)


def test_a_cancelled_search_stops_reading(root):
    engine = Engine.open(root, settings_from({"rerank.path": str(MODEL)}))
    engine.settled()
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        engine.search(QUERY, cancel)
    engine.close()


def test_another_model_is_taken_up_while_it_runs(root):
    engine = Engine.open(root, Settings())
    engine.settled()
    first = engine.search(QUERY).hits[0].node.name
    engine.configure(settings_from({"rerank.path": str(MODEL), "rerank.weight": 50.0}))
    engine.settled()
    assert (first, engine.search(QUERY).hits[0].node.name) == ("parse_config_file", "helper")
    engine.close()


def test_the_search_of_a_pack_is_reranked_too(root):
    engine = Engine.open(root, settings_from({"rerank.path": str(MODEL), "rerank.weight": 50.0}))
    engine.settled()
    hits = engine.packs.service().context(engine.snapshot).search(QUERY).hits
    engine.close()
    assert hits[0].node.name == "helper" and hits[0].why[-1].signal == "cross_encoder"
