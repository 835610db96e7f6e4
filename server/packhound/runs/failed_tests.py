"""Failing tests of cargo, node's own runner, jest and vitest, which print one in several lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from packhound.runs.runners import compile_pattern

Row: TypeAlias = dict[str, Any]

_MAX_LINES = 3
"""Of a message: what was asserted, and both values."""
_MAX_DEPTH = 20
_PLACE = r"(?P<path>[^\s()']+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})"

_CARGO_OUTCOME = compile_pattern(
    r"test (\S+?(?: - \S* ?\(line \d+\))?)(?: - [\w ]+)? \.\.\. (ok|FAILED)"
)
_CARGO_SECTION = compile_pattern(r"---- (.+) stdout ----")
_CARGO_DOCUMENT = compile_pattern(r"(?P<path>\S+) - .*\(line (?P<line>\d{1,9})\)")
_CARGO_PANIC = compile_pattern(rf"thread '.*' (?:\(\d+\) )?panicked at {_PLACE}:")
_CARGO_CALM = compile_pattern(rf"note: (?P<message>test did not panic as expected) at {_PLACE}")


class CargoTests:
    """Outcomes of `cargo test`: those that fail are listed first, and what each said follows."""

    def __init__(self) -> None:
        self._failed: dict[str, Row] = {}
        self._said: Row | None = None
        self._lines: list[str] = []

    def read(self, text: str) -> Iterator[Row]:
        """Yield the outcomes that are known with a line."""
        if match := _CARGO_OUTCOME.match(text):
            test, outcome = match.groups()
            if outcome == "ok":
                yield {"test": test, "outcome": "ok"}
            else:
                place = _CARGO_DOCUMENT.fullmatch(test)
                self._failed[test] = {**place.groupdict(), "column": None} if place else {}
        elif match := _CARGO_SECTION.fullmatch(text):
            self._end_section()
            self._said = self._failed.get(match[1])
        elif text.startswith("test result: "):
            yield from self.rest()
        elif self._said is not None:
            self._read_section(self._said, text)

    def rest(self) -> Iterator[Row]:
        """Yield the failing tests that were not yielded."""
        self._end_section()
        failed, self._failed = self._failed, {}
        for test, row in failed.items():
            yield {**row, "test": test, "outcome": "FAILED"}

    def _read_section(self, row: Row, text: str) -> None:
        if self._lines:
            if not text.strip() or text.startswith(("note: ", "stack backtrace:")):
                self._end_section()
            else:
                self._lines.append(text)
        elif match := _CARGO_PANIC.fullmatch(text):
            # The line of a test of documentation is one of the program that is made of it.
            row.update({**match.groupdict(), **row})
            self._lines.append("")
        elif match := _CARGO_CALM.match(text):
            row.update(match.groupdict())
        elif text.startswith("Error: "):
            row["message"] = text

    def _end_section(self) -> None:
        if self._said is not None and self._lines:
            self._said["message"] = " ".join(self._lines[1 : _MAX_LINES + 1])
            self._said = None
        self._lines = []


_TAP_SUITE = compile_pattern(r"( *)# Subtest: (.+)")
_TAP_FAILED = compile_pattern(r"( *)not ok \d+ - (.+)")
_TAP_KEY = compile_pattern(r" *(error|location|failureType): (.*)")
_SPEC_FAILED = compile_pattern(rf"test at {_PLACE}")
_SPEC_NAME = compile_pattern(r"✖ (.+?) \([\d.]+ms\)(.*)")
_JEST_FILE = compile_pattern(r"FAIL (?:\S+ )?(\S+)(?: \([\d.]+ m?s\))?")
_JEST_FAILED = compile_pattern(r"  ● (.+)")
_JEST_REMARK = compile_pattern(r"Console$|(?:Validation|Deprecation) (?:Warning|Error)")
_VITEST_FAILED = compile_pattern(r" FAIL  (\S.*?)(?: \[ .* \])?")
_FRAME = compile_pattern(rf" +(?:.*[( ])?(?:file://)?{_PLACE}\)?(?: \{{)?")
_NO_MESSAGE = compile_pattern(
    r" *(?:>? *\d* *\|.*|[-+] (?:Expected|Received)(?: +[-+] \d+)?|---)? *"
)
_NOT_MEANT = compile_pattern(r"# (?:TODO|SKIP)\b")


class NodeTests:
    """Failing tests of node's own runner, as TAP or for people, of jest and of vitest."""

    def __init__(self) -> None:
        self._row: Row | None = None
        self._lines: list[str] = []
        self._suites: list[str] = []
        # Of TAP: columns before its keys, -1 for others.
        self._indent = -1
        self._is_error = False
        self._file = ""

    def read(self, text: str) -> Iterator[Row]:
        """Yield the failing tests whose place is known with a line."""
        if match := _TAP_SUITE.fullmatch(text):
            depth = len(match[1]) // 4
            self._suites = [*self._suites[: min(depth, _MAX_DEPTH)], match[2]]
        elif match := _TAP_FAILED.fullmatch(text):
            yield from self.rest()
            if not _NOT_MEANT.search(match[2]):
                names = [*self._suites[: len(match[1]) // 4], match[2]]
                self._row, self._indent = {"test": " > ".join(names)}, len(match[1]) + 2
        elif match := _SPEC_FAILED.fullmatch(text):
            yield from self.rest()
            self._row = match.groupdict()
        elif match := _JEST_FAILED.fullmatch(text):
            yield from self.rest()
            if not _JEST_REMARK.match(match[1]):
                self._row = {"test": f"{self._file} > {match[1]}", "path": self._file}
        elif match := _VITEST_FAILED.fullmatch(text):
            yield from self.rest()
            self._row = {"test": match[1], "path": match[1].partition(" > ")[0]}
        elif match := _JEST_FILE.fullmatch(text):
            yield from self.rest()
            self._file = match[1]
        elif self._row is not None:
            yield from self._read_on(self._row, text)

    def rest(self) -> Iterator[Row]:
        """Yield the failing test that was not yielded."""
        row, self._row = self._row, None
        if row and "test" in row:
            if self._lines:
                row["message"] = " ".join(self._lines[:_MAX_LINES])
            yield {**row, "outcome": "FAILED"}
        self._lines, self._indent, self._is_error = [], -1, False

    def _read_on(self, row: Row, text: str) -> Iterator[Row]:
        frame = _FRAME.fullmatch(text)
        if text.startswith("⎯"):
            yield from self.rest()
        elif "test" not in row:
            match = _SPEC_NAME.fullmatch(text)
            if match is None or _NOT_MEANT.search(match[2]):
                self._row = None
            else:
                row["test"] = f"{row['path']} > {match[1]}"
        elif text[: self._indent + 1].strip() and self._indent >= 0:
            yield from self._read_key(row, text)
        elif frame and not self._is_error:
            if not frame["path"].startswith("node:") and "node_modules/" not in frame["path"]:
                row.update(frame.groupdict())
                yield from self.rest()
        elif not frame and (self._is_error or self._indent < 0) and not _NO_MESSAGE.fullmatch(text):
            self._lines.append(text.strip())

    def _read_key(self, row: Row, text: str) -> Iterator[Row]:
        match, self._is_error = _TAP_KEY.fullmatch(text), False
        if text.strip() == "...":
            yield from self.rest()
        elif match and match[2] == "'subtestsFailed'":
            self._row = None
        elif match and match[1] == "error":
            self._is_error = match[2] == "|-"
            self._lines += [] if self._is_error else [match[2][1:-1]]
        elif match and (place := _SPEC_FAILED.fullmatch(f"test at {match[2][1:-1]}")):
            row.update(place.groupdict())
