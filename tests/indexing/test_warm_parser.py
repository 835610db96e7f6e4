"""The parser of open documents is ready before their first edit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.types import Document
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer
from packhound.indexing.open_documents import OpenDocumentParser
from packhound.parsing.pool.pool import ParsePool
from packhound.parsing.pool.worker import Worker, WorkerDied
from packhound.parsing.tree_cache import MOST_DOCUMENTS
from tests.support.project import MAIL


@pytest.fixture
def parser() -> Iterator[OpenDocumentParser]:
    parser = OpenDocumentParser(Index(None), ParsePool(1))
    yield parser
    parser.close()


def test_an_opened_document_is_parsed_when_there_is_time(parser: OpenDocumentParser) -> None:
    assert not parser.pool.workers
    parser.prewarm(MAIL)
    assert parser.has_prewarm_work and not parser.is_warm(MAIL)
    parser.prewarm_next()
    assert parser.pool.workers and parser.is_warm(MAIL) and not parser.has_prewarm_work
    parser.prewarm(MAIL)
    assert not parser.has_prewarm_work


def test_a_new_process_is_warmed_as_the_first_was(parser: OpenDocumentParser) -> None:
    parser.prewarm(MAIL)
    parser.prewarm_next()
    (worker,) = parser.pool.workers
    worker.kill()
    worker.process.wait()
    parser.parse(Document("shop/other.md", b"# A title\n\nSome text.\n"))
    assert parser.pool.n_started == 2 and not parser.is_warm(MAIL)
    parser.prewarm(MAIL)
    parser.prewarm_next()
    assert parser.is_warm(MAIL)


def test_an_edit_needs_no_prewarming_any_more(parser: OpenDocumentParser) -> None:
    parser.prewarm(MAIL)
    parser.parse(Document(MAIL.path, b"def edited(): pass\n"))
    assert not parser.has_prewarm_work


def test_only_the_last_documents_are_prewarmed(parser: OpenDocumentParser) -> None:
    documents = [Document(f"{n}.py", b"x = 1\n") for n in range(MOST_DOCUMENTS + 2)]
    for document in documents:
        parser.prewarm(document)
    while parser.has_prewarm_work:
        parser.prewarm_next()
    assert [parser.is_warm(document) for document in documents] == [False] * 2 + [
        True
    ] * MOST_DOCUMENTS


def test_closing_does_not_wait_for_parsers(root: Path, caplog, monkeypatch) -> None:
    for n in range(40):
        (root / f"m{n}.py").write_text(f"def f{n}(): pass\n")
    started = threading.Event()

    def hang(worker: Worker, tasks: object) -> None:
        started.set()
        worker.process.wait()
        raise WorkerDied

    monkeypatch.setattr(Worker, "send", hang)
    indexer = Indexer(root, Settings(), Index(None), None, lambda: None)
    indexer.start()
    assert started.wait(30)
    indexer.close()
    assert not indexer.thread.is_alive()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
