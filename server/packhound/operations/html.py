"""Answers as pages to look at: one file without scripts, which asks for nothing.

A page is made of elements. All that is put into one is text, with hidden characters visible, unless
it is an element itself: nothing in an answer can become markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from packhound.redact import visible_text

_WIDTH, _HEIGHT = 960, 28
"""Of a bar, in pixels."""


class Element(str):
    """Markup that has been made by `tag`."""

    __slots__ = ()


class Stretch(NamedTuple):
    """A part of a bar: its size, its style and its title."""

    size: float
    style: str
    title: str


def tag(name: str, *children: str, **attributes: object) -> Element:
    """Return an element; of a name in Python `class_` is `class`, and `a_b` is `a-b`."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(visible_text(str(value)))}"
        for key, value in attributes.items()
    )
    return Element(f"<{name}{written}>{together(children)}</{name}>")


def together(children: Iterable[str]) -> Element:
    """Return children one after the other, texts escaped."""
    return Element(
        "".join(c if isinstance(c, Element) else escape(visible_text(c)) for c in children)
    )


def page(title: str, *body: str) -> str:
    """Return a page with a heading."""
    empty = Path(__file__).with_name("page.html").read_text("utf-8")
    titled = empty.replace("<!-- title -->", tag("title", f"{title} - Packhound"))
    return titled.replace("<!-- main -->", tag("main", tag("h1", title), *body))


def section(title: str, *body: str) -> Element:
    """Return a part of a page that has a heading, nothing where it has no more than that."""
    return tag("section", tag("h2", title), *body) if any(body) else Element()


def listing(items: Iterable[str]) -> Element:
    """Return a list, nothing of no items."""
    rows = [tag("li", item) for item in items]
    return tag("ul", *rows) if rows else Element()


def table(heads: Sequence[str], rows: Iterable[Sequence[str | int]]) -> Element:
    """Return a table, nothing without rows; numbers are to the right."""
    body = [tag("tr", *map(_cell, row)) for row in rows]
    head = tag("thead", tag("tr", *(tag("th", each, scope="col") for each in heads)))
    return tag("div", tag("table", head, tag("tbody", *body)), class_="wide") if body else Element()


def _cell(cell: str | int) -> Element:
    return tag("td", f"{cell:,}", class_="number") if isinstance(cell, int) else tag("td", cell)


def bar(label: str, stretches: Sequence[Stretch], size: float, width: int = _WIDTH) -> Element:
    """Return stretches beside each other as shares of a size, in a bar with a label."""
    x, drawn = 0.0, [rect(0, 0, width, _HEIGHT, "box")]
    for stretch in stretches:
        wide = width * stretch.size / max(size, 1e-9)
        drawn.append(rect(x, 0, wide, _HEIGHT, f"{stretch.style} frame", stretch.title))
        x += wide
    return svg(label, width, _HEIGHT, *drawn)


def rect(x: float, y: float, width: float, height: float, style: str, title: str = "") -> Element:
    """Return a rectangle of a drawing; its title appears below the pointer."""
    named = (tag("title", title),) if title else ()
    size = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return tag("rect", *named, class_=style, **size)


def svg(label: str, width: float, height: float, *children: str) -> Element:
    """Return a drawing with a label; links in it can be reached by keys."""
    return tag(
        "svg",
        *children,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="group",
        aria_label=label,
    )
