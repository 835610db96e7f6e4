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
_PARTIAL_LINES = (5, 10, 20, 40)
"""Lines of a hit that are shown where not all fit."""
MAX_LINE = 400
"""Characters."""
_PLAIN_PATH = re.compile(r"[^\s:]+")


class Text(NamedTuple):
    """An answer in units, such as hits, that are shown or left out whole.

    A unit may have `shorter` forms, the shortest first, which are shown before one is left out.
    `offset` is that of the first unit where the tool can continue from an offset, else None;
    `has_more` says that there are more units than these. `brief` are the lines that are shown,
    as far as they fit, where the head does not. `enough` is said where it fits and the units at
    the positions `defining` are shown in full.
    """

    head: Sequence[str] = ()
    units: Sequence[str] = ()
    noun: str = "hits"
    notes: Sequence[str] = ()
    offset: int | None = None
    has_more: bool = False
    brief: Sequence[str] = ()
    shorter: Sequence[Sequence[str]] = ()
    enough: str = ""
    defining: Sequence[int] = ()

    @classmethod
    def page(
        cls, answer: Row, head: Sequence[str], units: Sequence[str], noun: str = "hits"
    ) -> Text:
        """Return a page of an answer that a call can continue, with its notes."""
        has_more = answer["next_offset"] != -1
        notes = rows_in(answer, "notes")
        return cls(head, units, noun, notes, offset=answer["offset"], has_more=has_more)

    def fit(self, max_tokens: int) -> str:
        """Return the text with as many units as `max_tokens` allow, by the bound of packs."""
        count = llm.counter_for().count
        if self.shorter and count(self.first(len(self.units))) > max_tokens:
            units = self._shortened(max_tokens)
            in_full = all(units[i] == self.units[i] for i in self.defining)
            enough = self.enough if in_full else ""
            return self._replace(units=units, shorter=(), enough=enough).fit(max_tokens)
        if self.enough:
            text = self._replace(enough="").fit(max_tokens)
            both = f"{text}\n{self.enough}"
            all_shown = text == self.first(len(self.units))
            return both if all_shown and count(both) <= max_tokens else text
        costs = [count(unit + "\n") for unit in self.units]
        spent = list(accumulate(costs, initial=0))
        n_units = len(self.units)
        while True:
            text = self.first(n_units)
            excess = count(text) - max_tokens
            if excess <= 0:
                return text
            if n_units == 0:
                over = f"over max_tokens of {max_tokens}: ask for more tokens"
                texts = ("\n".join([*self.brief[:n], over]) for n in range(len(self.brief), 0, -1))
                return next((text for text in texts if count(text) <= max_tokens), over)
            n_units = max(0, bisect_right(spent, spent[n_units] - excess) - 1)

    def _shortened(self, max_tokens: int) -> list[str]:
        """Return the units in forms that fit: a line of each, then the first at their longest.

        All are in their shortest form if even that does not fit.
        """
        count = llm.counter_for().count
        forms = [(*shorter, unit) for shorter, unit in zip(self.shorter, self.units, strict=True)]
        costs = [[count(form + "\n") for form in each] for each in forms]
        levels = [0] * len(forms)
        room = max_tokens - count(self._replace(units=()).first(0)) - sum(c[0] for c in costs)
        for i, each in enumerate(costs):  # A line of each before more of any.
            if len(each) > 1 and each[1] - each[0] <= room:
                levels[i], room = 1, room - each[1] + each[0]
        for i, each in enumerate(costs):
            fitting = [n for n in range(levels[i], len(each)) if each[n] - each[levels[i]] <= room]
            if fitting:
                room -= each[fitting[-1]] - each[levels[i]]
                levels[i] = fitting[-1]
        return [each[level] for each, level in zip(forms, levels, strict=True)]

    def first(self, n_units: int) -> str:
        """Return the text with the first units, and what was left out."""
        lines = [*self.head, *self.units[:n_units]]
        n_cut = len(self.units) - n_units
        if n_cut:
            lines.append(f"note: {n_cut:,} more {self.noun} did not fit into max_tokens")
        if self.offset is not None and (n_units if n_cut else self.has_more):
            lines.append(f"more from offset {self.offset + n_units}")
        lines += [f"note: {cut(visible_line(note))}" for note in self.notes]
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


def with_arguments(row: Row) -> str:
    """Return the title of a node with what its signature has behind its name, and decorators."""
    declared = re.search(rf"\b{re.escape(row['name'] or ' ')}\b(?=\s*[(<\[:=])", row["signature"])
    if declared is None:
        return title(row)
    before, after = row["signature"][: declared.start()], row["signature"][declared.end() :]
    decorators = f" {before[: before.rfind(')') + 1]}" if before.startswith("@") else ""
    return f"{title(row)}{cut(visible_line(after.strip(' {') + decorators), _MAX_SIGNATURE)}"


def signature_of(row: Row) -> str:
    """Return the signature of a node, cut to one line of moderate length."""
    text = row["signature"] or heading(row["kind"], row["qualname"])
    # How much more there is, is not known: that of a row may be cut already.
    return text if len(text) <= _MAX_SIGNATURE else f"{text[:_MAX_SIGNATURE].rstrip()} ..."


def number_lines(lines: Iterable[tuple[int, str]]) -> str:
    """Return lines of code, each behind its 1-based number and a tab."""
    return "\n".join(f"{number}\t{cut(line)}" for number, line in lines)


def snippet_text(row: Row, limit: int | None = None) -> str:
    """Return the lines of code of a hit, or the first of them, and how many are skipped."""
    lines, next_line = list[str](), row["start_line"]
    for line in row.get("snippet", ())[:limit]:
        lines += _skipped(line["line"] - next_line)
        lines.append(number_lines([(line["line"], line["text"])]))
        next_line = line["line"] + 1
    return "\n".join([*lines, *(_skipped(row["end_line"] + 1 - next_line) if lines else ())])


def snippet_forms(row: Row) -> list[str]:
    """Return the lines of code of a hit, a few of them first and all of them last; none of none."""
    n_lines = len(row.get("snippet", ()))
    limits = [n for n in _PARTIAL_LINES if n < n_lines]
    return [snippet_text(row, n) for n in (*limits, None)] if n_lines else []


def _skipped(n_lines: int) -> list[str]:
    return [f"  ... {n_lines:,} lines"] if n_lines > 1 else ["  ... 1 line"] * n_lines


def cut(line: str, max_length: int = MAX_LINE) -> str:
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
