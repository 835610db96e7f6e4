"""Where the right answers rank. `pytest --update-golden` rewrites the file; read its diff."""

from __future__ import annotations

from pathlib import Path

from packhound.core.types import Query
from packhound.search.pipeline import search
from tests.support.shop import environment, snapshot

GOLDEN = Path(__file__).parents[1] / "golden/ranking/rank_stats.txt"
TARGETS = [
    ("Session", "shop/session.py Session"),
    ("Router", "shop/routing.py Router"),
    ("add_route", "shop/routing.py Router.add_route"),
    ("StockLevel::reserve", "core/stock_level.rs StockLevel::reserve"),
    ("Basket", "web/src/basket.ts Basket"),
    ("session cookie signature", "shop/session.py Session.load"),
    ("how a path is matched against routes", "shop/routing.py Router.match"),
    ("sending the browser to another location", "shop/routing.py redirect"),
    ("form validation errors", "shop/validation.py FormValidator.validate"),
    ("retry policy of failed payments", "payment/gateway.go RetryPolicy"),
    ("charge a credit card", "payment/gateway.go Gateway.Charge"),
    ("total price of the basket", "web/src/basket.ts Basket.totalPrice"),
    ("stock level reservation", "core/stock_level.rs StockLevel::reserve"),
    ("start the http server on a port", "web/src/server.ts createServer"),
    ("tests of the session", "tests/test_session.py test_session_load_and_save"),
    ("utility that turns a title into a slug", "shop/utils.py slugify"),
]


def test_golden_ranks(update_golden: bool) -> None:
    actual = "\n".join(_lines()) + "\n"
    if update_golden:
        GOLDEN.write_text(actual, "utf-8")
    assert actual == GOLDEN.read_text("utf-8")


def _lines() -> list[str]:
    lines = ["rank of the file, rank of the node, query -> target"]
    places: list[tuple[float, float]] = []
    for text, target in TARGETS:
        path, _qualname = target.split(" ")
        hits = search(snapshot(), Query(text, limit=20), environment()).hits
        files = list(dict.fromkeys(hit.node.path for hit in hits))
        nodes = [f"{hit.node.path} {hit.node.qualname}" for hit in hits]
        file_rank = files.index(path) + 1 if path in files else 0
        node_rank = nodes.index(target) + 1 if target in nodes else 0
        places.append((1 / file_rank if file_rank else 0.0, 1 / node_rank if node_rank else 0.0))
        lines.append(f"{file_rank:2} {node_rank:2}  {text} -> {target}")
    file_mrr, node_mrr = (sum(column) / len(places) for column in zip(*places, strict=True))
    lines.append(f"MRR of the file {file_mrr:.3f}, of the node {node_mrr:.3f}")
    return lines
