"""Imports that nothing provides after a patch: no module of the folder, or no name in it.

Judged are paths that lead into the folder for certain: relative ones, and those of a package of
Python that the folder has once: at its top, in `src`, or in a folder at or above the importer.
What is on the disk counts as provided, read or not.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from packhound.git import PatchedFile
from packhound.impact.verdict import Break, Side, line_at

_SCRIPT = ("typescript", "tsx", "javascript")
_SUFFIXES = {
    "python": (".py", ".pyi"),
    **dict.fromkeys(_SCRIPT, (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs")),
}
_SCRIPT_SUFFIX = re.compile(r"\.(?:[mc]?[jt]s|[jt]sx)$")
_WORD = re.compile(rb"[\w$]+")
_INDEX = {"python": "__init__", **dict.fromkeys(_SCRIPT, "index")}
_OPEN = {
    "python": re.compile(
        r"\bimport\s*\*|\b__getattr__\b|\b(?:globals|vars|setattr|exec)\(|\bsys\.modules\["
    ),
    **dict.fromkeys(
        _SCRIPT, re.compile(r"\bexport\s*(?:type\s*)?[*=]|(?<![\w.])(?:module\.)?exports\s*[.=\[]")
    ),
}
"""Statements that bring names which a module does not write."""


def find_missing_imports(
    before: Side, after: Side, root: str, files: Mapping[str, PatchedFile]
) -> list[Break]:
    """Return the imports that a patch writes, or leaves behind, and that nothing provides."""
    gone = {f.old_path for path, f in files.items() if f.after is None or f.old_path != path}
    written = {path for path, file in files.items() if file.after is not None}
    folder_before = _Folder(before, Path(root), frozenset(), frozenset())
    folder_after = _Folder(after, Path(root), frozenset(written), frozenset(gone - written))
    paths = [file.old_path for path, file in files.items() if _loses_a_word(path, file)]
    changed = {stem for path in paths for stem in (path, *_stems(path))}
    missing = list[Break]()
    for path in {*written, *_importers(after, paths)} & after.snapshot.files.keys():
        file = files.get(path)
        is_new = file is not None and (file.before is None or file.old_path != path)
        for line, module, name in after.graph.imports(path):
            is_written = is_new or (file is not None and file.old_line(line) is None)
            if not (is_written or folder_before.may_be_of(changed, path, module, name)):
                continue
            lack = folder_after.lack(path, module, name)
            if not lack or not (is_written or not folder_before.lack(path, module, name)):
                continue
            node_id = after.snapshot.node_id_at(path, line)
            if node_id is not None:
                text = line_at(after.graph, path, line).strip()
                missing.append(Break(after.snapshot.ref(node_id, root), line, text, lack))
    return sorted({_place(each): each for each in missing}.values(), key=_place)


def _place(each: Break) -> tuple[str, int, str]:
    return each.node.path, each.line, each.name


def _loses_a_word(path: str, file: PatchedFile) -> bool:
    """Return True for a file that goes, moves or may provide less than it did."""
    if file.after is None or file.old_path != path:
        return True
    return bool({*_WORD.findall(file.before or b"")} - {*_WORD.findall(file.after)})


def _importers(after: Side, changed: Sequence[str]) -> Iterator[str]:
    """Yield the files that import a module with the name of one that a patch changes."""
    paths = [*map(Path, changed)]
    names = {each for path in paths for each in path.with_suffix("").parts[-2:]}
    folders = {path.parent.as_posix() for path in paths}
    for path, entry in after.snapshot.files.items() if changed else ():
        modules = (re.split(r"[./\\]+", module.strip("'\"")) for module in entry.imports)
        if posixpath.dirname(path) in folders or any(map(names.intersection, modules)):
            yield path


class _Folder:
    """Modules and names of a folder: `written` files and those of a snapshot, and of the disk.

    But for those that are `gone`.
    """

    def __init__(
        self, side: Side, root: Path, written: frozenset[str], gone: frozenset[str]
    ) -> None:
        self._side, self._root, self._gone = side, root, gone
        self._paths = written | side.snapshot.files.keys()
        self._roots = dict[str, list[str]]()

    @cached_property
    def _folders(self) -> set[str]:
        """The folders of all files, and those above them."""
        folders = set[str]()
        for folder in {posixpath.dirname(path) for path in self._paths}:
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return folders

    @cached_property
    def _stems(self) -> set[str]:
        return {stem for path in self._paths for stem in (path, *_stems(path))} | self._folders

    def may_be_of(self, changed: set[str], importer: str, module: str, name: str) -> bool:
        """Return True if an import is of a module, or a name, that is one of some stems."""
        target = self._target(importer, module)
        if target is None:
            return False
        index = _INDEX[self._side.snapshot.files[importer].language]
        stem = _SCRIPT_SUFFIX.sub("", target)
        inner = (posixpath.join(target, each) for each in (name, index))
        return not changed.isdisjoint((target, stem, *inner))

    def lack(self, importer: str, module: str, name: str) -> str:
        """Return what an import asks for and is surely not there: the module, a name, or ""."""
        target = self._target(importer, module)
        if target is None:
            return ""
        if not self._exists(target):
            return module
        is_here = not name or name == "*" or self._exists(posixpath.join(target, name))
        return "" if is_here or self._may_have(importer, target, name) else f"{name} of {module}"

    def _target(self, importer: str, module: str) -> str | None:
        """Return the path of a module without its suffix; None where that is not certain."""
        language, folder = self._side.snapshot.files[importer].language, posixpath.dirname(importer)
        if (
            language in _SCRIPT
            and re.match(r"\.\.?(?:/|$)", module)
            and not set("?!#") & set(module)
        ):
            target = posixpath.normpath(posixpath.join(folder, module))
        elif language == "python" and importer.endswith(".py") and module.startswith("."):
            names = module.lstrip(".")
            above = "/".join([".."] * (len(module) - len(names) - 1))
            target = posixpath.normpath(
                posixpath.join(folder, above, *filter(None, names.split(".")))
            )
        elif language == "python" and importer.endswith(".py") and module:
            roots = self._roots_of(module.partition(".")[0])
            # One that lies elsewhere, such as a stub of tests, may hide nothing that is installed.
            is_near = len(roots) == 1 and (
                roots[0] in ("", "src") or f"{folder}/".startswith(f"{roots[0]}/")
            )
            target = posixpath.join(roots[0], *module.split(".")) if is_near else "."
        else:
            return None
        return None if target.startswith(".") else target

    def _roots_of(self, package: str) -> list[str]:
        """Return the folders in which a package of Python lies that is in no other."""
        if package not in self._roots:
            named = (f for f in self._folders if posixpath.basename(f) == package)
            inside = [f for f in named if self._is_file(posixpath.join(f, "__init__.py"))]
            above = map(posixpath.dirname, inside)
            self._roots[package] = [
                f for f in above if not self._is_file(posixpath.join(f, "__init__.py"))
            ]
        return self._roots[package]

    def _is_file(self, path: str) -> bool:
        return path in self._paths or ((self._root / path).is_file() and path not in self._gone)

    def _exists(self, target: str) -> bool:
        """Return True for a file of this stem, whatever its suffix, or a folder."""
        if not self._stems.isdisjoint({target, _SCRIPT_SUFFIX.sub("", target)}):
            return True
        path = self._root / target
        stem = f"{_SCRIPT_SUFFIX.sub('', path.name)}."
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        found = (p for p in beside if p == path or p.name.startswith(stem))
        return any(p.relative_to(self._root).as_posix() not in self._gone for p in found)

    def _may_have(self, importer: str, target: str, name: str) -> bool:
        """Return True unless a module has a name nowhere, and nothing that could bring it."""
        language = self._side.snapshot.files[importer].language
        stem, index = _SCRIPT_SUFFIX.sub("", target), posixpath.join(target, _INDEX[language])
        paths = [s + suffix for s in (target, stem, index) for suffix in ("", *_SUFFIXES[language])]
        paths = [each for each in paths if self._is_file(each)]
        texts = [self._side.graph.bare_text(p) for p in paths if p in self._side.snapshot.files]
        # What is not read is no proof, unless it is empty.
        unread = [p for p in paths if p not in self._side.snapshot.files and p not in self._paths]
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        return (
            not paths
            # Bundlers make the exports of a style sheet, a picture, or a component.
            or not all(each.endswith(_SUFFIXES[language]) for each in paths)
            or any((self._root / each).stat().st_size for each in unread)
            or any(_OPEN[language].search(text) or word.search(text) for text in texts)
        )


def _stems(path: str) -> Iterator[str]:
    """Yield a path without its last suffixes: `a/b.d`, `a/b` of `a/b.d.ts`."""
    folder, name = posixpath.split(path)
    while "." in name[1:]:
        name = name.rpartition(".")[0]
        yield posixpath.join(folder, name)
