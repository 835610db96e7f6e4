"""The index of records: updates equal rebuilds, order is deterministic, filters and fusion."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from packhound.core import backoff
from packhound.core.errors import ModelError, StoreError
from packhound.core.records import Record, Scope, SourceName, read_iso_date
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Hit, NodeId, NodeRef, Span
from packhound.encoder import Embedder
from packhound.sources import RecordQuery, SourceRegistry, fuse, hits_of
from packhound.sources.indexed_source import IndexedSource
from packhound.sources.protocol import Source
from packhound.sources.record_index import RecordIndex
from packhound.sources.record_snapshot import RecordSnapshot
from packhound.text import terms
from tests.support.project import wait_until

WORDS = [*("token", "retry", "cache", "login", "session", "queue"), *("render", "parse", "index")]
WORDS += ["vector", "socket", "frame"]
DAY = 86_400.0


class Notes(Source):
    """A source whose records the test sets."""

    name: SourceName = "notes"

    def __init__(self, *records: Record) -> None:
        self.all = [*records]
        self.broken = False
        self.n_reads = 0

    def version(self) -> object:
        return tuple(self.all), self.broken

    def records(self) -> Iterable[Record]:
        self.n_reads += 1
        if self.broken:
            raise StoreError("'notes.sqlite' cannot be read")
        return self.all

    def state(self, record: Record) -> str:
        return str(record.metadata.get("state", ""))


@dataclass
class Folder:
    """What a source needs of a folder."""

    embedder: Embedder | None = None
    vectors: None = None
    settings: Settings = field(default_factory=Settings)


def ask(text: str, *types: str, encoder: Embedder | None = None, **scope: object) -> RecordQuery:
    words = terms(text)
    vector = encoder.encode_query(text) if encoder else None
    requests = Scope(types or ("note", "decision", "stash"), **scope)  # type: ignore[arg-type]
    return RecordQuery(words, [1.0] * len(words), vector, requests, now=1_000 * DAY)


def ids(snapshot: RecordSnapshot, query: RecordQuery) -> list[str]:
    scored, _ = snapshot.search(query, 10, lambda record: "")
    return [entry.record.id for entry in scored]


def random_record(rng: random.Random, number: int) -> Record:
    words = rng.choices(WORDS, k=8)
    return Record(
        str(number), rng.choice(["note", "stash"]), words[0], " ".join(words[1:]),
        date=rng.uniform(0, 1_000 * DAY), tags=tuple(words[:1]),
    )  # fmt: skip


@pytest.fixture(scope="module")
def encoder() -> Embedder:
    return Embedder.open()


@pytest.mark.parametrize("seed", range(5))
def test_an_updated_index_equals_a_rebuilt_one(seed: int, encoder: Embedder) -> None:
    rng = random.Random(seed)
    records = {n: random_record(rng, n) for n in range(60)}
    live = RecordIndex()
    for _ in range(8):
        live.update(records.values())
        live.embed(encoder, 1_000)
        for number in rng.sample(range(80), 10):
            records.pop(number, None)
        for number in rng.sample(range(80), 10):
            records[number] = random_record(rng, number)
    live.update(records.values())
    live.embed(encoder, 1_000)
    rebuilt = RecordIndex()
    rebuilt.update(reversed([*records.values()]))
    rebuilt.embed(encoder, 1_000)
    for _ in range(20):
        query = ask(" ".join(rng.choices(WORDS, k=3)), encoder=encoder)
        answers = [index.snapshot.search(query, 10, lambda _: "") for index in (live, rebuilt)]
        assert answers[0] == answers[1]


def test_a_score_is_the_sum_of_its_signals_and_boosts_are_those_defined() -> None:
    old = Record("a", "note", "token rotation", "rotate the token daily", date=0.0)
    new = old._replace(id="b", date=1_000 * DAY)
    untitled = old._replace(id="c", title="rotation", text="rotate the token daily token")
    index = RecordIndex()
    index.update([old, new, untitled])
    scored, _ = index.snapshot.search(ask("token"), 10, lambda record: "")
    for entry in scored:
        assert entry.score == pytest.approx(sum(signal.contribution for signal in entry.why))
    scores = {entry.record.id: entry.score for entry in scored}
    assert scores["b"] / scores["a"] == pytest.approx(1.1 / (1 + 0.1 / 1_001), rel=1e-5)
    values = {s.signal: s.value for e in scored if e.record.id == "a" for s in e.why}
    assert values["record_title"] == pytest.approx(0.2 * values["record_words"])


def test_a_listing_has_the_newest_first_and_of_equal_dates_the_order_of_the_source() -> None:
    dates = {"c": 5.0, "a": 5.0, "b": 5.0, "e": 5.0004, "d": 4.9996}
    index = RecordIndex()
    for order in ("cabed", "edbac", "dcabe"):
        index.update([Record(key, "note", "token", "rotate", dates[key]) for key in order])
        equal = [key for key in order if dates[key] == 5.0]
        assert ids(index.snapshot, ask("")) == ["e", *equal, "d"]


def test_what_has_a_state_ranks_lower() -> None:
    stale = Record("a", "note", "token", "rotate", metadata={"state": "stale"})
    fresh = Record("b", "note", "token", "rotate")
    for order in ([stale, fresh], [fresh, stale]):
        scored, _, _ = IndexedSource(Notes(*order), Folder()).search(ask("token"), 10)
        assert [(entry.record.id, entry.state) for entry in scored] == [("b", ""), ("a", "stale")]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({}, {"a", "b", "c"}),
        ({"since": read_iso_date("2025-12-01")}, {"b", "c"}),
        ({"before": read_iso_date("2025-12-02")}, {"a", "b"}),
        ({"since": read_iso_date("2025-12-01"), "before": read_iso_date("2025-12-02")}, {"b"}),
        ({"tags": ("auth",)}, {"a"}),
        ({"tags": ("auth", "mail")}, {"a", "c"}),
        ({"types": ("stash",)}, {"c"}),
    ],
)
def test_filters(scope: dict[str, object], expected: set[str]) -> None:
    def record(name: str, day: str, kind: str, tag: str) -> Record:
        date = read_iso_date(day)
        assert date is not None
        return Record(name, kind, "token", "", date, tags=(tag,))  # type: ignore[arg-type]

    index = RecordIndex()
    index.update(
        [
            record("a", "2025-11-30", "note", "Auth"),
            record("b", "2025-12-01", "note", "cache"),
            record("c", "2025-12-02", "stash", "mail"),
        ],
    )
    full = {"types": ("note", "stash"), "since": -inf, "before": inf, "tags": (), **scope}
    query = ask("token")._replace(scope=Scope(**full))  # type: ignore[arg-type]
    assert set(ids(index.snapshot, query)) == expected
    listing = query._replace(terms=(), weights=())
    assert set(ids(index.snapshot, listing)) == expected


def test_only_changed_records_are_read_and_encoded_again(encoder: Embedder) -> None:
    source = Notes(*(Record(str(n), "note", WORDS[n], "text") for n in range(10)))
    indexed = IndexedSource(source, Folder(encoder))
    indexed.search(ask("token"), 10)
    indexed.search(ask("retry"), 10)
    assert source.n_reads == 1
    assert indexed.rebuild(regenerate=False)[1:] == (10, 10, 0)
    source.all[0] = source.all[0]._replace(text="other")
    assert indexed.rebuild(regenerate=False)[1:] == (10, 9, 1)
    assert indexed.rebuild(regenerate=True)[1:] == (10, 0, 10)


def test_without_an_encoder_words_answer_and_say_so() -> None:
    indexed = IndexedSource(Notes(Record("a", "note", "token", "rotate")), Folder())
    scored, _, notes = indexed.search(ask("token"), 10)
    assert [entry.record.id for entry in scored] == ["a"]
    assert notes == ["semantic search unavailable: exact key or words only"]


def test_a_source_that_cannot_be_read_answers_from_what_it_had_and_says_so() -> None:
    source = Notes(Record("a", "note", "token", "rotate"))
    indexed = IndexedSource(source, Folder())
    indexed.search(ask("token"), 10)
    source.broken = True
    scored, _, notes = indexed.search(ask("token"), 10)
    assert [entry.record.id for entry in scored] == ["a"]
    assert "notes: 'notes.sqlite' cannot be read" in notes
    assert indexed.status().problems == ("notes: 'notes.sqlite' cannot be read",)


def test_a_source_that_is_off_is_never_opened() -> None:
    opened: list[Notes] = []
    folder = Folder()
    folder.settings = settings_from({"sources.notes.enabled": True})

    def open_notes() -> Notes:
        opened.append(Notes())
        return opened[-1]

    registry = SourceRegistry({"notes": open_notes}, folder)
    assert not opened
    assert registry.get("notes") is registry.get("notes")
    assert len(opened) == 1
    folder.settings = settings_from({"sources.notes.enabled": False})
    assert registry.get("notes") is None
    assert registry.get("skills") is None
    assert len(opened) == 1


def code_hit(path: str, rank: int, score: float = 1.0) -> Hit:
    node = NodeRef("", path, "", "function", "f", "f", "", "", Span(0, 1, 0, 0), 1, NodeId(0))
    return Hit(node, rank, score, ())


def note_hits(*records: Record) -> Sequence[Hit]:
    index = RecordIndex()
    index.update(records)
    scored, _ = index.snapshot.search(ask("token"), 10, lambda record: "")
    return hits_of(scored, "", "token")


def test_fusion_adds_reciprocal_ranks_and_merges_equal_references() -> None:
    in_code = Record("x", "note", "token", "text", path="a.py", line=1)
    notes = note_hits(in_code)
    [first, second] = fuse([[code_hit("b.py", 1), code_hit("a.py", 2)], notes], 10)
    assert (first.node.path, second.node.path) == ("a.py", "b.py")
    assert first.score == pytest.approx(1 / 62 + 1 / 61)
    assert first.record is None, "the first hit of a reference stays"
    assert [hit.rank for hit in (first, second)] == [1, 2]
    assert second.score == pytest.approx(1 / 61)


def test_ties_of_fusion_go_by_score_then_by_a_stable_hash() -> None:
    strong, weak = code_hit("a.py", 1, 2.0), code_hit("b.py", 1, 1.0)
    assert [h.node.path for h in fuse([[weak], [strong]], 10)] == ["a.py", "b.py"]
    equal = [[code_hit(f"{n}.py", 1)] for n in range(20)]
    orders = {tuple(h.node.path for h in fuse(answers, 20)) for answers in (equal, equal[::-1])}
    assert len(orders) == 1


def test_vectors_are_zero_where_there_is_none_yet(encoder: Embedder) -> None:
    index = RecordIndex()
    index.update([Record(str(n), "note", word, "") for n, word in enumerate(WORDS)])
    assert len(index.embed(encoder, 5)) == 5
    assert index.snapshot.n_vectors == 5
    assert index.snapshot.vectors is not None
    assert np.count_nonzero(np.abs(index.snapshot.vectors).sum(axis=1)) == 5


def test_terms_of_records_that_are_gone_are_forgotten(encoder: Embedder) -> None:
    index, rng = RecordIndex(), random.Random(0)
    for round_ in range(30):
        texts = [f"token {' '.join(f'w{rng.getrandbits(40):x}q' for _ in range(60))}"] * 20
        records = [
            Record(str(n), "note", f"retry {round_}", f"{text} z{rng.getrandbits(40):x}z")
            for n, text in enumerate(texts)
        ]
        records += [Record(f"r{n}", "note", "t", f"x{rng.getrandbits(60):x}") for n in range(800)]
        index.update(records)
        index.embed(encoder, 2_000)
    assert len(index.snapshot.term_ids) < 20_000
    rebuilt = RecordIndex()
    rebuilt.update(records)
    rebuilt.embed(encoder, 2_000)
    for text in ("token", "retry 29", "retry 28", records[3].text):
        query = ask(text, encoder=encoder)
        answers = [each.snapshot.search(query, 10, lambda _: "") for each in (index, rebuilt)]
        assert answers[0] == answers[1]


class BrokenEncoder:
    """An encoder that raises `errors`, one after the other, and then encodes."""

    fingerprint = "broken"

    def __init__(self, *errors: Exception, fast: bool) -> None:
        self.errors = [*errors]
        self.fast = fast

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        if self.errors:
            raise self.errors.pop(0)
        return np.ones((len(texts), 4), np.float32)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("error", [ModelError("it is ill"), RuntimeError("it is ill")])
def test_an_encoder_that_fails_is_named_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, error: Exception, fast: bool
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(backoff, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    encoder = BrokenEncoder(error, fast=fast)
    source = IndexedSource(Notes(Record("a", "note", "token", "a token")), Folder(encoder))
    scored, _, _ = source.search(ask("token"), 10)
    assert [entry.record.id for entry in scored] == ["a"]
    wait_until(lambda: source.status().problems == ("notes: it is ill",))
    _, _, notes = source.search(ask("token"), 10)
    assert "notes: it is ill" in notes and source.status().vectors == 0
    clock[0] += 3_600
    source.search(ask("token"), 10)
    wait_until(lambda: source.status().vectors == 1)
    assert source.status().problems == ()
