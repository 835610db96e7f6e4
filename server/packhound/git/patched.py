"""Files as `git apply` would leave them, and where each of their lines comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Literal, TypeAlias

from packhound.core.errors import SettingsError
from packhound.git.patch import FilePatch, Hunk, parse_patch, split_lines
from packhound.git.working_tree import line_edits

Edit: TypeAlias = tuple[int, int, int, int]
"""(first, end, first, end): lines of the old text and those in their place, 0-based, half open."""
Read: TypeAlias = Callable[[str], "bytes | None"]

_MAX_COMPARED = 5_000_000
"""Lines that are compared for the places of the hunks of one file."""


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """A file before and after a patch; a text is None where there is none.

    `old_path` is that of the text before: another than `path` if it was renamed or copied. `mode`
    is git's, "" where it stays as it was.
    """

    path: str
    old_path: str
    before: bytes | None
    after: bytes | None
    edits: tuple[Edit, ...] = ()
    mode: str = ""

    @classmethod
    def between(cls, path: str, old_path: str, before: bytes | None, after: bytes) -> PatchedFile:
        """Return a file as if a patch made one text of another."""
        edits = line_edits(split_lines(before or b""), split_lines(after))
        return cls(path, old_path, before, after, tuple(edits))

    @property
    def change(self) -> str:
        """Return `new`, `deleted`, `renamed` (or copied) or `changed`."""
        if self.after is None:
            return "deleted"
        if self.before is None:
            return "new"
        return "changed" if self.old_path == self.path else "renamed"

    @property
    def n_added(self) -> int:
        """Number of lines of the new text that the old one has not."""
        return sum(d - c for _, _, c, d in self.edits)

    @property
    def n_removed(self) -> int:
        """Number of lines of the old text that the new one has not."""
        if self.after is None:
            return len(split_lines(self.before or b""))
        return sum(b - a for a, b, _, _ in self.edits)

    @property
    def added(self) -> str:
        """The lines of the new text that the old one has not."""
        lines = split_lines(self.after or b"")
        added = (line for _, _, c, d in self.edits for line in lines[c:d])
        return b"".join(added).decode("utf-8", "replace")

    def new_line(self, line: int) -> int | None:
        """Return where a 0-based line of the old text is in the new one, None if it is not."""
        return _moved(line, self.edits, 0)

    def old_line(self, line: int) -> int | None:
        """Return where a 0-based line of the new text was in the old one, None if it was not."""
        return _moved(line, self.edits, 2)

    def adds_to(self, first: int, last: int) -> bool:
        """Return True if some of these 0-based lines of the new text are not in the old one."""
        if self.before is None:
            return True
        return any(c <= last and first < d for _, _, c, d in self.edits)


def apply_patch(patch: bytes, read: Read) -> dict[str, PatchedFile]:
    """Return the files that a patch changes, by path; `read` gives a file, None where none is.

    Raises SettingsError: the patch is broken, or does not apply.
    """
    patches = parse_patch(patch)
    leaving = {each.old for each in patches if each.kind in ("delete", "rename")}
    files: dict[str, PatchedFile] = {}

    def is_there(path: str) -> bool:
        is_gone = path in leaving or (path in files and files[path].after is None)
        return not is_gone and read(path) is not None

    for each in patches:
        # As for git: a rename is of what was there first, other changes follow each other.
        earlier = None if each.kind in ("rename", "copy") else files.get(each.old)
        before = b"" if each.kind == "new" else earlier.after if earlier else read(each.old)
        is_new = before is None and each.may_be_new
        if before is None and not is_new:
            raise _refusal(each, "there is no such file")
        if is_new or each.kind in ("new", "rename", "copy"):
            if is_there(each.new):
                raise _refusal(each, "there is such a file already")
            folders = each.new.split("/")[:-1]
            if any(read("/".join(folders[: n + 1])) is not None for n in range(len(folders))):
                raise _refusal(each, "a folder of it is a file before the patch")
        after, edits = _apply(each, before or b"")
        if each.kind == "delete" and after:
            raise _refusal(each, "lines of it would remain")
        if each.kind in ("delete", "rename"):
            files[each.old] = PatchedFile(each.old, each.old, read(each.old), None)
        if each.new:
            original = None if is_new or each.kind == "new" else read(each.old)
            if earlier and original is not None:
                edits = line_edits(split_lines(original), split_lines(after))
            old = each.old or each.new
            mode = each.mode or (earlier.mode if earlier else "")
            files[each.new] = PatchedFile(each.new, old, original, after, tuple(edits), mode)
    return files


def renamed_in(files: Mapping[str, PatchedFile]) -> dict[str, str]:
    """Return old paths by new ones; what was copied is still at its old one."""
    left = {path for path, file in files.items() if file.after is None}
    return {
        path: file.old_path
        for path, file in files.items()
        if file.old_path != path and file.old_path in left
    }


def _moved(line: int, edits: Sequence[Edit], side: Literal[0, 2]) -> int | None:
    """Return where a line of one side of ascending edits is on the other."""
    position = bisect_right(edits, line, key=itemgetter(side)) - 1
    if position < 0:
        return line
    edit = edits[position]
    end, new_end = edit[side + 1], edit[3 - side]
    return None if line < end else line - end + new_end


def _apply(patch: FilePatch, before: bytes) -> tuple[bytes, list[Edit]]:
    """Return a text after the hunks of a patch, and its edits. Raises SettingsError."""
    image = _Image(split_lines(before))
    for number, hunk in enumerate(patch.hunks, 1):
        line = image.find(hunk)
        if line is None:
            place = f"hunk {number} of {len(patch.hunks)}, at line {hunk.old:,}"
            raise _refusal(patch, f"{place}, does not match the file as it is")
        image.replace(hunk, line)
    return b"".join(image.lines), image.edits


class _Image:
    """Lines of a text while it is patched, and the `edits` so far, ascending."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines
        self.edits = list[Edit]()
        self._written = list[tuple[int, int]]()
        """Lines that hunks have written or matched, half open: no other hunk matches them."""
        self._n_compared = 0

    def find(self, hunk: Hunk) -> int | None:
        """Return the nearest line to the hunk's own at which its old lines are.

        As for git, a hunk of the first line is at the begin, one that ends with a change at the
        end of the text.
        """
        old, n_lines = hunk.side("-"), len(self.lines)
        is_first, is_last = hunk.old <= 1, hunk.lines[-1][0] in ("-", "+")
        latest = n_lines - len(old)
        if latest < 0 or (is_first and is_last and latest):
            return None
        if is_first or is_last:
            line = 0 if is_first else latest
            return line if self._matches(old, line, is_last=is_last) else None
        start = min(max(0, hunk.new - 1), n_lines)
        for line in chain([start], _around(start, n_lines)):
            if line <= latest and self._matches(old, line, is_last=False):
                return line
            if self._n_compared > _MAX_COMPARED:
                break
        return None

    def _matches(self, old: Sequence[bytes], line: int, *, is_last: bool) -> bool:
        self._n_compared += 1
        end = line + len(old)
        if not old:
            return True
        # The ends first: most lines differ.
        if self.lines[line] != old[0] and len(old) > 1:
            return False
        written = self._written if self._written and line < self._written[-1][1] else ()
        if any(first < end and line < last for first, last in written):
            return False
        self._n_compared += len(old)
        there, sought = self.lines[end - 1], old[-1]
        # As for git, within a text a line without an end is found at one with an end.
        is_same = there == sought or (
            not is_last and there.startswith(sought) and not there[len(sought) :].strip(b" \t\r\n")
        )
        return is_same and self.lines[line : end - 1] == old[:-1]

    def replace(self, hunk: Hunk, at: int) -> None:
        """Put the new lines of a hunk in place of its old ones."""
        n_old, new = len(hunk.side("-")), hunk.side("+")
        shift, end = len(new) - n_old, at + n_old
        self.lines[at:end] = new
        if self._written and at < self._written[-1][1]:  # Most hunks are in order.
            self._written = [
                (first + shift * (first >= end), last + shift * (first >= end))
                for first, last in self._written
            ]
            moved = [(a, b, c + shift, d + shift) for a, b, c, d in self.edits if c >= end]
            self.edits = [edit for edit in self.edits if edit[2] < end]
        else:
            moved = []
        base = at + (self.edits[-1][1] - self.edits[-1][3] if self.edits else 0)
        self.edits += [*_edits_of(hunk, base, at), *moved]
        self._written.append((at, at + len(new)))
        if moved:
            self._written.sort()


def _around(start: int, end: int) -> Iterator[int]:
    """Yield the lines from 0 to `end` by their distance from one, the later of two first."""
    for distance in range(1, max(start, end - start) + 1):
        if start + distance <= end:
            yield start + distance
        if start - distance >= 0:
            yield start - distance


def _edits_of(hunk: Hunk, old: int, new: int) -> list[Edit]:
    """Return the runs of changed lines of a hunk, from its first lines in both texts."""
    edits = list[Edit]()
    is_open = False
    for sign, _ in hunk.lines:
        if sign not in ("-", "+"):
            old, new, is_open = old + bool(sign), new + bool(sign), False
            continue
        if not is_open:
            edits.append((old, old, new, new))
        a, _, c, _ = edits[-1]
        old, new, is_open = old + (sign == "-"), new + (sign == "+"), True
        edits[-1] = (a, old, c, new)
    return edits


def _refusal(patch: FilePatch, problem: str) -> SettingsError:
    return SettingsError(f"the patch does not apply to {patch.new or patch.old!r}: {problem}")
