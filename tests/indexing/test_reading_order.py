"""The order of files while a large folder is read for the first time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import Cancelled
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.index.writer import Index
from packhound.indexing.bulk_read import IndexingPass
from packhound.indexing.indexer import Indexer
from packhound.indexing.reading_order import ReadingOrder
from packhound.indexing.timing import Timing
from packhound.indexing.work_queue import DifferenceList, WorkQueue
from packhound.service.engine import Engine

N_FILES = 80
TEXTS = {
    "src/README.md": "Call json_dump, MakeSink, or parseRule up to MAX_DEPTH.\n",
    "src/depth.py": "import x\n\nMAX_DEPTH: int = 4\n",
    "src/Sink.cs": "    static Sink MakeSink(Action<Sink> action)\n    {\n    }\n",
    "src/dump.c": "char *json_dump(const json_t *json,\n                size_t flags) {\n}\n",
    "src/rule.js": "function parseRule(text) {\n}\n",
    "src/rules.js": "class Other {\n  async parseRule(text) {\n    return text\n  }\n}\n",
    "src/uses.py": "def use():\n    return 1\n",
}
PATHS = ("lib/a.py", "lib/a_test.py", "lib/deep/b.py", "shop/big.py", "shop/mail.py", "vendor/c.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    for n, path in enumerate(PATHS):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"def function_{n}():\n    return {n}\n")
    (root / "shop/big.py").write_text("def big():\n    return 0\n" * 2_000)
    return root


@pytest.fixture
def indexer(tmp_path: Path) -> Iterator[Indexer]:
    root = tmp_path / "many"
    root.mkdir()
    for n in range(N_FILES):
        (root / f"m{n:03}.py").write_text(f"def canary_{n:03}(path):\n    return path\n")
    indexer = Indexer(root, settings_from({"index.workers": 1}), Index(None), None, lambda: None)
    yield indexer
    indexer.close()


def test_sources_come_before_large_files_and_those_before_tests_and_vendored(root: Path) -> None:
    order = [*ReadingOrder(root, PATHS)]
    assert order == [*PATHS[:1], PATHS[2], PATHS[4], "shop/big.py", "lib/a_test.py", "vendor/c.py"]


def test_files_around_open_documents_come_first(root: Path) -> None:
    order = [*ReadingOrder(root, PATHS, ["shop/mail.py"])]
    assert order[:2] == ["shop/mail.py", "shop/big.py"]
    assert [*ReadingOrder(root, PATHS, ["lib/deep/x.py"])][:2] == ["lib/deep/b.py", "lib/a.py"]


@pytest.mark.parametrize(
    ("text", "near", "first"),
    [
        ("where is function_5 called?", (), ["vendor/c.py"]),
        ("json_dump", (), ["src/dump.c", "src/README.md"]),
        ("parseRule", (), ["src/rule.js", "src/rules.js", "src/README.md"]),
        ("MakeSink", (), ["src/Sink.cs", "src/README.md"]),
        ("MAX_DEPTH", (), ["src/depth.py", "src/README.md"]),
        ("mail is not sent", (), ["shop/mail.py"]),
        ("", ("vendor/c.py",), ["vendor/c.py", "lib/a.py", "lib/a_test.py"]),
        ("the return of a def", (), []),
    ],
)
def test_a_query_has_its_names_and_its_focus_read_first(
    root: Path, text: str, near: tuple[str, ...], first: list[str]
) -> None:
    for path, written in TEXTS.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(written)
    order = ReadingOrder(root, [*TEXTS, *PATHS])
    order.ask(text, near)
    order.seek()
    taken = [*iter(order.take_asked, None)]
    assert taken[: len(first)] == first and bool(taken) == bool(first)
    assert sorted([*taken, *order]) == sorted([*TEXTS, *PATHS])


def test_each_file_is_taken_once_whoever_asks(root: Path) -> None:
    order = ReadingOrder(root, PATHS)
    order.ask("function_5 mail")
    order.seek()
    rest = iter(order)
    taken = [next(rest)]
    order.ask("function_0 function_1 function_2 function_4 big", ["vendor/c.py"])
    order.seek()
    taken += [*iter(order.take_asked, None), *rest]
    assert sorted(taken) == sorted(PATHS)


@pytest.mark.parametrize("asked_before", [True, False], ids=["while the folder is walked", "later"])
def test_a_name_is_found_before_the_other_files_are_read(
    indexer: Indexer, asked_before: bool
) -> None:
    queue, name = indexer.queue, f"canary_{N_FILES - 1:03}"
    if asked_before:
        queue.read_first(name)
    while not isinstance(task := queue.take(), IndexingPass):
        indexer.step(task)
        if isinstance(task, DifferenceList) and not asked_before:
            queue.read_first(name)
    for thread in threading.enumerate():
        if thread.name == "packhound-reading-order":
            thread.join()
    indexer.step(task)
    published = indexer._index.snapshot.files
    assert [*published] == [f"m{N_FILES - 1:03}.py"] and queue.reading == (1, N_FILES, True)
    while task := queue.take():
        indexer.step(task)
    assert len(indexer._index.snapshot.files) == N_FILES


def test_what_is_asked_between_two_tasks_of_the_queue_is_read_first(indexer: Indexer) -> None:
    queue, last = indexer.queue, f"canary_{N_FILES - 1:03}"
    indexing: IndexingPass | None = None
    for n in range(1_000):
        if isinstance(task := queue.take(), IndexingPass):
            indexing = task
            break
        queue.read_first(f"canary_{n:03} {last}")
        assert not queue.named_is_read(0)
        indexer.step(task)
    assert indexing and indexing.is_seeking


def test_an_answer_waits_for_a_file_that_is_read_and_not_yet_published(indexer: Indexer) -> None:
    queue = indexer.queue
    while not isinstance(task := queue.take(), IndexingPass):
        indexer.step(task)
    while task.n_parsed < N_FILES // 2:
        indexer.step(task)
    queue.read_first("canary_000")
    while not queue.named_is_read(0):
        indexer.step(queue.take())
    assert "m000.py" in indexer._index.snapshot.files


def test_the_first_answer_of_a_new_folder_has_the_definition_that_it_names(
    indexer: Indexer, tmp_path: Path
) -> None:
    name, settings = f"canary_{N_FILES - 1:03}", settings_from({"index.persist": False})
    engine = Engine.open(tmp_path / "many", settings, timing=Timing(named_s=60))
    try:
        hits = engine.search(Query(name)).hits
        assert [hit.node.name for hit in hits][:1] == [name]
        assert engine.settled(60) and engine.reading.n_read == N_FILES
    finally:
        engine.close()


def test_nobody_waits_for_definitions_where_reading_is_given_up() -> None:
    queue = WorkQueue()
    queue.read_first("canary")
    assert not queue.named_is_read(0)
    queue.cancel()
    assert queue.named_is_read(60)


def test_who_no_longer_wants_an_answer_waits_for_no_definition(
    indexer: Indexer, tmp_path: Path
) -> None:
    settings, cancelled = settings_from({"index.persist": False}), threading.Event()
    cancelled.set()
    engine = Engine.open(tmp_path / "many", settings, timing=Timing(named_s=1e9))
    try:
        engine.index.queue.cancel()
        engine.refresh()
        with pytest.raises(Cancelled):
            engine.search(Query("no_such_name_anywhere"), cancelled)
    finally:
        engine.close()


def test_an_open_document_is_no_file_to_be_read_first(indexer: Indexer) -> None:
    queue = indexer.queue
    queue.update(Document("m000.py", b"def unsaved(): pass\n"))
    queue.read_first("canary_000")
    while task := queue.take():
        indexer.step(task)
    nodes = indexer._index.snapshot.files["m000.py"].nodes
    names = {node.name for node in nodes}
    assert "unsaved" in names and "canary_000" not in names
