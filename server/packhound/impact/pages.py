"""Documentation made from the index: a page of Markdown for each folder with code.

A page has its files with their public definitions, each with its signature, the first sentence of
its documentation, what uses it and one line that does, and a diagram of which folder uses which.
It names no line numbers and no dates: it is stale where what it says has changed, else never.
"""

from __future__ import annotations

import html
import posixpath
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple, TypeAlias

from packhound.core.errors import Cancelled
from packhound.core.titles import heading
from packhound.core.types import NodeRef
from packhound.graph import CallGraph, Grade
from packhound.index import FileEntry, Snapshot
from packhound.redact import safe_line
from packhound.text import is_test

PAGE = "README.md"
_UNDOCUMENTED = frozenset({"file", "window", "section", "test", "impl"})
_CONTAINERS = frozenset({"class", "struct", "interface", "trait", "module", "enum", "impl"})
_MODULES = frozenset({"typescript", "tsx", "javascript"})
_PRIVATE = re.compile(r"\b(?:private|protected|fileprivate|internal)\s+\w|#\w+\(")
_PUBLIC = re.compile(r"\bpublic\b")
_SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)
_USES = "Uses are those that the code states; there may be more."
_MAX_USERS, _MAX_LINE, _MAX_EDGES = 5, 120, 40

LineOf: TypeAlias = Callable[[str, int], str]
"""Returns a 0-based line of a file as it leaves, "" without one."""


class _UsedAt(NamedTuple):
    """A place that uses a definition; the best example has the least rank."""

    rank: int
    path: str
    line: int
    name: str


class _Definition(NamedTuple):
    """A public definition, maybe below a type that is shown too."""

    node: NodeRef
    is_member: bool


@dataclass(slots=True)
class _Folder:
    """The files of a folder with their public definitions, and the folders in it."""

    files: dict[str, list[_Definition]] = field(default_factory=lambda: defaultdict(list))
    folders: set[str] = field(default_factory=set)


def make_pages(
    snapshot: Snapshot,
    graph: CallGraph,
    line_of: LineOf,
    out: str,
    cancel: threading.Event | None = None,
) -> dict[str, str]:
    """Return the text of each page by its path, which is relative to the folder and below `out`.

    Raises Cancelled.
    """
    folders = _folders_of(snapshot, out)
    uses = _uses_of(snapshot, graph, out, cancel)
    between = Counter(
        (place.path, snapshot.locate(node_id)[0].path)
        for node_id, places in uses.items()
        for place in places
    )
    render = partial(_render, snapshot, folders, uses, between, line_of, out)
    return {_page_of(folder, out): render(folder) for folder in sorted(folders)}


def _page_of(folder: str, out: str) -> str:
    return posixpath.normpath(posixpath.join(out, folder, PAGE))


def _folders_of(snapshot: Snapshot, out: str) -> dict[str, _Folder]:
    """Return the folders with public definitions of code, and those that lead to them."""
    folders = defaultdict[str, _Folder](_Folder)
    for path in sorted(snapshot.files):
        if is_test(path) or _is_below(path, out):
            continue
        public = [*_public(snapshot.refs_below(path, ""), snapshot.files[path])]
        if not public:
            continue
        folder = posixpath.dirname(path)
        folders[folder].files[path] = public
        while folder:
            parent = posixpath.dirname(folder)
            folders[parent].folders.add(folder)
            folder = parent
    return folders


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _public(nodes: Sequence[NodeRef], entry: FileEntry) -> Iterator[_Definition]:
    """Yield what other files may use by its language's rules, or by custom."""
    public, parents, is_exported = set[int](), entry.parents(), _exports_of(nodes, entry)
    for position, node in enumerate(nodes):
        parent = parents[position]
        is_member = parent >= 0 and nodes[parent].kind != "file"
        if is_member and (nodes[parent].kind not in _CONTAINERS or parent not in public):
            continue
        if node.kind in ("impl", "module", "file") or (
            _is_public(node, is_member and nodes[parent].kind in ("interface", "enum"))
            and (is_member or is_exported(node))
        ):
            public.add(position)
            if node.kind not in _UNDOCUMENTED and node.name:
                is_shown = is_member and nodes[parent].kind not in _UNDOCUMENTED
                yield _Definition(node, is_shown)


def _exports_of(nodes: Sequence[NodeRef], entry: FileEntry) -> Callable[[NodeRef], bool]:
    """Return a test of what a file exports by the rules of ECMAScript, if it exports any so.

    What the code outside its definitions names may be in an export clause.
    """
    is_module = any(node.signature.startswith("export ") for node in nodes)
    # What a file of declarations declares is exported without the word too.
    if entry.language not in _MODULES or not is_module or entry.path.endswith(".d.ts"):
        return lambda _node: True
    files = (i for i, node in enumerate(nodes) if node.kind == "file")
    named = {name for i in files for name in entry.node(i).references}
    return lambda node: node.signature.startswith("export ") or node.qualname.split(".")[0] in named


def _is_public(node: NodeRef, of_interface: bool) -> bool:
    """Return True for what is public by its name or its modifiers; C# has it private by default."""
    name, signature = node.name, node.signature
    if node.language == "go":  # With the type that has it.
        return all(part[:1].isupper() for part in node.qualname.split("."))
    if node.language in ("rust", "zig"):
        return signature.startswith(("pub", "export")) or node.kind == "macro"
    modifiers = signature.partition("(")[0]
    is_hidden = node.language == "csharp" and not (of_interface or _PUBLIC.search(modifiers))
    return not (name.startswith("_") or is_hidden or _PRIVATE.search(modifiers))


def _uses_of(
    snapshot: Snapshot, graph: CallGraph, out: str, cancel: threading.Event | None
) -> dict[int, list[_UsedAt]]:
    """Return the places in other files that use each definition, as far as it is resolved."""
    uses = defaultdict[int, list[_UsedAt]](list)
    for path in sorted(snapshot.files):
        if cancel is not None and cancel.is_set():
            raise Cancelled("the documentation was cancelled")
        entry, of_test = snapshot.files[path], is_test(path)
        if _is_below(path, out):
            continue
        own = set(entry.node_ids.tolist())
        for position, node_id in enumerate(entry.node_ids.tolist()):
            # What is outside all definitions is mostly an import, which shows least.
            is_outside = snapshot.node(node_id).kind == "file"
            rank = 2 * is_outside + of_test
            for use in graph.uses(node_id):
                is_live = use.node_id < snapshot.n_node_ids and snapshot.live[use.node_id]
                if is_live and use.node_id not in own and use.grade == Grade.RESOLVED:
                    name = entry.qualname(position)
                    uses[use.node_id].append(_UsedAt(rank, path, use.line, name))
    return uses


def _render(
    snapshot: Snapshot,
    folders: dict[str, _Folder],
    uses: dict[int, list[_UsedAt]],
    between: Mapping[tuple[str, str], int],
    line_of: LineOf,
    out: str,
    folder: str,
) -> str:
    """Return the page of a folder; `between` counts the uses of one file in another."""
    link = partial(_link, posixpath.dirname(_page_of(folder, out)))
    here = folders[folder]
    lines = [f"# {_text(folder or 'Overview')}", ""]
    own = [each.node for shown in here.files.values() for each in shown]
    lines += [f"{_counts(own)}. {_USES}", ""] if own else []
    for below in sorted(here.folders):
        nodes = [
            each.node
            for folder, found in folders.items()
            if folder == below or _is_below(folder, below)
            for shown in found.files.values()
            for each in shown
        ]
        name = link(f"{posixpath.basename(below)}/", _page_of(below, out))
        lines.append(f"- {name}: {_counts(nodes)}")
    lines += ["", *_diagram(folder, here.folders, between)] if here.folders else []
    for path, shown in here.files.items():
        file_doc = _first_sentence(snapshot.refs_below(path, "")[0].doc)
        lines += ["", f"## {link(posixpath.basename(path), path)}", ""]
        lines += [file_doc, ""] if file_doc else []
        for each in shown:
            lines += _lines_of(each, uses.get(each.node.node_id, []), line_of)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def _link(start: str, text: str, path: str) -> str:
    target = posixpath.relpath(path, start or ".").replace(" ", "%20")
    return f"[{_text(text)}]({target})"


def _counts(nodes: Iterable[NodeRef]) -> str:
    """Return how many definitions of each kind there are, and in how many files."""
    nodes = list(nodes)
    kinds, n_files = Counter(node.kind for node in nodes), len({node.path for node in nodes})
    parts = [f"{n_files:,} file{'s'[: n_files != 1]}"]
    for kind, n in sorted(kinds.items(), key=lambda each: (-each[1], each[0])):
        plural = "" if n == 1 else "es" if kind.endswith("s") else "s"
        parts.append(f"{n:,} {kind}{plural}")
    return ", ".join(parts)


def _diagram(
    here: str, below: Collection[str], between: Mapping[tuple[str, str], int]
) -> list[str]:
    """Return which of the folders directly below one use which, as a diagram of Mermaid."""
    edges = Counter[tuple[str, str]]()
    for (user_path, target_path), n in between.items():
        user, target = _child(here, user_path), _child(here, target_path)
        if user != target and user in below and target in below:
            edges[user, target] += n
    if not edges:
        return []
    most = sorted(edges, key=lambda edge: (-edges[edge], edge))[:_MAX_EDGES]
    names = {name: f"f{i}" for i, name in enumerate(sorted(below))}
    shown = sorted({name for edge in most for name in edge})
    return [
        "```mermaid",
        "graph LR",
        *(f'  {names[name]}["{_label(posixpath.basename(name))}"]' for name in shown),
        *(f"  {names[user]} --> {names[target]}" for user, target in sorted(most)),
        "```",
    ]


def _child(folder: str, path: str) -> str:
    """Return the folder directly below another that a path leads through, "" for none."""
    start = f"{folder}/" if folder else ""
    head, slash, _ = path.removeprefix(start).partition("/")
    return start + head if slash and path.startswith(start) else ""


def _lines_of(each: _Definition, uses: Sequence[_UsedAt], line_of: LineOf) -> Iterator[str]:
    """Yield the lines of one definition."""
    node = each.node
    signature = safe_line(node.signature or heading(node.kind, node.qualname))
    indent = "  " * each.is_member
    yield f"{indent}- {_code(signature)}"
    indent += "  "
    if doc := _first_sentence(node.doc):
        yield f"{indent}{doc}"
    users = Counter(use.path for use in uses)
    if not users:
        return
    named = sorted(users, key=lambda path: (is_test(path), -users[path], path))
    more = f" and {len(named) - _MAX_USERS:,} more" if len(named) > _MAX_USERS else ""
    files = ", ".join(_code(safe_line(path)) for path in named[:_MAX_USERS])
    yield f"{indent}Used in {files}{more}."
    best = min(uses)
    if line := line_of(best.path, best.line).strip():
        cut = line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 3]}..."
        place = _code(safe_line(f"{PurePosixPath(best.path).name}: {best.name}"))
        yield f"{indent}Example, {place}: {_code(safe_line(cut))}"


def _first_sentence(doc: str) -> str:
    text = " ".join(doc.split("\n\n")[0].split())
    found = _SENTENCE.match(text)
    return _text(found[0] if found else text)


def _text(text: str) -> str:
    """Return text as it leaves, in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", safe_line(text))


def _label(text: str) -> str:
    return html.escape(safe_line(text))


def _code(text: str) -> str:
    """Return text as code that no backtick in it ends."""
    ticks = "`" * (1 + max(map(len, re.findall(r"`+", text)), default=0))
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"
