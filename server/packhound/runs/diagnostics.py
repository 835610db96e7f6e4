"""Output of tools, line by line, as diagnostics and outcomes of tests; what is new of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from packhound.git import PatchedFile
from packhound.redact import safe_line
from packhound.runs.failed_tests import CargoTests, NodeTests
from packhound.runs.packhound_report import MARK
from packhound.runs.runners import Runner, compile_pattern

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.?)"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_MAX_MESSAGE, _MAX_PATH, _MAX_SCANNED = 500, 1_000, 4_000
_MAX_LINE = 10_000_000
_GO_PLACE = re.compile(r"\s*(?P<path>[\w./-]+\.go):(?P<line>\d+)(?::\d+)?: (?P<message>.*)")


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """Remark of a tool on a place; `line` and `column` are 0-based, -1 for none.

    `path` is "" where it is outside of the folder. `test` is the one that failed, if it is one, and
    `unread` the file of tests that could not be read, none of which ran.
    """

    runner: str
    message: str
    path: str = ""
    line: int = -1
    column: int = -1
    code: str = ""
    severity: str = "error"
    test: str = ""
    unread: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """A test that passed."""

    test: str


Said: TypeAlias = Diagnostic | Outcome

_TESTS: Mapping[str, type[CargoTests] | type[NodeTests]] = {
    "cargo test": CargoTests,
    "node tests": NodeTests,
}


class Reader:
    """Reads what one run of a runner prints.

    `coverage` is what it has said so far: percent by package, or of all with "".
    """

    def __init__(
        self, name: str, runner: Runner, folders: Sequence[Path], module: str = ""
    ) -> None:
        """Paths are relative to `folders`; `module` is the path of a module of Go."""
        self._name, self._runner, self._module = name, runner, module
        self._folders = [str(folder) for folder in folders]
        self._pattern, self._coverage = map(compile_pattern, (runner.pattern, runner.coverage))
        self._places: dict[str, dict[str, Any]] = {}
        self._tests = _TESTS[runner.form]() if runner.form in _TESTS else None
        self.coverage: dict[str, float] = {}

    def read(self, line: bytes) -> Iterator[Said]:
        """Yield what a line says."""
        # What prints it may be hostile: a line of another shape says nothing.
        with suppress(AttributeError, KeyError, TypeError, ValueError, RecursionError):
            yield from self._read(line.decode("utf-8", "replace").rstrip("\r\n"))

    def rest(self) -> Iterator[Said]:
        """Yield what the end says: failing tests of which no more was printed."""
        for row in self._tests.rest() if self._tests else ():
            yield from self._of_row(_with_numbers(row))

    def _read(self, text: str) -> Iterator[Said]:
        form = self._runner.form
        self._read_coverage("", text)
        if form == "pytest":
            if text.startswith(MARK):
                yield from self._of_row(json.loads(text.removeprefix(MARK)))
        elif self._tests:
            for row in self._tests.read(_bare(text)):
                yield from self._of_row(_with_numbers(row))
            if form == "node tests":  # A script may run more than tests.
                yield from self._of_pattern(_bare(text))
        elif form == "pattern" or not text.startswith(("{", "[")):
            if form in ("pattern", "go test"):
                yield from self._of_pattern(_bare(text))
        else:
            readers = {
                "ruff": self._of_ruff,
                "eslint": self._of_eslint,
                "cargo": self._of_cargo,
                "go test": self._of_go_test,
            }
            rows = json.loads(text)
            for row in rows if isinstance(rows, list) else [rows]:
                if isinstance(row, dict):
                    yield from readers[form](row)

    def failure(self, code: int | None, lines: Iterable[bytes]) -> Diagnostic:
        """Return that the runner failed without a word that was understood."""
        texts = [_one_line(each.decode("utf-8", "replace")) for each in lines]
        last = "; ".join([each for each in texts if each][-3:])
        return self._diagnostic(message=f"{self._name} ended with {code}: {last}")

    def _of_pattern(self, text: str) -> Iterator[Said]:
        match = (_GO_PLACE if self._runner.form == "go test" else self._pattern).match(text)
        if match is None:
            return
        row = match.groupdict()
        if row.get("test"):
            yield from self._of_row(row)
        elif row.get("severity") != "note":
            yield self._diagnostic(**_with_numbers(row))

    def _read_coverage(self, package: str, text: str) -> None:
        if self._runner.coverage and (match := self._coverage.match(_bare(text))):
            self.coverage[package] = float(match["percent"])

    def _of_row(self, row: Any) -> Iterator[Said]:  # noqa: ANN401 - JSON of a tool
        """Yield the outcome of a test."""
        if not isinstance(row, dict) or not isinstance(row.get("test"), str):
            return
        if row.get("outcome") == "ok":
            yield Outcome(safe_line(row["test"][:_MAX_PATH]))
        elif row.get("outcome") == "FAILED":
            # Of node, a file that cannot be loaded is a test.
            test = self._without_folders(row["test"])
            yield self._diagnostic(**{"message": "failed", **row, "test": test})
        elif row.get("outcome") == "UNREAD":
            message = f"tests cannot be read: {row.get('message', '')}"
            yield self._diagnostic(**{**row, "message": message, "unread": row["test"], "test": ""})

    def _of_ruff(self, row: Mapping[str, Any]) -> Iterator[Said]:
        place = row.get("location") or {}
        yield self._diagnostic(
            path=row.get("filename"),
            line=_before(place.get("row")),
            column=_before(place.get("column")),
            code=row.get("code"),
            message=row.get("message"),
        )

    def _of_eslint(self, row: Mapping[str, Any]) -> Iterator[Said]:
        for each in row.get("messages") or ():
            yield self._diagnostic(
                path=row.get("filePath"),
                line=_before(each.get("line")),
                column=_before(each.get("column")),
                code=each.get("ruleId"),
                message=each.get("message"),
                severity="error" if each.get("severity") == 2 else "warning",
            )

    def _of_cargo(self, row: Mapping[str, Any]) -> Iterator[Said]:
        compiled = row.get("message")
        if row.get("reason") != "compiler-message" or not isinstance(compiled, dict):
            return
        spans: list[Any] = compiled.get("spans") or []
        place = next((span for span in spans if span.get("is_primary")), None)
        if compiled.get("level") not in ("error", "warning") or not place:
            return
        yield self._diagnostic(
            path=place.get("file_name"),
            line=_before(place.get("line_start")),
            column=_before(place.get("column_start")),
            code=(compiled.get("code") or {}).get("code"),
            message=compiled.get("message"),
            severity=compiled["level"],
        )

    def _of_go_test(self, row: Mapping[str, Any]) -> Iterator[Said]:
        package, action = str(row.get("Package") or ""), row.get("Action")
        test = f"{package}.{row['Test']}" if row.get("Test") else package
        if action == "output":
            self._read_coverage(package, str(row.get("Output")))
        if action in ("output", "build-output"):
            if match := _GO_PLACE.match(_bare(str(row.get("Output")))):
                place = _with_numbers(match.groupdict())
                folder = package.removeprefix(self._module).strip("/")
                if action == "output" and folder:
                    place["path"] = f"{folder}/{place['path']}"
                self._places[test] = place
                if action == "build-output":
                    yield self._diagnostic(**place)
        elif action == "pass" and row.get("Test"):
            yield Outcome(safe_line(test[:_MAX_PATH]))
        elif action == "fail":
            found = self._places.get(test, {})
            if row.get("Test") or not any(each.startswith(f"{test}.") for each in self._places):
                yield self._diagnostic(**{"message": "failed", **found, "test": test})

    def _diagnostic(self, **row: Any) -> Diagnostic:  # noqa: ANN401 - JSON of a tool
        """Return a diagnostic, whatever a tool gave as its values."""
        text = {
            key: safe_line(_one_line(str(row.get(key) or "")))
            for key in ("message", "code", "severity", "test", "unread")
        }
        line, column = (
            value if isinstance(value := row.get(key), int) and 0 <= value < _MAX_LINE else -1
            for key in ("line", "column")
        )
        path = self._relative(str(row.get("path") or ""))
        return Diagnostic(
            runner=self._name,
            message=text["message"][:_MAX_MESSAGE],
            path=path,
            line=line if path else -1,
            column=column if path and line >= 0 else -1,
            code=text["code"][:100],
            severity="warning" if text["severity"] == "warning" else "error",
            test=text["test"][:_MAX_PATH],
            unread=text["unread"][:_MAX_PATH],
        )

    def _without_folders(self, text: str) -> str:
        for folder in self._folders:
            text = text.replace(f"{folder}/", "")
        return text

    def _relative(self, path: str) -> str:
        """Return the path within the folder, "" for one outside."""
        for folder in self._folders:
            path = path.removeprefix(f"{folder}/")
        path = path.removeprefix("./").replace("\\", "/")
        is_inside = path and not path.startswith("/") and ".." not in path.split("/")
        return safe_line(path) if is_inside and len(path) <= _MAX_PATH else ""


def _bare(text: str) -> str:
    """Return a text, cut, without escape sequences."""
    return _ESCAPE.sub("", text[:_MAX_SCANNED])


def _one_line(text: str) -> str:
    return " ".join(_bare(text).split())


def _before(value: object) -> int:
    """Return the 0-based number of a 1-based one."""
    return value - 1 if isinstance(value, int) else -1


def _with_numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of a pattern with 0-based numbers."""
    numbers = {key: int(row[key][:9]) - 1 for key in ("line", "column") if row.get(key)}
    return {**row, **numbers}


class Compared(msgspec.Struct, frozen=True):
    """Diagnostics of a patched folder against those of its base.

    `new` and `old` are of the patched folder, `gone` of the base alone.
    """

    new: tuple[Diagnostic, ...]
    old: tuple[Diagnostic, ...]
    gone: tuple[Diagnostic, ...]


def base_line(diagnostic: Diagnostic, files: Mapping[str, PatchedFile]) -> int | None:
    """Return the 0-based line of the base, -1 for no line, None for one that a patch adds."""
    file = files.get(diagnostic.path)
    if file is None or diagnostic.line < 0:
        return diagnostic.line
    return None if file.before is None else file.old_line(diagnostic.line)


def compare(
    base: Sequence[Diagnostic], patched: Sequence[Diagnostic], files: Mapping[str, PatchedFile]
) -> Compared:
    """Tell what is new; a diagnostic of the base stays one when its line has moved or changed."""
    counts = Counter(_place(each, each.path, each.line) for each in base)
    unplaced = list[Diagnostic]()
    old = list[Diagnostic]()
    for each in patched:
        path = files[each.path].old_path if each.path in files else each.path
        place = _place(each, path, base_line(each, files))
        if counts[place] > 0:
            counts[place] -= 1
            old.append(each)
        else:
            unplaced.append(each)
    # Those of the base that are left, by what they say: their line was changed, or they are gone.
    removed = list[Diagnostic]()
    for each in base:
        if counts[place := _place(each, each.path, each.line)] > 0:
            counts[place] -= 1
            removed.append(each)
    new = list[Diagnostic]()
    for each in unplaced:
        is_changed = each.line >= 0 and base_line(each, files) is None
        same = next((it for it in removed if is_changed and _is_same(each, it, files)), None)
        if same is None:
            new.append(each)
        else:
            removed.remove(same)
            old.append(each)
    return Compared(tuple(new), tuple(old), tuple(removed))


def _is_same(each: Diagnostic, removed: Diagnostic, files: Mapping[str, PatchedFile]) -> bool:
    """Return True if one on a line that a patch writes says what one says on a line that goes."""
    file = files[each.path]
    says = _place(each, file.old_path, 0) == _place(removed, removed.path, 0)
    return says and file.new_line(removed.line) is None


def _place(diagnostic: Diagnostic, path: str, line: int | None) -> tuple[object, ...]:
    if name := diagnostic.test or diagnostic.unread:
        return diagnostic.runner, name
    return diagnostic.runner, diagnostic.code, diagnostic.message, path, line
