"""References to code as people and tools write them, resolved in one place.

`path:line` and `path:first-last` as search prints them, `path#Qual.name`, which survives edits,
`Qual.name` where it is the only one, and a plain `path`. Only indexed files can be named, under
their names in the index, so no reference reaches outside of the folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.types import KINDS, NodeRef
from packhound.redact import safe_line, visible_line

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d{1,8})(?:-\d{1,8})?(?:,[\d,-]*)?", re.DOTALL)
_MAX_SUGGESTIONS = 5
_FILE = KINDS.index("file")


class Place(NamedTuple):
    """An indexed path of a folder and a 0-based line in it; None where it is a whole file.

    `named` is the definition that a reference names.
    """

    root: service.Root
    path: str
    line: int | None
    named: NodeRef | None = None


def places(roots: service.Roots, reference: str, line: int | None = None) -> list[Place]:
    """Return the place that a reference names in each folder that has one, never none.

    A 1-based `line` counts where the reference has none. Raises SettingsError that names the
    nearest that there is.
    """
    by_root, refusals = dict[str, Place](), []
    for root, inner in roots.candidates(reference):
        try:
            place = resolve(root, inner, line or None)
        except _EmptyFileError as refusal:
            if not by_root:
                whose = f", in {root.label}" if roots.are_named else ""
                raise SettingsError(f"{refusal}{whose}") from None
        except SettingsError as refusal:
            refusals.append(refusal)
        else:
            by_root.setdefault(root.path, place)
    if not by_root:
        raise service.best_refusal(refusals)
    return [*by_root.values()]


def notes_on_others(others: Sequence[Place]) -> list[str]:
    """Return a note that a reference names places in other folders too, if it does."""
    labels = ", ".join(place.root.label for place in others)
    return [f"there is such a place in {labels} too; begin the path with its name"] * bool(labels)


def resolve(root: service.Root, reference: str, line: int | None = None) -> Place:
    """Return the place that a reference names in a folder; a 1-based `line` if it has none.

    Raises SettingsError that names the nearest that there is.
    """
    if target := place_in_file(root, reference, line):
        return target
    engine = root.engine
    path = _relative(engine, reference)
    if definitions := engine.named(path):
        return _place_of(root, _only(definitions, path))
    match = _LINES.fullmatch(path)
    raise _unknown(engine, match["path"] if match else path.partition("#")[0], "file")


def place_in_file(root: service.Root, reference: str, line: int | None = None) -> Place | None:
    """Return the place of a reference that begins with the path of a file, as `resolve` does."""
    engine = root.engine
    files = engine.caught_up().files
    path = _relative(engine, reference)
    if path in files:
        return Place(root, path, None if line is None else line - 1)
    match = _LINES.fullmatch(path)
    if match and _relative(engine, match["path"]) in files:
        if not int(match["first"]):
            raise SettingsError(f"'{visible_line(path)}' has no line 0: the first is 1")
        return Place(root, _relative(engine, match["path"]), int(match["first"]) - 1)
    file, hash_mark, name = path.partition("#")
    if hash_mark and file in files:
        return _place_of(root, _find_in_file(engine, file, name))
    return None


def resolve_folder(root: service.Root, path: str) -> str:
    """Return a file or folder as the index has it, "" for the root. Raises SettingsError."""
    engine = root.engine
    relative = _relative(engine, path)
    if relative in ("", ".") or any(
        name.startswith(relative + "/") for name in engine.caught_up().files
    ):
        return "" if relative == "." else relative
    try:
        return resolve(root, path).path
    except SettingsError:
        raise _unknown(engine, relative, "file or folder") from None


class _EmptyFileError(SettingsError):
    """A path names a file without text."""


class References:
    """References to nodes: `path#Qual.name` if that names the node alone in its file, or a line."""

    def __init__(self, roots: Iterable[service.Root]) -> None:
        self._engines = {root.path: root.engine for root in roots}
        self._names: dict[tuple[str, str], Counter[str]] = {}

    def of(self, node: NodeRef) -> str:
        """Return the reference of a node."""
        key = node.root, node.path
        if key not in self._names:
            engine = self._engines.get(node.root)
            entry = engine.snapshot.files.get(node.path) if engine else None
            kinds = engine.snapshot.kind_of[entry.node_ids] if engine and entry else ()
            definitions = [i for i, kind in enumerate(kinds) if kind != _FILE]
            self._names[key] = Counter(map(entry.qualname, definitions) if entry else ())
        # A file's own name means its text only where no definition is called so.
        if node.qualname and self._names[key][node.qualname] == (node.kind != "file"):
            return f"{node.path}#{node.qualname}"
        return f"{node.path}:{node.span.start_line + 1}"


def _find_in_file(engine: service.Engine, path: str, name: str) -> NodeRef:
    """Return the first node of a file with a qualified name, its end or a name; itself last."""
    nodes = sorted(engine.outline(path), key=lambda node: node.kind == "file")
    matches = [node for node in nodes if node.qualname == name]
    matches = matches or [node for node in nodes if node.name == name]
    parts = re.split(r"\W+", name)
    matches = matches or [n for n in nodes if re.split(r"\W+", n.qualname)[-len(parts) :] == parts]
    if not matches:
        last = parts[-1]
        names = {node.qualname: None for node in nodes if node.name == last}
        hint = ", ".join(f"'{visible_line(path)}#{safe_line(near)}'" for near in names)
        remedy = f"did you mean {hint}?" if hint else "search for a part of its name"
        raise SettingsError(f"'{visible_line(path)}' has no '{visible_line(name[:200])}'; {remedy}")
    return matches[0]


def _place_of(root: service.Root, node: NodeRef) -> Place:
    return Place(root, node.path, node.span.start_line, node)


def _only(definitions: Sequence[NodeRef], name: str) -> NodeRef:
    """Return the one definition of a name. Raises SettingsError for several."""
    first, *others = definitions
    if others:
        options = [f"'{visible_line(n.path)}:{n.span.start_line + 1}'" for n in definitions]
        more = " ..." if len(options) > _MAX_SUGGESTIONS else ""
        raise SettingsError(
            f"there are {len(options):,} definitions of '{visible_line(name[:200])}'; give one of: "
            f"{', '.join(options[:_MAX_SUGGESTIONS])}{more}"
        )
    return first


def _relative(engine: service.Engine, path: str) -> str:
    root = engine.root.as_posix() + "/"
    return path.replace("\\", "/").removeprefix(root).removeprefix("./").rstrip("/")


def _unknown(engine: service.Engine, path: str, noun: str) -> SettingsError:
    if engine.is_empty(path):
        return _EmptyFileError(f"'{visible_line(path[:200])}' is empty")
    if reason := engine.left_out.files.get(path):
        return SettingsError(f"'{visible_line(path[:200])}' is not read: {reason}")
    suggestion = _suggest(engine.snapshot.files, path)
    return SettingsError(f"'{visible_line(path[:200])}' is not an indexed {noun}{suggestion}")


def _suggest(files: Iterable[str], missing_path: str) -> str:
    """Return the remedy for a path that is not indexed."""
    name = missing_path.rpartition("/")[2]
    same_name = [path for path in files if path.rpartition("/")[2] == name]
    if not same_name:
        return "; search for a part of its name, or check that no ignore file leaves it out"
    suggestions = ", ".join(
        f"'{visible_line(path)}'" for path in sorted(same_name, key=len)[:_MAX_SUGGESTIONS]
    )
    return f"; did you mean {suggestions}{' ...' if len(same_name) > _MAX_SUGGESTIONS else ''}?"
