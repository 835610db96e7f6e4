"""One answer of several roots: whose code an answer is about, and how answers join.

Where several roots are served, each row has its `root` and the root's `label`, the shortest tail of
its path that no other root has; text shows paths as `label/path`, and every tool takes them so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.tools.text import rows_in
from packhound.core.errors import SettingsError
from packhound.core.nested_roots import nested_globs
from packhound.redact import visible_line
from packhound.search import merge_notes
from packhound.service import real_path, root_path

_MAX_PAGE = 50
_ROWS = (
    *("hits", "groups", "counts", "neighbors", "nodes", "folders", "items", "omitted"),
    *("callers", "callees", "implementations", "tests", "others", "definitions", "files"),
    "related",
)
"""Keys of answers whose rows have a path."""

_EXCLUDING = {"search": "excluded_paths", "grep": "exclude"}
"""Tools whose argument of that name is globs to leave out; packs join with them, others without."""

Join: TypeAlias = "Callable[[Sequence[Root], Arguments], Json]"


class Root(NamedTuple):
    """A root of several: its path, its label, and the call of a tool on it."""

    path: str
    label: str
    call: Callable[[str, Mapping[str, object]], Json]

    def label_row(self, row: Row) -> Json:
        """Return a row or an answer of this root, with whose it is."""
        whose = {"root": self.path, "label": self.label}
        callers = [{**caller, **whose} for caller in rows_in(row, "callers")]
        return {**row, **whose, **({"callers": callers} if "callers" in row else {})}


def labels_of(paths: Sequence[PurePath]) -> list[str]:
    """Return the shortest tail of each path that is no tail of another."""
    return [_label(path, [other for other in paths if other != path]) for path in paths]


def _label(path: PurePath, others: Sequence[PurePath]) -> str:
    for n in range(1, len(path.parts)):
        tail = path.parts[-n:]
        if all(other.parts[-n:] != tail for other in others):
            return "/".join(tail)
    return path.as_posix()


def select_roots(roots: Sequence[Root], written: str) -> Sequence[Root]:
    """Return the root that a path, a path in it, a URI or the end of its path names; all for "".

    Raises SettingsError that names all roots.
    """
    if not written:
        return roots
    path = real_path(root_path(written))
    tail = tuple(part.casefold() for part in PurePath(written.replace("\\", "/")).parts)
    by_path = [root for root in roots if path.is_relative_to(root.path)]
    by_tail = [root for root in roots if _folded_parts(root.path)[-len(tail) :] == tail]
    matches = [root for root in roots if root.label == written] or by_tail
    if by_path:
        matches = [max(by_path, key=lambda root: len(root.path))]
    if len(matches) != 1:
        problem = "ambiguous" if matches else "unknown"
        names = ", ".join(f"{root.label} ({root.path})" for root in matches or roots)
        raise SettingsError(f"{problem} root '{visible_line(written)}'; expected one of: {names}")
    return matches


def _folded_parts(path: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in PurePath(path).parts)


def join_roots(
    roots: Sequence[Root],
    tool: str,
    arguments: Arguments,
    join: Join | None,
) -> Json:
    """Run a tool with checked arguments on several roots, or on the one that a path begins with.

    `join` makes one answer of them; None means that of the first root that has one.
    """
    named, inner = _without_labels(roots, arguments)
    if len(named) > 1:
        return _joined(roots, tool, arguments, join)
    try:
        return _own_answer(named[0], named[0].call(tool, inner))
    except SettingsError as refusal:
        # A folder may have the name of the root that it is in.
        try:
            return _joined(roots, tool, arguments, join)
        except SettingsError as other:
            raise _best_refusal([refusal, other]) from None


def _joined(roots: Sequence[Root], tool: str, arguments: Arguments, join: Join | None) -> Json:
    if len(roots) == 1:
        return _own_answer(roots[0], roots[0].call(tool, arguments))
    if tool in _EXCLUDING:
        roots = [_without_nested(root, roots, _EXCLUDING[tool]) for root in roots]
    return (join or _first_answer(tool))(roots, dict(arguments))


def _without_nested(root: Root, roots: Sequence[Root], key: str) -> Root:
    """Return a root that leaves out, by its argument `key`, the files of roots inside of it."""
    globs = nested_globs(root.path, [other.path for other in roots])

    def call(tool: str, arguments: Mapping[str, Any]) -> Json:
        return root.call(tool, {**arguments, key: [*arguments.get(key, ()), *globs]})

    return root._replace(call=call) if globs else root


def without_label(roots: Sequence[Root], path: str) -> tuple[Sequence[Root], str]:
    """Return the root that a path begins with, and the path in it; all roots if with none."""
    written = path.replace("\\", "/").removeprefix("./")
    for root in sorted(roots, key=lambda root: -len(root.path)):
        for prefix in (root.path.replace("\\", "/"), root.label):
            if written.rstrip("/") == prefix or written.startswith(prefix + "/"):
                return [root], written[len(prefix) :].strip("/")
    return roots, path


def _without_labels(
    roots: Sequence[Root], arguments: Arguments
) -> tuple[Sequence[Root], Arguments]:
    """Return the root that a path of the arguments begins with, and the paths in it."""
    arguments = dict(arguments)
    for key in ("path", "name"):
        if isinstance(path := arguments.get(key), str):
            roots, arguments[key] = without_label(roots, path)
    for path in arguments.get("code", ()):
        if len(named := without_label(roots, path)[0]) == 1:
            arguments["code"] = [without_label(named, each)[1] for each in arguments["code"]]
            return named, arguments
    return roots, arguments


def root_of_place(roots: Sequence[Root], path: str) -> tuple[Root, str] | None:
    """Return the first root that has a file, or a place in it, and the path in that root."""
    named, inner = without_label(roots, path)
    places = [*((root, inner) for root in named), *((root, path) for root in roots)]
    return next((place for place in places if _has(*place)), None)


def _has(root: Root, path: str) -> bool:
    try:
        root.call("outline", {"path": path, "limit": 1})
    except SettingsError:
        return False
    return True


def _own_answer(root: Root, answer: Json) -> Json:
    """Return an answer of one root of several, each row of it labelled."""
    rows: Json = {
        key: [root.label_row(row) for row in rows_in(answer, key)]
        for key in _ROWS
        if isinstance(answer.get(key), list)
    }
    return root.label_row({**answer, **rows})


def _first_answer(tool: str) -> Join:
    def join(roots: Sequence[Root], arguments: Arguments) -> Json:
        """Return the first root's answer; raise a refusal if there is none."""
        answers, _ = answers_of(roots, tool, arguments)
        others = ", ".join(str(answer["label"]) for answer in answers[1:])
        note = f"there is such a place in {others} too; begin the path with its name"
        notes = [*rows_in(answers[0], "notes"), *([note] if others else ())]
        return {**answers[0], "notes": notes}

    return join


def answers_of(
    roots: Sequence[Root], tool: str, arguments: Arguments
) -> tuple[list[Json], list[str]]:
    """Return the labelled answers of the roots that have one, and why the others have none.

    Raises the first refusal if all refuse, rather one with a remedy.
    """
    answers, notes, refusals = list[Json](), list[str](), list[SettingsError]()
    for root in roots:
        try:
            answers.append(_own_answer(root, root.call(tool, arguments)))
        except SettingsError as problem:
            refusals.append(problem)
            notes.append(f"{root.label}: {problem}")
    if not answers:
        raise _best_refusal(refusals)
    return answers, notes


def _best_refusal(refusals: Sequence[SettingsError]) -> SettingsError:
    """Return the first refusal of a root that has the file, else one with a remedy, else any."""

    def closeness(refusal: SettingsError) -> int:
        text = str(refusal)
        return 2 if "is not an indexed" not in text else int("did you mean" in text)

    return max(refusals, key=closeness)


def join_statuses(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return the status of every root under `roots`."""
    return {"roots": [root.call("status", arguments) for root in roots]}


def need_root(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Refuse to write the same in several roots. Raises SettingsError."""
    names = ", ".join(root.label for root in roots)
    raise SettingsError(f"argument 'root' is needed to write; expected one of: {names}")


def join_pages(tool: str) -> Join:
    """Return a join whose answer is one page of hits; scores are log-odds, so they compare."""

    def join(roots: Sequence[Root], arguments: Arguments) -> Json:
        offset, limit = arguments["offset"], arguments["limit"]
        answers = [_first_hits(root, tool, arguments, offset + limit + 1) for root in roots]
        hits = [
            root.label_row(hit)
            for root, answer in zip(roots, answers, strict=True)
            for hit in rows_in(answer, "hits")
        ]
        hits.sort(key=lambda hit: (-float(str(hit["score"])), str(hit["path"]), str(hit["root"])))
        page = hits[offset : offset + limit]
        surest = max(answers, key=lambda answer: float(str(answer["confidence"] or 0.0)))
        word = surest["confidence_word"]
        return {
            "hits": [{**hit, "rank": offset + n} for n, hit in enumerate(page, 1)],
            "offset": offset,
            "next_offset": offset + limit if len(hits) > offset + limit else -1,
            "truncated": any(answer["truncated"] for answer in answers),
            "notes": list(merge_notes(word, [rows_in(answer, "notes") for answer in answers])),
            "confidence": surest["confidence"],
            "confidence_word": word,
        }

    return join


def _first_hits(root: Root, tool: str, arguments: Arguments, n: int) -> Json:
    """Return a root's first `n` hits, read page by page."""
    answer = root.call(tool, {**arguments, "offset": 0, "limit": min(n, _MAX_PAGE)})
    page, hits = answer, list(rows_in(answer, "hits"))
    while page["next_offset"] != -1 and len(hits) < n:
        limit = min(n - len(hits), _MAX_PAGE)
        page = root.call(tool, {**arguments, "offset": len(hits), "limit": limit})
        hits += rows_in(page, "hits")
    return {**answer, "hits": hits}


def join_outlines(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return one page of the outlines of the roots that have a path, one after the other."""
    offset, limit = arguments["offset"], arguments["limit"]
    rows: list[tuple[str, Json]] = []
    n_before, refusals = 0, list[SettingsError]()
    for root in roots:
        start = max(0, offset - n_before)
        try:
            answer = root.call("outline", {**arguments, "offset": start})
        except SettingsError as problem:
            refusals.append(problem)
            continue
        room = limit - len(rows)
        both = [(key, row) for key in ("folders", "nodes") for row in rows_in(answer, key)]
        rows += [(key, root.label_row(row)) for key, row in both[: max(0, room)]]
        n_before += int(str(answer["total"]))
    if len(refusals) == len(roots):
        raise _best_refusal(refusals)
    return {
        "folders": [row for key, row in rows if key == "folders"],
        "nodes": [row for key, row in rows if key == "nodes"],
        "offset": offset,
        "next_offset": offset + limit if n_before > offset + limit else -1,
        "total": n_before,
    }
