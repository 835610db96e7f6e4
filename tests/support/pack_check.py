"""A context to pack from, made of small files in memory."""

from __future__ import annotations

from collections.abc import Mapping

from packhound.core.types import Document, Explanation, FileStamp, Hit, Query, Results, SignalValue
from packhound.files.globs import compile_globs
from packhound.graph.graph import Graph
from packhound.index.snapshot import Snapshot
from packhound.index.writer import Index
from packhound.pack.context import PackContext
from packhound.pack.conversations import Conversations
from packhound.parsing.pool.pool import ParsePool
from packhound.text.tokenizer import terms

SHOP = {
    "shop/cart.py": '''
"""A cart and what is in it."""

from shop.prices import price_of
from shop.stock import Stock


class Cart:
    """What a customer is about to buy."""

    def __init__(self, stock: Stock) -> None:
        self.stock = stock
        self.lines: dict[str, int] = {}

    def add(self, sku: str, count: int = 1) -> None:
        """Put some of an article into the cart, if there are enough."""
        if self.stock.available(sku) < count:
            raise ValueError(f"not enough of {sku}")
        self.lines[sku] = self.lines.get(sku, 0) + count

    def total(self) -> int:
        """The sum in cents, discounts included."""
        full = sum(price_of(sku) * count for sku, count in self.lines.items())
        return full - self.discount(full)

    def discount(self, full: int) -> int:
        """A tenth off from a hundred euros on."""
        return full // 10 if full >= 10_000 else 0
''',
    "shop/prices.py": '''
"""What articles cost."""

PRICES = {"apple": 30, "pear": 45}


def price_of(sku: str) -> int:
    """Cents for one of an article."""
    return PRICES[sku]


def parse_price(text: str) -> int:
    """Cents from a text like 1.20."""
    euros, _, cents = text.partition(".")
    return int(euros) * 100 + int(cents or 0)
''',
    "shop/stock.py": '''
"""What is on the shelves."""


class Stock:
    """Counts by article."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def available(self, sku: str) -> int:
        """How many are left."""
        return self.counts.get(sku, 0)

    def deliver(self, sku: str, count: int) -> None:
        """Put some on the shelf."""
        self.counts[sku] = self.available(sku) + count
''',
    "shop/mail.py": '''
"""Letters to customers."""


def send_receipt(address: str, total: int) -> str:
    """The text of a receipt."""
    token = "ghp_0123456789abcdefABCDEF0123456789abcd"
    lines = ["Dear customer,", "", f"you paid {total} cents.", "", "Yours, the shop"]
    return "\\n".join([address, *lines])
''',
}


def context_of(
    files: Mapping[str, str | bytes], conversations: Conversations | None = None, **more
) -> PackContext:
    """A context of one generation over the files, ranked by words alone."""
    sources = {
        path: text
        if isinstance(text, bytes)
        else text.lstrip("\n").encode("utf-8", "surrogatepass")
        for path, text in files.items()
    }
    with ParsePool(workers=1) as pool:
        documents = [Document(path, source) for path, source in sorted(sources.items())]
        analysed = sorted(pool.parse_many(documents), key=lambda file: file.path)
    index = Index(None)
    stamp = FileStamp(1, 1, 1, 1)
    index.replace(analysed, dict.fromkeys(sources, stamp))
    snapshot = index.publish()
    graph = Graph()
    graph.update(snapshot.files)

    def ask(query: Query) -> Results:
        return by_shared_words(snapshot, query)

    return PackContext(
        snapshot=snapshot,
        root="/work",
        search=ask,
        source=sources.get,
        graph=graph,
        conversations=conversations or Conversations(),
        **more,
    )


def by_shared_words(snapshot: Snapshot, query: Query) -> Results:
    """A ranking that never changes: nodes by how many words of the query they hold."""
    expected = set(terms(query.text))
    scored = []
    for path, entry in snapshot.files.items():
        if query.paths and not compile_globs(query.paths).fullmatch(path):
            continue
        for node_id, node in zip(entry.node_ids, entry.nodes, strict=True):
            shared = expected & set(terms(f"{path} {node.qualname} {node.signature} {node.doc}"))
            if shared:
                ref = snapshot.ref(int(node_id), "/work")
                scored.append((-len(shared), path, node.span.start, ref))
    hits = tuple(
        Hit(
            ref,
            rank,
            float(-score),
            (SignalValue("node_words", float(-score), 1.0),),
            explanation=lambda: Explanation(("words",)),
        )
        for rank, (score, _, _, ref) in enumerate(sorted(scored, key=lambda s: s[:3]), 1)
    )
    return Results(query.text, hits[: query.limit], False, snapshot.generation, 0.0, len(hits))
