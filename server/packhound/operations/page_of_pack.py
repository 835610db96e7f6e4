"""A pack as a page: its budget, each part with its reason, how parts lead to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TypeAlias

from packhound.core.errors import SettingsError
from packhound.operations import html
from packhound.operations.text import Row, lines_of, path_of
from packhound.pack import Part, read_markdown
from packhound.redact import safe_line, without_secrets

Above: TypeAlias = Mapping[int, tuple[int, str]]
"""The part that led to each part, and how."""
_MAX_TITLE, _MAX_NAME = 100, 28
_COLUMN, _ROW, _BOX_WIDTH, _BOX_HEIGHT = 330, 54, 230, 40


def page_of_pack(answer: Row, arguments: Row) -> str:
    """Return the page of a pack in Markdown. Raises SettingsError for another format."""
    if arguments.get("format", "markdown") != "markdown":
        raise SettingsError("a page shows a pack in Markdown; leave 'format' out")
    items, prompt = answer["items"], without_secrets(str(arguments.get("prompt") or ""))
    title = prompt.strip().partition("\n")[0][:_MAX_TITLE] or "Map of the most used definitions"
    whole_prompt = [html.tag("details", html.tag("summary", "The prompt"), html.tag("pre", prompt))]
    return html.page(
        title,
        *(whole_prompt if prompt.strip() != title else []),
        _budget(answer),
        html.section("How the parts hang together", *_tree(items)),
        html.section("The pack, as it is sent", *_parts(answer["text"], items)),
        html.section("Left out", _left_out(answer["omitted"])),
        html.section("Notes", html.listing(map(safe_line, answer["notes"]))),
    )


def _budget(answer: Row) -> html.Element:
    """Return the tokens of each part, and those that are left, beside each other."""
    items, tokens, budget = answer["items"], answer["tokens"], answer["budget"]
    files = [*dict.fromkeys((item.get("root"), item["path"]) for item in items)]
    style_of = {file: ("bar", "bar-2")[n % 2] for n, file in enumerate(files)}
    stretches = [
        html.Stretch(
            item["tokens"],
            style_of[item.get("root"), item["path"]],
            f"{_where(item)}: {item['tokens']:,} tokens",
        )
        for item in items
    ]
    rest = tokens - sum(item["tokens"] for item in items)
    stretches.append(html.Stretch(max(0, rest), "rest", f"headings and notes: {rest:,} tokens"))
    summary = f"{tokens:,} of {budget:,} tokens in {len(items)} parts of {len(files)} files"
    cost = answer.get("cost")
    paid = f", {cost['usd']:.4f} USD for {cost['model']}" if cost else ""
    drawn = html.bar(f"Budget: {summary}", stretches, max(budget, tokens))
    return html.section("Budget", html.tag("p", summary + paid), drawn)


def _parts(text: str, items: Sequence[Row]) -> Iterator[html.Element]:
    """Yield what is sent in its order, with the reasons of each file below its heading.

    Those of a map, which has all files in one part, come last.
    """
    remaining = list(enumerate(items, 1))
    for part in read_markdown(text):
        if not isinstance(part, Part):
            yield html.tag("p", part)
            continue
        yield html.tag("h3", part.heading)
        n = sum(1 for _ in takewhile(partial(_is_of, part, remaining[:1]), remaining))
        yield _reasons(remaining[:n])
        yield html.tag("pre", part.content, tabindex=0)
        del remaining[:n]
    yield _reasons(remaining)


def _reasons(items: Sequence[tuple[int, Row]]) -> html.Element:
    rows = [html.tag("li", *_why(item), id=f"part-{n}") for n, item in items]
    return html.tag("ul", *rows) if rows else html.Element()


def _is_of(part: Part, first: Sequence[tuple[int, Row]], item: tuple[int, Row]) -> bool:
    """Return True if an item is of the file of a part, and of the folder of the first one."""
    path = safe_line(item[1]["path"])
    is_same = item[1].get("root") == first[0][1].get("root")
    return is_same and (part.heading == path or part.heading.startswith(f"{path}:"))


def _why(item: Row) -> Iterator[str]:
    names = ", ".join(item["names"])
    yield html.tag("strong", names or f"lines {lines_of(item)}")
    yield f" {item['detail']}, {item['tokens']:,} tokens: {item['reason']}"


def _where(item: Row) -> str:
    return safe_line(f"{path_of(item)}:{lines_of(item)}")


def _left_out(omitted: Sequence[Row]) -> html.Element:
    rows = [(safe_line(path_of(row)), row["name"], row["reason"]) for row in omitted]
    return html.table(("File", "Name", "Reason"), rows)


def _tree(items: Sequence[Row]) -> Iterator[html.Element]:
    """Yield the drawing of parts beside stronger ones that led to them, where any did."""
    above = _above(items)
    if not above:
        return
    places = dict[int, tuple[int, int]]()
    _place(above, None, range(len(items)), 0, places)
    lines = [_line(places[start], places[n], reason) for n, (start, reason) in above.items()]
    boxes = [_box(n, items[n], *places[n]) for n in places]
    width = max(x for x, _ in places.values()) + _BOX_WIDTH + 4
    height = max(y for _, y in places.values()) + _BOX_HEIGHT + 4
    summary = "A line leads from a part to a weaker one that it uses or contains, or that uses it."
    yield html.tag("p", summary, class_="dim")
    drawn = html.svg("Parts, and those that led to them", width, height, *lines, *boxes)
    yield html.tag("div", drawn, class_="wide")


def _above(items: Sequence[Row]) -> dict[int, tuple[int, str]]:
    """Return the stronger part that led most to each part by the graph, if any did, and how."""
    part_of = {
        (item.get("root"), f"{name} ({safe_line(item['path'])})"): n
        for n, item in enumerate(items)
        for name in item["names"]
    }
    above = dict[int, tuple[int, str]]()
    for n, item in enumerate(items):
        for origin in item["origins"]:
            start = part_of.get((item.get("root"), origin.get("path", [""])[0]), n)
            if items[start]["score"] > item["score"]:
                above.setdefault(n, (start, origin["reason"]))
    return above


def _place(
    above: Above,
    parent: int | None,
    parts: Sequence[int],
    column: int,
    places: dict[int, tuple[int, int]],
) -> None:
    """Put the parts that one led to into a column, each beside the first that it led to itself."""
    for n in parts:
        if (above[n][0] if n in above else None) == parent:
            row = sum(1 for part in places if part not in {start for start, _ in above.values()})
            places[n] = column * _COLUMN + 2, row * _ROW + 2
            _place(above, n, parts, column + 1, places)


def _line(start: tuple[int, int], end: tuple[int, int], how: str) -> html.Element:
    x, y = start[0] + _BOX_WIDTH, start[1] + _BOX_HEIGHT / 2
    to_x, to_y = end[0], end[1] + _BOX_HEIGHT / 2
    bend = max(40.0, (to_x - x) / 2)
    path = f"M {x} {y} C {x + bend:.0f} {y}, {to_x - bend:.0f} {to_y}, {to_x} {to_y}"
    return html.tag("path", html.tag("title", how), d=path, class_="edge")


def _box(n: int, item: Row, x: float, y: float) -> html.Element:
    """Return a part as a box with a link to its reason."""
    name, where = (item["names"] or [f"lines {lines_of(item)}"])[0], _where(item)
    return html.tag(
        "a",
        html.tag("title", f"{name}, {where}: {item['reason']}"),
        html.rect(x, y, _BOX_WIDTH, _BOX_HEIGHT, "box"),
        html.tag("text", _short(name, _MAX_NAME), x=x + 8, y=y + 16),
        html.tag("text", _short(where, _MAX_NAME + 4), x=x + 8, y=y + 32, class_="dim"),
        href=f"#part-{n + 1}",
    )


def _short(text: str, length: int) -> str:
    """Return the end of a text, which says more of a path and of a qualified name."""
    return text if len(text) <= length else f"...{text[3 - length :]}"
