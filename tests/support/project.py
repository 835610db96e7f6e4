"""A small project on disk, an engine over it, and waiting with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from packhound.core.types import Document, Query
from packhound.service.engine import Engine

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
MAIL = Document("shop/mail.py", FILES["shop/mail.py"].encode())


def write_files(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def names(engine: Engine, text: str, **query: object) -> list[str]:
    """Names of the hits of a search, best first."""
    results = engine.search(Query(text=text, **query))  # type: ignore[arg-type]
    return [hit.node.name for hit in results.hits]


def wait_until(condition: Callable[[], object], timeout_s: float = 30.0) -> None:
    """Poll until `condition()` holds; fail after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "condition did not hold in time"
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache folder of this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Folder with `FILES`."""
    folder = tmp_path / "project"
    write_files(folder, FILES)
    return folder


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    """Engine that has indexed `root`."""
    engine = Engine.open(root)
    assert engine.settled(30)
    yield engine
    engine.close()
