"""The answers of tools as text: what the model reads, within a number of tokens.

Nothing in a file can pass for a heading or a note: each line of code begins with its number, and of
everything else that a file holds only single lines appear. A path that could be read as anything
else begins with `./`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

from packhound import llm
from packhound.core.titles import heading
from packhound.redact import visible_line

Row: TypeAlias = Mapping[str, Any]
"""An object of an answer."""

MARK = "  | "
"""Before each line of a note: none can pass for a heading or a note of the tool's."""
_MAX_SIGNATURE = 200
_MAX_LINE = 400
"""Characters."""
_PLAIN_PATH = re.compile(r"[^\s:]+")


class Text(NamedTuple):
    """An answer in units, such as hits, that are shown or left out whole.

    `offset` is that of the first unit where the tool can continue from an offset, else None;
    `has_more` says that there are more units than these. `brief` are the lines that are shown,
    as far as they fit, where the head does not.
    """

    head: Sequence[str] = ()
    units: Sequence[str] = ()
    noun: str = "hits"
    notes: Sequence[str] = ()
    offset: int | None = None
    has_more: bool = False
    brief: Sequence[str] = ()

    def fit(self, max_tokens: int) -> str:
        """Return the text with as many units as `max_tokens` allow, by the bound of packs."""
        count = llm.counter_for().count
        costs = [count(unit + "\n") for unit in self.units]
        spent = list(accumulate(costs, initial=0))
        n_units = len(self.units)
        while True:
            text = self._with(n_units)
            excess = count(text) - max_tokens
            if excess <= 0:
                return text
            if n_units == 0:
                over = f"over max_tokens of {max_tokens}: ask for more tokens"
                texts = ("\n".join([*self.brief[:n], over]) for n in range(len(self.brief), 0, -1))
                return next((text for text in texts if count(text) <= max_tokens), over)
            n_units = max(0, bisect_right(spent, spent[n_units] - excess) - 1)

    def _with(self, n_units: int) -> str:
        """Return the text with the first units, and what was left out."""
        lines = [*self.head, *self.units[:n_units]]
        n_cut = len(self.units) - n_units
        if n_cut:
            lines.append(f"note: {n_cut:,} more {self.noun} did not fit into max_tokens")
        if self.offset is not None and (n_units if n_cut else self.has_more):
            lines.append(f"more from offset {self.offset + n_units}")
        lines += [f"note: {visible_line(note)}" for note in self.notes]
        return "\n".join(lines)


def title(row: Row) -> str:
    """Return `path:10-20 kind Qual.name` of a node, after `+` if it has lines of a patch."""
    return f"{plus(row)}{location(row)} {heading(row['kind'], row['qualname'])}"


def plus(row: Row) -> str:
    """Return the mark of a row that has lines of a patch, "" for others."""
    return "+ " if row.get("proposed") else ""


def location(row: Row) -> str:
    """Return `path:10-20` of a node; the path begins with its root where there are several."""
    return f"{path_of(row)}:{lines_of(row)}"


def path_of(row: Row) -> str:
    """Return the path of a file or folder as a later call takes it."""
    path = visible_line(f"{row['label']}/{row['path']}" if "label" in row else row["path"])
    return path if _PLAIN_PATH.fullmatch(path) else f"./{path}"


def lines_of(row: Row) -> str:
    """Return `10-20`, or `10` for a single line."""
    first, last = row["start_line"], row["end_line"]
    return f"{first}-{last}" if last > first else f"{first}"


def signature_of(row: Row) -> str:
    """Return the signature of a node, cut to one line of moderate length."""
    return cut(row["signature"] or heading(row["kind"], row["qualname"]), _MAX_SIGNATURE)


def number_lines(lines: Iterable[tuple[int, str]]) -> str:
    """Return lines of code, each behind its 1-based number and a tab."""
    return "\n".join(f"{number}\t{cut(line)}" for number, line in lines)


def snippet_text(row: Row) -> str:
    """Return the lines of code of a hit."""
    return number_lines((line["line"], line["text"]) for line in row.get("snippet", ()))


def cut(line: str, max_length: int = _MAX_LINE) -> str:
    """Return at most `max_length` characters of a line, and how many are left out."""
    n_more = len(line) - max_length
    return line if n_more <= 0 else f"{line[:max_length]} ... ({n_more:,} more characters)"


def rows_in(answer: Row, key: str) -> Sequence[Any]:
    """Return the list under a key, empty if there is none."""
    rows = answer.get(key)
    return rows if isinstance(rows, list) else ()


def accounts(hit: Row) -> list[str]:
    """Return what speaks for a hit, what against it, and how the best other compares, a line each.

    Only hits that are explained have more than the first.
    """
    sides = {"for": hit["reasons"], "against": rows_in(hit, "against")}
    lines = [f"{side}: {' · '.join(texts)}" for side, texts in sides.items() if texts]
    return [visible_line(line) for line in (*lines, hit.get("beside", "")) if line]
