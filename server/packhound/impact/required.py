"""Types that lack a member which a base requires, after a patch and not before it.

Judged is a type all of whose bases are in the folder and known for certain: any other could bring
the member. A name that stands anywhere in a type as its own counts as a member of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from packhound.core.types import NodeRef
from packhound.git import PatchedFile
from packhound.impact.verdict import Break, Side, line_at, nodes_of

_SCRIPT = ("typescript", "tsx")
_KINDS = {"python": "class", "java": "class", "rust": "impl", **dict.fromkeys(_SCRIPT, "class")}
"""Kinds of the types that have to be whole, by language; others are not judged."""
_BASES = ("class", "interface", "trait")
_MAX_JUDGED, _MAX_BASES = 200, 50
_ABSTRACT = {
    "python": re.compile(r"\((?:.*\W)?(?:ABC|ABCMeta|Protocol)\b"),
    **dict.fromkeys(("java", *_SCRIPT), re.compile(r"\b(?:abstract|declare|sealed)\b")),
}
_PYTHON = re.compile(r"@(?:\w+\.)?abstractmethod\s+(?:async\s+)?def\s+(\w+)")
_SCRIPT_ABSTRACT = re.compile(
    r"\babstract\s+(?:(?:override|readonly|get|set)\s+)*([\w$]+)\s*[(<:?!]"
)
_SCRIPT_MEMBER = re.compile(r"\s*(?:readonly\s+|get\s+|set\s+)?([A-Za-z_$][\w$]*)\s*[@<:]")
_WITH_BODY = re.compile(r"\b(?:static|default|private)\b")
_OF_OBJECT = frozenset({"equals", "hashCode", "toString", "new"})
"""Methods that each class of Java has, and a signature of a constructor."""


def find_lacking(
    before: Side, after: Side, root: str, files: Mapping[str, PatchedFile]
) -> list[Break]:
    """Return the types that lack a member since the patch, or are new and lack one."""
    lacking = list[Break]()
    for node in islice(_judged(after, root, files), _MAX_JUDGED):
        missing = _missing(after, root, node)
        if not missing:
            continue
        file = files.get(node.path)
        old_path = file.old_path if file else node.path
        same = (n for n in nodes_of(before.snapshot, old_path, root) if n.kind == node.kind)
        old = [each for each in same if each.qualname == node.qualname]
        # What is new in Python may be there to derive from.
        known = _missing(before, root, old[0]) if old else {} if node.language != "python" else None
        if known is not None:
            line = node.span.start_line
            text = line_at(after.graph, node.path, line).strip()
            names = (f"{base.name}.{name}" for name, base in missing.items() if name not in known)
            lacking += [Break(node, line, text, name) for name in names]
    return sorted(lacking, key=lambda each: (each.node.path, each.line, each.name))


def _judged(after: Side, root: str, files: Mapping[str, PatchedFile]) -> Iterator[NodeRef]:
    """Yield the types that a patch writes, and those that derive from one."""
    seen = set[int]()
    for path in files:
        for node in nodes_of(after.snapshot, path, root):
            if node.language not in _KINDS or node.kind not in (*_BASES, "impl"):
                continue
            for node_id in (int(node.node_id), *after.graph.implementations(node.node_id)):
                derived = after.snapshot.ref(node_id, root)
                if node_id not in seen and derived.kind == _KINDS.get(derived.language):
                    seen.add(node_id)
                    yield derived


def _missing(side: Side, root: str, node: NodeRef) -> dict[str, NodeRef] | None:
    """Return what a type lacks, each member with the base that requires it; None if unknown."""
    abstract = _ABSTRACT.get(node.language)
    if abstract and abstract.search(node.signature):
        return {}
    types = _with_bases(side, root, node)
    if types is None:
        return None
    texts = [side.graph.bare_text(each.path)[each.span.start : each.span.end] for each in types]
    if node.language == "python":
        if not any(_ABSTRACT["python"].search(each.signature) for each in types):
            return {}  # Without that metaclass nothing is required.
        is_leaf = not side.graph.implementations(node.node_id)
        if not is_leaf or _PYTHON.search(texts[0]):
            return {}
    if node.language == "rust" and re.search(r"\b\w+!\s*[({\[]", texts[0]):
        return None  # A macro can write members.
    required = [
        {*_required(side, root, each, text)} for each, text in zip(types, texts, strict=True)
    ]
    missing = dict[str, NodeRef]()
    for base, names in zip(types, required, strict=True):
        for name in names - missing.keys():
            word = re.compile(rf"(?<![\w.$@]){re.escape(name)}(?![\w$])")
            others = (text for text, own in zip(texts, required, strict=True) if name not in own)
            if not any(map(word.search, others)):
                missing[name] = base
    return missing


def _with_bases(side: Side, root: str, node: NodeRef) -> list[NodeRef] | None:
    """Return a type and all its bases; None where one is not known."""
    found, todo = {int(node.node_id): node}, [node]
    while todo:
        each = todo.pop()
        bases = side.graph.bases(each.node_id)
        if bases is None or len(found) > _MAX_BASES:
            return None
        for base in (side.snapshot.ref(base_id, root) for base_id in bases):
            if base.kind not in _BASES:
                return None
            if int(base.node_id) not in found:
                found[int(base.node_id)] = base
                todo += [base] if node.language != "rust" else []
    return [*found.values()]


def _required(side: Side, root: str, node: NodeRef, text: str) -> Iterator[str]:
    """Yield the names of the members that who derives from a type has to have."""
    if node.language == "python":
        yield from _PYTHON.findall(text)
    elif node.language in _SCRIPT:
        yield from (
            _of_interface(text) if node.kind == "interface" else _SCRIPT_ABSTRACT.findall(text)
        )
    elif node.kind in _BASES:
        for member in nodes_of(side.snapshot, node.path, root):
            owner = member.qualname.removesuffix(member.name).rstrip(".:")
            if member.kind != "method" or owner != node.qualname or member.name in _OF_OBJECT:
                continue
            is_open = member.signature.endswith(";") and not _WITH_BODY.search(member.signature)
            if is_open if node.kind != "class" else re.search(r"\babstract\b", member.signature):
                yield member.name


def _of_interface(text: str) -> Iterator[str]:
    """Yield the members of an interface of TypeScript that are not optional."""
    body = text.partition("{")[2].rpartition("}")[0]
    for pattern, mark in ((r"\{[^{}]*\}", ""), (r"\([^()]*\)", "@"), (r"<[^<>=]*>", "")):
        while (shorter := re.sub(pattern, mark, body)) != body:
            body = shorter
    for piece in re.split(r"[;,\n]", body):
        if (match := _SCRIPT_MEMBER.match(piece)) and match[1] not in _OF_OBJECT:
            yield match[1]
