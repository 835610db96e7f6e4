"""The engine over a real folder: real parsers, real index, real disk."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import RootError
from packhound.core.settings import Settings
from packhound.core.types import Document, Query
from packhound.index.maintenance import Limits
from packhound.pack.pack import pack
from packhound.pack.request import PackRequest
from packhound.parsing.pool.worker import Worker, WorkerDied
from packhound.service.engine import Engine
from packhound.service.roots import check_root, clear_index, index_folder
from packhound.service.workspace import Workspace

FILES = {
    "shop/cart.py": '''"""The shopping cart."""


class Cart:
    """What a customer wants to buy."""

    def add_item(self, item, count=1):
        """Put an item into the cart."""
        self.items[item] = self.items.get(item, 0) + count

    def total_price(self):
        return sum(item.price * count for item, count in self.items.items())
''',
    "shop/mail.py": '''def send_receipt(address, order):
    """Mail the receipt of an order to its customer."""
    connect().send(address, render(order))
''',
    "web/router.ts": """export function matchRoute(path: string): Handler | undefined {
  return routes.find((route) => route.pattern.test(path))?.handler;
}
""",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    engine = Engine.open(root)
    assert engine.settled(30)
    yield engine
    engine.close()


def names(engine: Engine, text: str, **query: object) -> list[str]:
    results = engine.search(Query(text=text, **query))  # type: ignore[arg-type]
    return [hit.node.name for hit in results.hits]


def test_the_described_function_comes_first(engine: Engine) -> None:
    assert names(engine, "mail the receipt to the customer")[0] == "send_receipt"
    assert names(engine, "total price of all items")[0] == "total_price"
    assert names(engine, "matchRoute")[0] == "matchRoute"


def test_contributions_add_up_to_the_score(engine: Engine) -> None:
    for hit in engine.search(Query("add an item to the cart")).hits:
        assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))


def test_unsaved_text_is_found_by_the_very_next_search(engine: Engine) -> None:
    for word in ("zebrafish", "quokka", "axolotl"):
        source = f"def feed_{word}():\n    return 1\n".encode()
        engine.update(Document("shop/mail.py", source))
        assert names(engine, f"feed_{word}")[0] == f"feed_{word}"
    assert "send_receipt" not in names(engine, "send_receipt")
    engine.release("shop/mail.py")
    assert engine.settled(10)
    assert names(engine, "send_receipt")[0] == "send_receipt"
    assert "feed_axolotl" not in names(engine, "feed_axolotl")


@pytest.mark.parametrize(
    "source", ["# {}\n'Doc.'\n", "{} = 1\n", "# {}\n", "'''{}'''\n", "def f(): pass\n# {}"]
)
def test_the_smallest_remark_is_found(engine: Engine, source: str) -> None:
    engine.update(Document("shop/mail.py", source.format("wombatword").encode()))
    (hit, *_) = engine.search(Query("wombatword", mode="lexical")).hits
    assert hit.node.path == "shop/mail.py"


def test_an_unsaved_file_is_found_and_forgotten(engine: Engine) -> None:
    engine.update(Document("new.py", b"def brand_new_thing():\n    pass\n"))
    assert names(engine, "brand_new_thing")[0] == "brand_new_thing"
    engine.release("new.py")
    assert engine.settled(10)
    assert "brand_new_thing" not in names(engine, "brand_new_thing")


def test_the_disk_is_followed(engine: Engine, root: Path) -> None:
    (root / "shop" / "stock.py").write_text("def count_stock():\n    return 0\n")
    (root / "shop" / "mail.py").unlink()
    engine.refresh(["shop/stock.py", "shop/mail.py"])
    assert engine.settled(10)
    assert names(engine, "count_stock")[0] == "count_stock"
    assert "send_receipt" not in names(engine, "send_receipt")
    (root / "shop").rename(root / "store")
    engine.refresh()
    assert engine.settled(10)
    assert {node.path for node in engine.outline()} == {
        "store/cart.py",
        "store/stock.py",
        "web/router.ts",
    }


def test_a_removed_folder_leaves_the_index(engine: Engine, root: Path) -> None:
    (root / "web" / "router.ts").unlink()
    (root / "web").rmdir()
    engine.refresh(["web"])
    assert engine.settled(10)
    assert "web/router.ts" not in engine.snapshot.files


def test_a_second_start_loads_what_the_first_one_saved(engine: Engine, root: Path) -> None:
    before = engine.search(Query("receipt"))
    engine.close()
    again = Engine.open(root)
    try:
        assert again.snapshot.n_nodes == engine.snapshot.n_nodes
        after = again.search(Query("receipt"))
        assert [(h.node.qualname, h.score) for h in after.hits] == [
            (h.node.qualname, h.score) for h in before.hits
        ]
        assert again.settled(30)
        assert names(again, "matchRoute")[0] == "matchRoute"
    finally:
        again.close()


def test_a_first_reading_ends_with_one_segment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("packhound.indexing.bulk_read._BATCH_NODES", 2)
    engine = Engine.open(root)
    try:
        assert engine.settled(30)
        assert len(engine._index._state.segments) == 1
    finally:
        engine.close()


def test_a_shown_file_has_its_parser_ready(engine: Engine, root: Path) -> None:
    engine.close()
    again = Engine.open(root)
    try:
        assert again.settled(30)
        pool = again._indexer._live.pool
        assert not pool.workers
        again.update(Document("shop/mail.py", FILES["shop/mail.py"].encode()))
        deadline = time.monotonic() + 30
        while not pool._idle and time.monotonic() < deadline:
            time.sleep(0.01)
        assert pool._idle
    finally:
        again.close()


def test_a_new_parser_is_made_ready_as_the_first_was(engine: Engine) -> None:
    live = engine._indexer._live
    engine.settled(30)
    mail = Document("shop/mail.py", FILES["shop/mail.py"].encode())
    for _ in range(2):
        engine.update(mail)
        assert engine.settled(30)
        started, deadline = live.pool.n_started, time.monotonic() + 30
        while not live.is_ready(mail) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert live.is_ready(mail)
        (worker,) = live.pool.workers
        worker.kill()
        worker.process.wait()
        engine.update(Document("shop/other.md", b"# A title\n\nSome text.\n"))
        assert engine.settled(30)
        assert live.pool.n_started > started
        assert not live.is_ready(mail)


def test_what_packs_need_is_not_made_while_an_edit_waits(engine: Engine, monkeypatch) -> None:
    monkeypatch.setattr("packhound.service.engine._LATELY_S", 1_000.0)
    assert engine.settled(30)
    with engine._indexer._wake:
        assert not engine._busy()
        engine.update(Document("shop/mail.py", b"def edited():\n    pass\n"))
        assert engine._busy()
    assert engine.settled(30)
    assert engine._busy()  # Whoever types goes on typing.
    engine._used_at -= 1_000
    assert not engine._busy()
    engine.search(Query("edited"))
    assert engine._busy()
    engine.close()
    assert not engine._busy()


def test_what_packs_need_is_made_while_somebody_asks_all_the_time(
    engine: Engine, monkeypatch
) -> None:
    asked = []
    monkeypatch.setattr("packhound.pack.service._SLICE_S", 0.0)
    monkeypatch.setattr("packhound.pack.service._MAX_BUSY_WAIT_S", 0.1)
    monkeypatch.setattr(engine, "_busy", lambda: asked.append(True) or True)
    assert engine.settled(30)
    preparing = engine.prepare()
    preparing.join(30)
    assert not preparing.is_alive()
    assert asked
    assert engine._packs()._graph._seen is engine.snapshot.files


def test_garbage_is_looked_for_once_nobody_types(engine: Engine, monkeypatch) -> None:
    class Loop:
        def __init__(self) -> None:
            self.itself = self

    def wait(until) -> bool:
        deadline = time.monotonic() + 30
        while not until() and time.monotonic() < deadline:
            time.sleep(0.01)
        return until()

    monkeypatch.setattr("packhound.indexing.indexer._QUIET_S", 0.05)
    engine.refresh()
    assert wait(lambda: not engine._indexer._untidy)
    gc.disable()
    try:
        garbage = weakref.ref(Loop())
        engine.update(Document("shop/mail.py", b"def edited():\n    pass\n"))
        assert wait(lambda: garbage() is None)
    finally:
        gc.enable()


def test_changes_made_while_closed_are_noticed(engine: Engine, root: Path) -> None:
    engine.close()
    (root / "shop" / "mail.py").write_text("def print_label():\n    pass\n")
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "print_label")[0] == "print_label"
        assert "send_receipt" not in names(again, "send_receipt")
    finally:
        again.close()


def test_changes_made_while_closed_are_noticed_though_nobody_waits(
    engine: Engine, root: Path
) -> None:
    engine.close()
    (root / "shop/mail.py").write_text("def refund_customer(order):\n    return order\n")
    again = Engine.open(root)
    try:
        deadline = time.monotonic() + 60
        while "refund_customer" not in names(again, "refund_customer"):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        again.close()


def test_unsaved_text_is_not_kept_on_disk(engine: Engine, root: Path, cache: Path) -> None:
    engine.update(Document("shop/mail.py", b"def password_hunter2_secret():\n    pass\n"))
    assert names(engine, "password_hunter2_secret")
    engine.close()
    kept = b"".join(file.read_bytes() for file in cache.rglob("*") if file.is_file())
    assert b"hunter2" not in kept
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "send_receipt")[0] == "send_receipt"
    finally:
        again.close()


def test_a_damaged_index_is_rebuilt_and_said_once(engine: Engine, root: Path) -> None:
    engine.close()
    for file in index_folder(engine.root).iterdir():
        if file.stat().st_size > 2_000:
            file.write_bytes(file.read_bytes()[:900] + os.urandom(900))
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "send_receipt")[0] == "send_receipt"
        assert len([note for note in again.status().notes if "rebuilt" in note]) == 1
        assert again.status().state == "ready"
        assert again.search(Query("receipt")).notes == ()
    finally:
        again.close()


def test_one_engine_writes_and_another_reads(engine: Engine, root: Path) -> None:
    second = Engine.open(root)
    try:
        assert second.settled(30)
        assert engine.status().writer
        assert not second.status().writer
        assert names(second, "send_receipt")[0] == "send_receipt"
    finally:
        second.close()


def test_what_a_reader_forgets_is_still_the_writers(engine: Engine, root: Path) -> None:
    engine.close()
    writer, reader = Engine.open(root), Engine.open(root)
    try:
        assert writer.settled(30)
        reader.rebuild()
        assert reader.settled(30)
        assert clear_index(root) > 0
        assert writer.writer and not reader.writer
        third = Engine.open(root)
        assert not third.writer
        third.close()
        assert names(reader, "send_receipt")[0] == "send_receipt"
    finally:
        reader.close()
        writer.close()


def test_a_missing_hnswlib_is_said_where_it_is_missed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    assert not engine.status().notes
    engine._index._limits = Limits(graph_from=1)
    assert ["hnswlib" in note for note in engine.status().notes] == [True]
    assert engine.status().dense == "exact"
    assert names(engine, "mail the receipt to the customer")[0] == "send_receipt"


@pytest.mark.parametrize(
    "query", ["i", "stanbul", "istanbul", "}", "^İ", "nbul$", "'İSTANBULx", "sx"]
)
def test_letters_that_grow_in_lower_case_end_no_search(engine: Engine, query: str) -> None:
    engine.update(Document("a.md", "# İSTANBULx}\n\nword\n\n# xİ}\n\nword\n".encode()))
    found = [hit.node.name for hit in engine.search(Query(query, mode="symbol")).hits]
    assert ("İSTANBULx}" in found) == (query in ("i", "stanbul", "istanbul", "}", "^İ", "sx"))


SHOWN = {
    ".env": "TOKEN_WOMBAT = 1\n",
    "out/made.py": "def made_wombat(): pass\n",
    "shop/data.json": '{"wombat": 1}\n' * 10_000,
    "shop/long.py": "def long_wombat(): pass\n" * 50_000,
    "latin\udce9.py": "def odd_wombat(): pass\n",
}


@pytest.mark.parametrize("path", SHOWN)
def test_what_the_disk_would_not_give_is_not_taken_from_an_editor(
    engine: Engine, root: Path, path: str
) -> None:
    (root / ".gitignore").write_text("out/\n")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    engine.update(Document(path, SHOWN[path].encode()))
    assert engine.settled(30)
    assert path not in engine.snapshot.files
    (root / ".gitignore").write_text("")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    assert (path in engine.snapshot.files) == (path == "out/made.py")


def test_a_changed_ignore_file_is_followed(engine: Engine, root: Path) -> None:
    (root / ".gitignore").write_text("web/\n")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    assert set(engine.snapshot.files) == {".gitignore", "shop/cart.py", "shop/mail.py"}


@pytest.mark.parametrize("paths", [None, ["shop/cart.py", "shop/mail.py", "web"]])
def test_without_file_handles_nothing_is_lost(
    engine: Engine, root: Path, paths: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr("packhound.indexing.indexer._AFTER_FAULT_S", 0.05)
    (root / "shop" / "cart.py").write_text("def later_wombat(): pass\n")
    before = dict(engine.snapshot.files)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
        engine.refresh(paths)
        while "failed" not in "".join(engine.status().notes):
            pass
        assert dict(engine.snapshot.files) == before
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert engine.settled(30)
    assert names(engine, "later_wombat")[0] == "later_wombat"
    assert engine.status().notes == ()


def test_files_above_the_cap_are_said_until_there_are_fewer(engine: Engine, root: Path) -> None:
    engine.configure(Settings(max_files=2))
    assert engine.settled(30)
    assert [note for note in engine.status().notes if "maxFiles" in note]
    assert len(engine.snapshot.files) == 2
    engine.configure(Settings())
    assert engine.settled(30)
    assert engine.status().notes == () and len(engine.snapshot.files) == 3


def test_explain_scores_a_node_that_did_not_rank(engine: Engine) -> None:
    hit = engine.explain(Query("total_price"), "shop/mail.py", 1)
    assert hit is not None
    assert hit.node.name == "send_receipt"
    assert engine.explain(Query("total_price"), "shop/nothing.py", 1) is None


def test_related_leaves_out_the_node_itself(engine: Engine) -> None:
    results = engine.related("shop/cart.py", 6, limit=5)
    assert "add_item" not in [hit.node.name for hit in results.hits]
    missing = engine.related("gone.py", 6)
    assert missing.hits == ()
    assert "gone.py:7" in missing.notes[0]


def test_source_is_what_the_generation_holds(engine: Engine, root: Path) -> None:
    assert engine.source("shop/mail.py") == FILES["shop/mail.py"].encode()
    (root / "shop" / "mail.py").write_text("changed\n")
    assert engine.source("shop/mail.py") is None
    assert engine.source("../cache") is None


def test_a_pack_never_reads_a_text_that_is_newer_than_its_places(engine: Engine) -> None:
    context = engine.pack_context()
    shown = context.source("shop/mail.py")
    newer = b"# a line above\n" * 40 + shown
    engine.update(Document("shop/mail.py", newer))
    assert engine.settled(60) and engine.source("shop/mail.py") == newer
    assert context.source("shop/mail.py") is None
    made = pack(context, PackRequest("send a receipt by mail"))
    assert "shop/mail.py" not in {item.path for item in made.items}
    assert any("changed since it was indexed" in left.reason for left in made.omitted)


def test_nothing_found_is_an_empty_list_with_a_note(engine: Engine) -> None:
    results = engine.search(Query("xyzzyplugh", mode="lexical"))
    assert results.hits == ()
    assert results.notes


def test_searches_while_writing_see_whole_generations(engine: Engine) -> None:
    stop = threading.Event()
    torn: list[str] = []

    def search() -> None:
        while not stop.is_set():
            for hit in engine.search(Query("generation marker", limit=5)).hits:
                if hit.node.name.startswith("left_") or hit.node.name.startswith("right_"):
                    seen = {node.name.split("_")[1] for node in _file_nodes(engine, hit)}
                    if len(seen) > 1:
                        torn.append(str(seen))

    def _file_nodes(engine: Engine, hit: object) -> list:
        return [n for n in engine.snapshot.files["mark.py"].nodes if "_" in n.name]

    searcher = threading.Thread(target=search)
    searcher.start()
    for number in range(30):
        text = (
            f"def left_{number}():\n    'generation marker'\n\n\ndef right_{number}():\n    pass\n"
        )
        engine.update(Document("mark.py", text.encode()))
        engine.search(Query("generation marker"))
    stop.set()
    searcher.join()
    assert torn == []


def test_clear_frees_the_folder(engine: Engine, root: Path) -> None:
    engine.close()
    assert clear_index(root) > 0
    assert not index_folder(engine.root).exists()


def test_clearing_all_leaves_what_is_not_ours(engine: Engine, cache: Path) -> None:
    engine.close()
    (cache / "letters").mkdir()
    (cache / "letters" / "lock").write_text("not an index")
    (cache / "diary.txt").write_text("mine")
    assert clear_index(None) > 0
    assert not index_folder(engine.root).exists()
    assert sorted(path.name for path in cache.iterdir()) == ["diary.txt", "letters"]


def test_a_home_directory_is_not_indexed_unasked(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: root.resolve())
    with pytest.raises(RootError, match="indexHome"):
        check_root(root, Settings())
    assert check_root(root, Settings(index_home=True)) == root.resolve()
    with pytest.raises(RootError, match="does not exist"):
        check_root(root / "nothing", Settings())
    with pytest.raises(RootError, match="not a folder"):
        check_root(root / "shop" / "cart.py", Settings())


def test_several_folders_are_searched_as_one(tmp_path: Path, root: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tax.py").write_text("def compute_tax():\n    return 0\n")
    workspace = Workspace()
    try:
        assert workspace.search(Query("anything")).notes == ("no folder is open",)
        workspace.add(root)
        workspace.add(other)
        assert workspace.settled(30)
        first = workspace.search(Query("compute_tax")).hits[0]
        assert (first.node.path, Path(first.node.root)) == ("tax.py", other.resolve())
        assert workspace.locate(other / "tax.py") == (workspace.engines[1], "tax.py")
        assert workspace.locate(tmp_path / "elsewhere.py") is None
        workspace.remove(other)
        assert workspace.search(Query("send_receipt")).hits[0].node.name == "send_receipt"
    finally:
        workspace.close()


def test_what_is_typed_while_the_index_is_rebuilt_is_kept(engine: Engine) -> None:
    for n in range(6):
        rebuilding = threading.Thread(target=engine.rebuild)
        rebuilding.start()
        typed = 0
        while rebuilding.is_alive():
            typed += 1
            engine.update(Document("shop/mail.py", f"def feed_{n}_{typed}(): pass\n".encode()))
        rebuilding.join()
        assert engine.settled(30)
        assert names(engine, f"feed_{n}_{typed}", limit=1) == [f"feed_{n}_{typed}"]
    engine.release("shop/mail.py")
    assert engine.settled(30)
    assert names(engine, "send_receipt")[0] == "send_receipt"


def test_a_rebuild_does_not_wait_for_parsers(root: Path, caplog, monkeypatch) -> None:
    for n in range(40):
        (root / f"m{n}.py").write_text(f"def f{n}(): pass\n")
    started = threading.Event()

    def slow_start(self: Worker, tasks: object) -> None:
        started.set()
        self.process.wait()
        raise WorkerDied

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "send", slow_start)
        engine = Engine.open(root)
        assert started.wait(30)
        engine.close()
    assert not engine._indexer._thread.is_alive()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_a_rebuild_keeps_what_the_editor_shows(engine: Engine) -> None:
    engine.update(Document("shop/mail.py", b"def unsaved_capybara():\n    pass\n"))
    engine.rebuild()
    assert engine.settled(30)
    assert names(engine, "unsaved_capybara")[0] == "unsaved_capybara"
    assert names(engine, "matchRoute")[0] == "matchRoute"


def test_what_the_user_works_on_is_one_more_reason(root: Path) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        name = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
        subprocess.run(["git", "-C", root, *name, *command], check=True)
    engine = Engine.open(root, Settings(git=True, activation=True))
    try:
        assert engine.settled(30)
        engine.update(Document("shop/cart.py", FILES["shop/cart.py"].encode()))
        hits = engine.search(Query("total price of the cart", limit=2)).hits
        reasons = {reason.signal for reason in hits[0].why}
        assert "used_lately" in reasons
        for hit in hits:
            assert hit.score == pytest.approx(sum(reason.contribution for reason in hit.why))
    finally:
        engine.close()


def test_a_server_leaves_the_grammars_to_its_parsers():
    loaded = "import sys, packhound.service.engine; sys.exit('tree_sitter' in sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)
