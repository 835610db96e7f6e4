"""The hits of a search as a page: what each group of signals adds to a score, as bars."""

from __future__ import annotations

from collections.abc import Iterator

from packhound.operations.html import Element, Stretch, bar, listing, page, section, tag
from packhound.operations.text import Row, accounts, title
from packhound.redact import safe_line

_WIDTH = 480
"""Of a bar, in pixels."""


def page_of_search(answer: Row, arguments: Row) -> str:
    """Return the page of a search whose hits are explained."""
    hits, word = answer["hits"], answer.get("confidence_word")
    largest = max((_size(hit) for hit in hits), default=1.0)
    sure = f"confidence: {word}" if word else ""
    legend = (
        "Blue speaks for a hit and orange against it; the score is the sum. "
        "The bars of all hits have one scale."
    )
    return page(
        safe_line(answer["query"]) or "Search",
        tag("p", sure or f"{len(hits)} hits"),
        tag("p", legend, class_="dim"),
        *(section(f"{hit['rank']}. {safe_line(title(hit))}", *_hit(hit, largest)) for hit in hits),
        section("Notes", listing(map(safe_line, answer["notes"]))),
    )


def _size(hit: Row) -> float:
    return float(sum(abs(group["contribution"]) for group in hit["groups"]))


def _hit(hit: Row, largest: float) -> Iterator[Element]:
    """Yield the contributions to a score beside each other and in words, the greatest first."""
    groups = sorted(hit["groups"], key=lambda group: -abs(group["contribution"]))
    stretches, texts = list[Stretch](), list[str]()
    for group in groups:
        text = f"{group['group']} {group['contribution']:+.2f}: {safe_line(group['text'])}"
        style = "bar" if group["contribution"] >= 0 else "bar-2"
        stretches.append(Stretch(abs(group["contribution"]), style, text))
        texts.append(text)
    yield bar(f"Score {hit['score']:.2f}", stretches, largest, _WIDTH)
    yield tag("p", f"Score {hit['score']:.2f}")
    yield listing(map(safe_line, accounts(hit)))
    yield tag("details", tag("summary", "What each group of signals adds"), listing(texts))
