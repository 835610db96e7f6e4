"""Pages as a browser reads them: elements with their attributes and the text within them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

_EMPTY = {"meta"}
_LEADS_OUT = {"src", "srcset", "action", "data", "poster", "xlink:href"}


class Seen(NamedTuple):
    name: str
    attributes: dict[str, str | None]
    texts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[Seen] = []
        self._open: list[Seen] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(Seen(tag, dict(attrs), []))
        if tag not in _EMPTY:
            self._open.append(self.seen[-1])

    def handle_endtag(self, tag):
        assert self._open.pop().name == tag, f"'{tag}' ends what is not open"

    def handle_data(self, data):
        for element in self._open:
            element.texts.append(data)

    def close(self):
        super().close()
        assert not self._open


def read_page(page: str) -> list[Seen]:
    """Return the elements of a page, after what every page promises has been checked."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    seen = reader.seen
    assert page.startswith("<!DOCTYPE html>")
    policies = [
        each.attributes["content"]
        for each in seen
        if each.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies and policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert [each.name for each in seen if each.name in ("main", "h1", "title")].count("main") == 1
    assert not [each for each in seen if each.name in ("script", "link", "img", "iframe", "base")]
    ids = {each.attributes["id"] for each in seen if "id" in each.attributes}
    for each in seen:
        assert not _LEADS_OUT & each.attributes.keys(), each
        assert not [name for name in each.attributes if name.startswith("on")], each
        href = each.attributes.get("href")
        assert href is None or (href[0] == "#" and href[1:] in ids), each
        assert each.name != "svg" or each.attributes["aria-label"]
    return seen


def texts_of(seen: list[Seen], name: str) -> list[str]:
    """Return the texts of the elements of a name."""
    return [each.text for each in seen if each.name == name]
