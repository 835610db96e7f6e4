"""Every answer is of one generation, whatever is written meanwhile."""

import threading
from pathlib import Path

from packhound.core.types import Document, Query
from packhound.pack.pipeline import pack
from packhound.pack.request import PackRequest
from packhound.service.engine import Engine
from tests.support.project import FILES


def test_source_is_what_the_generation_holds(engine: Engine, root: Path) -> None:
    assert engine.source("shop/mail.py") == FILES["shop/mail.py"].encode()
    (root / "shop" / "mail.py").write_text("changed\n")
    assert engine.source("shop/mail.py") is None
    assert engine.source("../cache") is None


def test_a_pack_never_reads_a_text_that_is_newer_than_its_places(engine: Engine) -> None:
    context = engine.packs.service().context(engine.snapshot)
    output = context.source("shop/mail.py")
    newer = b"# a line above\n" * 40 + output
    engine.update(Document("shop/mail.py", newer))
    assert engine.settled(60) and engine.source("shop/mail.py") == newer
    assert context.source("shop/mail.py") is None
    packed = pack(context, PackRequest("send a receipt by mail"))
    assert "shop/mail.py" not in {item.path for item in packed.items}
    assert any("changed since it was indexed" in omission.reason for omission in packed.omitted)


def test_searches_while_writing_see_whole_generations(engine: Engine) -> None:
    stop = threading.Event()
    generations: list[set[str]] = []

    def search() -> None:
        while not stop.is_set():
            for hit in engine.search(Query("generation marker", limit=5)).hits:
                if hit.node.name.startswith(("left_", "right_")):
                    nodes = engine.snapshot.files["mark.py"].nodes
                    generations.append({n.name.split("_")[1] for n in nodes if "_" in n.name})

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
    assert generations and all(len(numbers) == 1 for numbers in generations)
