"""What prompts want, and what comes along with the code that they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.pack.intention import intention_of
from packhound.pack.pipeline import pack
from packhound.pack.request import PackRequest
from tests.support.pack_check import context_of

PROMPTS = (Path(__file__).parent / "intentions.txt").read_text("utf-8")


@pytest.mark.parametrize("line", [line for line in PROMPTS.splitlines() if ": " in line])
def test_prompts_say_what_they_want(line: str) -> None:
    intention, _, prompt = line.partition(": ")
    assert intention_of(prompt.replace("\\n", "\n")) == intention


FILES = {
    "shop/prices.py": """
def price_of(sku):
    return lookup(sku) * 100


def lookup(sku):
    return {"apple": 30}[sku]
""",
    "shop/cart.py": """
from shop.prices import price_of


def total_of_cart(lines):
    return sum(price_of(sku) for sku in lines)
""",
    "tests/test_prices.py": """
from shop.prices import price_of


def test_an_apple():
    assert price_of("apple") == 3000
""",
}


@pytest.mark.parametrize(
    ("prompt", "edge", "name"),
    [
        ("write a test for price_of", "tests", "test_an_apple"),
        ("rename price_of to cents_of", "calls", "total_of_cart"),
        ("please write some unit tests for price_of", "called by", "lookup"),
        ("refactor price_of", "tests", "test_an_apple"),
        ("add a price_of for bundles", "calls", "total_of_cart"),
        ("implement something like price_of", "tests", "test_an_apple"),
    ],
)
def test_what_the_intention_needs_comes_along(prompt: str, edge: str, name: str) -> None:
    made = pack(context_of(FILES), PackRequest(prompt, 2_000, format="json"))
    paths = {origin.path for item in made.items for origin in item.origins}
    assert ("price_of (shop/prices.py)", edge) in paths
    assert f"def {name}" in made.text


@pytest.mark.parametrize("prompt", ["price_of", "how does price_of work", "fix price_of for pears"])
def test_what_nobody_asked_for_does_not_come_along(prompt: str) -> None:
    made = pack(context_of(FILES), PackRequest(prompt, 2_000, format="json"))
    edges = {edge for item in made.items for origin in item.origins for edge in origin.path[1:]}
    assert edges.isdisjoint({"tests", "calls", "called by"})
