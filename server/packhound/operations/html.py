"""Answers as pages to look at: one file without scripts, which asks for nothing.

A page is made of elements. All that is put into one is text, with hidden characters visible, unless
it is an element itself: nothing in an answer can become markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from packhound.redact import visible_text

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_PAGE = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
{{head}}
</head>
<body>
{{main}}
</body>
</html>
"""
_LIGHT = """color-scheme: light; --back: #ffffff; --text: #1c2329; --dim: #59636e;
  --line: #d0d7de; --soft: #f4f6f8; --link: #0a58ca; --bar: #2f6fb5; --bar-2: #b35900;"""
_DARK = """color-scheme: dark; --back: #14181d; --text: #e2e7ec; --dim: #9aa5b1;
  --line: #39424c; --soft: #1e242b; --link: #7db4ff; --bar: #5b9bd9; --bar-2: #e0954d;"""
# VS Code's theme may be another than the system's; it says its own in a class.
_THEMES = f""":root {{ {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
:root:has(body.vscode-light) {{ {_LIGHT} }} :root:has(body.vscode-dark) {{ {_DARK} }}
"""
_STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem 4rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h3 { font: 600 0.95rem/1.4 ui-monospace, monospace; margin: 1.5rem 0 0.25rem; }
h1, h3, li, p { overflow-wrap: anywhere; }
p, ul { margin: 0.4rem 0; } a { color: var(--link); } .dim { color: var(--dim); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; margin: 0.4rem 0;
  padding: 0.6rem 0.8rem; overflow-x: auto; font: 0.85rem/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; } th { text-align: left; font-weight: 600; }
th, td { padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; max-width: 100%; height: auto; margin: 0.5rem 0; }
.wide { overflow-x: auto; } .wide svg { max-width: none; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); } svg .dim { fill: var(--dim); }
.box { fill: var(--soft); stroke: var(--line); } a:hover .box { stroke: var(--link); }
.bar { fill: var(--bar); } .bar-2 { fill: var(--bar-2); } .rest { fill: var(--line); }
.edge { fill: none; stroke: var(--dim); } .frame { stroke: var(--back); stroke-width: 1; }
"""
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
    head = tag("title", f"{title} - Packhound"), tag("style", Element(_THEMES + _STYLE))
    return _PAGE.format(head=together(head), main=tag("main", tag("h1", title), *body))


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
