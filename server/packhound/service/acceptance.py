"""A patch on its way into the user's files: what each becomes, checked before any is written.

Nothing that is unsaved or uncommitted is overwritten: files with such changes are refused, or
merged where the user says so, and what an editor has unsaved is for that editor alone to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from packhound import git
from packhound.core.errors import SettingsError
from packhound.files import Replacement, WriteError, replaced_files
from packhound.redact import RedactionTimeout, redact, visible_line
from packhound.service.overlays import journals_folder
from packhound.service.seen_texts import read_saved, read_seen
from packhound.service.verdict import runs_on_its_own

if TYPE_CHECKING:
    from packhound.service.engine import Engine

_MAX_FILES, _MAX_NAMED = 1_000, 5
_UNSAVED, _UNCOMMITTED = "unsaved changes", "uncommitted changes"
_IN_COMMIT = "changes of yours, which the commit would have too,"
_CONFLICTING = "changes of the same lines as in the patch"
_REMEDIES = {
    _UNSAVED: "save them, or accept the patch in that editor and merge (three-way)",
    _UNCOMMITTED: "commit them, or merge (three-way)",
    _IN_COMMIT: "commit them first, or accept the patch without a commit",
    _CONFLICTING: "edit the patch, or those lines",
}
_CONFLICT = b"\0conflict"
"""In place of a text; no patch leads to it, since binary files are refused."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file as the user sees it, and as it shall be; a text is None where there is none.

    `is_unsaved` says that an editor has another text than the disk; `is_merged` that the text was
    not the one that the patch was made for.
    """

    file: git.PatchedFile
    seen: bytes | None
    after: bytes | None
    is_unsaved: bool = False
    is_merged: bool = False

    @property
    def path(self) -> str:
        """Path of the file in its folder."""
        return self.file.path

    @property
    def patched(self) -> git.PatchedFile:
        """The change of the file that the user sees, which may be more than the patch says."""
        file, is_moved = self.file, self.file.old_path != self.path
        before = file.before if is_moved else self.seen
        if (before, self.after) == (file.before, file.after):
            return file
        sides = ((text or b"").splitlines(keepends=True) for text in (before, self.after))
        return replace(file, before=before, after=self.after, edits=tuple(git.line_edits(*sides)))

    @property
    def edits(self) -> list[tuple[int, int, bytes]]:
        """The runs of bytes of the seen text that others come in place of, without its mark."""
        old, new = (
            (text or b"").removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
            for text in (self.seen, self.after)
        )
        starts = [0, *accumulate(map(len, old))]
        return [
            (starts[a], starts[b], b"".join(new[c:d])) for a, b, c, d in git.line_edits(old, new)
        ]


def plan_changes(
    engine: Engine, patch: bytes, *, three_way: bool, editor: object = None
) -> list[FileChange]:
    """Return what each file of a patch becomes, for an `editor` that changes its own unsaved texts.

    Raises SettingsError: it does not apply, or not without overwriting what is in no commit.
    """
    files, is_as_seen = _apply(engine, patch, three_way=three_way)
    if len(files) > _MAX_FILES:
        raise SettingsError(f"the patch changes {len(files):,} files; {_MAX_FILES:,} at most")
    paths = _paths_of(files.values())
    unsaved = {path: editors for path in paths if (editors := engine.texts.unsaved(path))}
    asking = () if editor is None or not three_way else (editor,)
    foreign = {path for path, editors in unsaved.items() if {*editors}.difference(asking)}
    _refuse(foreign, _UNSAVED)
    if not three_way:
        _refuse(git.find_uncommitted(engine.root, paths), _UNCOMMITTED)
    moved = {f.path for f in files.values() if f.after is None or f.path != f.old_path} | {
        file.old_path for file in files.values() if file.path != file.old_path
    }
    _refuse(unsaved.keys() & moved, _UNSAVED)
    changes, conflicts = list[FileChange](), list[str]()
    for file in files.values():
        is_here = is_as_seen and file.path == file.old_path
        seen = file.before if is_here else read_seen(engine.index, file.path)
        after = file.after if is_as_seen else _merged(engine, files, file, seen)
        if after is _CONFLICT:
            conflicts.append(file.path)
        changes.append(FileChange(file, seen, after, file.path in unsaved, after != file.after))
    _refuse(conflicts, _CONFLICTING)
    return changes


@contextmanager
def written(
    engine: Engine, changes: Sequence[FileChange], in_editor: Sequence[FileChange] = ()
) -> Iterator[None]:
    """Write files on the disk, all or none; what is raised within takes them back, as a kill does.

    `in_editor` are those that an editor changes within. Raises SettingsError: nothing was written,
    but for what is named.
    """
    replacements = [
        Replacement(
            each.path,
            each.seen,
            each.after,
            each.file.old_path,
            executable=each.file.mode == "100755" if each.file.mode else None,
        )
        for each in changes
        if each.after != each.seen or each.file.mode
    ]
    beside = [Replacement(each.path, each.seen, each.after) for each in in_editor]
    try:
        with replaced_files(engine.root, replacements, journals_folder(engine.root), beside):
            yield
    except WriteError as failure:
        raise SettingsError(_why_not_written(failure)) from failure.problem
    finally:
        engine.refresh([each.path for each in changes])


def _why_not_written(failure: WriteError) -> str:
    """Return what went wrong, and which files stayed as they were written."""
    problem = str(failure)
    if isinstance(failure.problem, OSError):
        problem = f"{failure.problem.filename or 'a file'}: {failure.problem.strerror}"
    if not failure.stayed:
        return f"nothing was written: {visible_line(problem)}"
    return (
        f"{visible_line(problem)}; what was written is taken back, but for files that were changed"
        " since or cannot be written, which stay as they are: "
        f"{visible_line(', '.join(failure.stayed))}"
    )


def check_commit(engine: Engine, message: str, changes: Sequence[FileChange]) -> list[str]:
    """Return the names of the hooks that a commit of some changes runs.

    Raises SettingsError: they are nothing that should be committed at once.
    """
    if problem := git.why_not_committed(engine.root):
        raise SettingsError(f"nothing can be committed: {problem}")
    paths = _paths_of(each.file for each in changes)
    unsaved = {each.path for each in changes if each.is_unsaved}
    _refuse(unsaved | git.find_uncommitted(engine.root, paths), _IN_COMMIT)
    hooks = git.hooks_of(engine.root)
    for each in changes:
        is_hook = any(f"{each.path}/".startswith(f"{hook}/") for hook in hooks.within)
        names = [*hooks.name(each.path)]
        if is_hook or names or runs_on_its_own(each.path):
            by = f": the hook {names[0]} names it" if names else ""
            raise SettingsError(
                f"{each.path!r} says what runs at a commit or in CI{by}: accept the patch without a"
                " commit, look at it, and commit it yourself"
            )
    for what, text in (("the message", message), *((c.path, c.file.added) for c in changes)):
        try:
            has_secret = bool(redact(text).findings)
        except RedactionTimeout:
            has_secret = True
        if has_secret:
            raise SettingsError(
                f"nothing is committed: {what} has what looks like a secret; take it out, or"
                " accept the patch without a commit"
            )
    return [*hooks.texts]


def commit_changes(engine: Engine, message: str, changes: Sequence[FileChange]) -> str:
    """Commit the files of some changes alone; return the commit's id. Raises SettingsError."""
    return git.commit_files(engine.root, message, sorted(_paths_of(c.file for c in changes)))


def _paths_of(files: Iterable[git.PatchedFile]) -> set[str]:
    """Return the paths that files have, and those that they had before."""
    return {path for file in files for path in (file.path, file.old_path)}


def _apply(
    engine: Engine, patch: bytes, *, three_way: bool
) -> tuple[Mapping[str, git.PatchedFile], bool]:
    """Return the patched files, and whether they are those that the user sees.

    For a merge they may be those of the disk or of the last commit.
    """
    seen = partial(read_seen, engine.index)
    try:
        return git.apply_patch(patch, seen), True
    except SettingsError as problem:
        refusal = problem
    for name, read in (("what is saved", read_saved), ("the last commit", git.read_committed)):
        try:
            files = git.apply_patch(patch, partial(read, engine.root))
        except SettingsError:
            continue
        if three_way:
            return files, False
        raise SettingsError(f"{refusal}; it applies to {name}: merge (three-way)")
    raise refusal


def _merged(
    engine: Engine, files: Mapping[str, git.PatchedFile], file: git.PatchedFile, seen: bytes | None
) -> bytes | None:
    """Return what a file becomes that is not the one that was patched, or `_CONFLICT`."""
    if file.after is None:
        # Of a file that was renamed the text goes on under another name.
        is_renamed = any(each.old_path == file.path for each in files.values() if each is not file)
        return None if is_renamed or seen in (None, file.before) else _CONFLICT
    is_moved = file.old_path != file.path
    if file.before is None:
        return file.after if seen in (None, file.after) else _CONFLICT
    ours = read_seen(engine.index, file.old_path) if is_moved else seen
    if ours is None or (is_moved and seen is not None):
        return _CONFLICT
    merged = git.merge(ours, file.before, file.after)
    return _CONFLICT if merged is None else merged


def _refuse(paths: Iterable[str], problem: str) -> None:
    """Raise SettingsError that names the files with a problem, and the remedy, if there are any."""
    listed = sorted(paths)
    if listed:
        more = f" and {len(listed) - _MAX_NAMED:,} more" if len(listed) > _MAX_NAMED else ""
        names = visible_line(", ".join(listed[:_MAX_NAMED]))
        raise SettingsError(
            f"nothing was written: {problem} in {names}{more}: {_REMEDIES[problem]}"
        )
