"""Patches as `git apply` reads them: unified diffs, with the headers of git or without.

What git refuses is refused, and more: links, submodules, files that become folders, names that no
file should have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from packhound.core.errors import SettingsError
from packhound.git.hunks import unquote

Kind: TypeAlias = Literal["change", "new", "delete", "rename", "copy"]

MAX_BYTES = 5_000_000
_MAX_PATH = 1_000
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_EPOCH = re.compile(rb"\t(?:1969-12-31|1970-01-01) [\d:]{5,8}(?:\.0+)? [-+]\d{4}\s*$")
_NULL = re.compile(rb"/dev/null\s")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d) *(?:\.|:|$)")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*"')
_GIT = re.compile(r"\.git[ .]*(?:$|:)|git~\d[ .]*$")
_MOVES: dict[bytes, tuple[Kind, str]] = {
    b"rename from ": ("rename", "old"),
    b"rename to ": ("rename", "new"),
    b"copy from ": ("copy", "old"),
    b"copy to ": ("copy", "new"),
}
_MODES: dict[bytes, Kind] = {
    b"new file mode ": "new",
    b"deleted file mode ": "delete",
    b"old mode ": "change",
    b"new mode ": "change",
}
_IGNORED = (b"index ", b"similarity index ", b"dissimilarity index ")
_FILE_MODES = ("100644", "100755")
_SIGNS = {b" ": " ", b"\n": " ", b"-": "-", b"+": "+", b"\\": "\\"}
_CHANGES = ("-", "+")
_MIN_NOTE = 12
"""Bytes of the shortest line that says that the one before it has no line end."""


@dataclass(slots=True)
class Hunk:
    """Lines replaced by others, each with its line end; 1-based, as the header says.

    `lines` have the first character of each: " ", "-" or "+", "" for one that counts nothing.
    """

    old: int
    new: int
    lines: list[tuple[str, bytes]]

    def side(self, sign: str) -> list[bytes]:
        """Return the lines before ("-") or after ("+")."""
        return [line for each, line in self.lines if each in (" ", sign)]


@dataclass(slots=True)
class FilePatch:
    """The part of a patch for one file; `old` is "" for a new one, `new` for one that goes.

    A plain diff does not say if a file is new: it `may_be_new`. `mode` is git's, "" where it stays.
    """

    kind: Kind = "change"
    old: str = ""
    new: str = ""
    hunks: list[Hunk] = field(default_factory=list)
    mode: str = ""
    may_be_new: bool = False


def parse_patch(patch: bytes) -> list[FilePatch]:
    """Return the files of a patch, in its order. Raises SettingsError."""
    if len(patch) > MAX_BYTES:
        raise SettingsError(f"the patch has {len(patch):,} bytes; {MAX_BYTES:,} at most")
    patches = list(_Reader(split_lines(patch)).files())
    if not patches:
        raise SettingsError("the patch changes nothing; expected what 'git diff' prints")
    return patches


def split_lines(text: bytes) -> list[bytes]:
    """Return lines with their line ends; only `\\n` ends one, as for git."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


class _Reader:
    """Lines of a patch, read from the first to the last."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines
        self._n = 0
        self._strip = 1
        """Folders to take off a name; none once a plain diff had two names without any."""
        self._stray = ""
        """Name of a header of one line, which git takes for that of the next file."""

    def files(self) -> Iterator[FilePatch]:
        """Yield the files of the patch; what stands between them is no part of it."""
        while self._n < len(self._lines):
            line, below = self._line(), self._line(1)
            if line.startswith(b"diff --git "):
                first = self._n
                patch = self._git_file()
                if self._n > first + 1:  # A header of one line is none for git.
                    yield self._checked(patch)
            elif (
                line.startswith(b"--- ")
                and below.startswith(b"+++ ")
                and self._line(2).startswith(b"@@ -")
            ):
                yield self._checked(self._plain_file(line[4:], below[4:]))
            elif _HUNK.match(line):
                raise self._broken("it is of no file")
            else:
                self._n += 1

    def _line(self, ahead: int = 0) -> bytes:
        try:
            return self._lines[self._n + ahead]
        except IndexError:
            return b""

    def _broken(self, problem: str) -> SettingsError:
        line = self._line()[:100].decode("utf-8", "replace").rstrip()
        return SettingsError(f"the patch is broken at line {self._n + 1:,}, {line!r}: {problem}")

    def _git_file(self) -> FilePatch:
        """Read a file with a header of git's."""
        common = _common_name(self._line()[len(b"diff --git ") :].rstrip(b"\n"))
        patch, named = FilePatch(), {"old": self._stray, "new": self._stray}
        self._n += 1
        first = self._n
        while self._n < len(self._lines) and self._header(patch, named, common):
            self._n += 1
        if self._n == first:
            self._stray = self._stray or common
            if not self._stray:
                raise self._broken("the header before it has no name of a file")
            return patch
        self._stray = ""
        if not any(named.values()):
            named = {"old": common, "new": common}
        patch.old, patch.new = named["old"], named["new"]
        if (not patch.old and patch.kind != "new") or (not patch.new and patch.kind != "delete"):
            raise self._broken("the header before it has no name of a file")
        patch.old = "" if patch.kind == "new" else patch.old
        patch.new = "" if patch.kind == "delete" else patch.new
        patch.hunks = [*self._hunks(patch.kind)]
        if not patch.hunks and patch.kind == "change" and not patch.mode:
            raise self._broken("the header before it changes nothing")
        return patch

    def _header(self, patch: FilePatch, named: dict[str, str], common: str) -> bool:
        """Take one line of a header of git's; False for what is none."""
        line = self._line().rstrip(b"\n")
        for prefix, (kind, side) in _MOVES.items():
            if line.startswith(prefix):
                patch.kind, named[side] = kind, _squashed(_name(line[len(prefix) :], 0))
                return True
        for prefix, kind in _MODES.items():
            if line.startswith(prefix):
                patch.mode = self._checked_mode(line[len(prefix) :])
                patch.kind = patch.kind if kind == "change" else kind
                return True
        if line.startswith((b"--- ", b"+++ ")):
            self._learn_name(patch.kind, named, common)
            return True
        if line.startswith((b"Binary files ", b"GIT binary patch")):
            raise self._broken("a binary file; only texts are read")
        if line.startswith(b"index ") and line.count(b" ") > 1:
            self._checked_mode(line.rpartition(b" ")[2])
        return line.startswith(_IGNORED)

    def _checked_mode(self, written: bytes) -> str:
        mode = written.decode("ascii", "replace").strip()
        if mode not in _FILE_MODES:
            raise self._broken(f"a mode that is not one of: {', '.join(_FILE_MODES)}")
        return mode

    def _learn_name(self, kind: Kind, named: dict[str, str], common: str) -> None:
        """Take the name of `---` or `+++`, which has to be the one before it."""
        side = "old" if self._line().startswith(b"-") else "new"
        written = self._line()[4:]
        is_absent = (kind, side) in (("new", "old"), ("delete", "new"))
        if is_absent != bool(_NULL.match(written)) or (is_absent and named[side]):
            raise self._broken("/dev/null stands for a file that is not there, and for no other")
        known = named[side] or common
        if is_absent:
            return
        named[side] = _squashed(_name(written, self._strip))
        if known and known != named[side]:
            raise self._broken(f"its header has another name, {known[:200]!r}")

    def _plain_file(self, old: bytes, new: bytes) -> FilePatch:
        """Read a file with the two lines of `diff -u` alone."""
        is_first, is_last = bool(_NULL.match(old)), bool(_NULL.match(new))
        if is_first and is_last:
            raise self._broken("neither of two names is that of a file")
        has_folder = [
            b"/" in name.partition(b"\t")[0] for name in (new, *(() if is_first else (old,)))
        ]
        if not any(has_folder):
            self._strip = 0
        first, last = (
            "" if _NULL.match(name) else _squashed(_name(name, self._strip)) for name in (old, new)
        )
        # As for `diff -u file file.orig`.
        name = first if is_last or (first and last.startswith(first)) else last
        is_new, is_gone = is_first or bool(_EPOCH.search(old)), is_last or bool(_EPOCH.search(new))
        kind: Kind = "new" if is_new else "delete" if is_gone else "change"
        self._n += 2
        if is_new and self._stray:
            raise self._broken(f"the file before it is new, and has a name, {self._stray[:200]!r}")
        self._stray = ""
        hunks = [*self._hunks(kind)]
        may_be_new = kind == "change" and len(hunks) == 1 and not hunks[0].side("-")
        ends = "" if is_new else name, "" if kind == "delete" else name
        if not name:
            raise self._broken("the names above begin with no folder, as a/ and b/ are")
        return FilePatch(kind, *ends, hunks, may_be_new=may_be_new)

    def _hunks(self, kind: Kind) -> Iterator[Hunk]:
        while match := _HUNK.match(self._line()):
            old, n_old, new, n_new = (1 if part is None else int(part) for part in match.groups())
            if (kind == "new" and n_old) or (kind == "delete" and n_new):
                raise self._broken("a file that comes or goes has lines on one side alone")
            self._n += 1
            yield Hunk(old, new, self._hunk_lines(n_old, n_new))

    def _hunk_lines(self, n_old: int, n_new: int) -> list[tuple[str, bytes]]:
        lines: list[tuple[str, bytes]] = []
        while n_old or n_new or self._line().startswith(b"\\"):
            line = self._line()
            sign = _SIGNS.get(line[:1], "")
            if sign == "\\" and lines and line[1:2] == b" " and len(line) >= _MIN_NOTE:
                # Of an empty line that even lacks its sign git takes nothing.
                is_none = self._line(-1) == b"\n"
                lines[-1] = (
                    ("", b"") if is_none else (lines[-1][0], lines[-1][1].removesuffix(b"\n"))
                )
                self._n += 1
                continue
            n_old, n_new = n_old - (sign != "+"), n_new - (sign != "-")
            if n_old < 0 or n_new < 0 or sign in ("", "\\") or not line.endswith(b"\n"):
                raise self._broken("the hunk has not the lines that its header says")
            lines.append((sign, line[1:] or line))
            self._n += 1
        if not any(sign in _CHANGES for sign, _ in lines):
            raise self._broken("the hunk before it changes nothing")
        return lines

    def _checked(self, patch: FilePatch) -> FilePatch:
        for path in {patch.old, patch.new} - {""}:
            if problem := _path_problem(path):
                raise SettingsError(f"the patch names {path[:200]!r}: {problem}")
        if patch.kind == "change" and patch.old != patch.new:
            raise self._broken("the file before it has two names, and is not renamed")
        return patch


def _path_problem(path: str) -> str:
    """Return why a path is none of a file in the folder, "" if it may be one."""
    if path.startswith(("/", "\\")) or re.match("[a-zA-Z]:", path):
        return "an absolute path"
    if len(path) > _MAX_PATH or "\0" in path:
        return "no name of a file"
    for part in re.split(r"[/\\]", path):
        # Some file systems take a name with invisible characters for the one without.
        plain = "".join(c for c in part.casefold() if c.isprintable())
        if part in ("", ".", ".."):
            return "a path that is not inside the folder"
        if _GIT.match(plain):
            return "a part of git's own folder"
        if _DEVICE.match(plain):
            return "the name of a device"
    return ""


def _common_name(names: bytes) -> str:
    """Return the name of `a/NAME b/NAME`, "" where the two differ or cannot be told apart."""
    if b'"' in (names[:1], names[-1:]):
        quoted = re.fullmatch(rb'("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S.*)', names)
        first, second = quoted.groups() if quoted else (b"", b"")
    else:
        middle = len(names) // 2
        first, space, second = names[:middle], names[middle : middle + 1], names[middle + 1 :]
        if space != b" ":
            return ""
    name = _name(first, 1)
    return name if name == _name(second, 1) else ""


def _squashed(name: str) -> str:
    """Return a name with one slash for several, as git reads all but those of `diff --git`."""
    return re.sub("/+", "/", name)


def _name(written: bytes, strip: int) -> str:
    """Return a name without its first `strip` folders; git quotes odd ones as C does."""
    name = written.rstrip(b"\r\n")
    # git ends a name with blanks by a tab, a quoted one too.
    quoted = _QUOTED.match(name)
    name = unquote(quoted[0]) if quoted else name.partition(b"\t")[0]
    if strip:
        name = name.partition(b"/")[2]
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise SettingsError(f"the patch names {name[:200]!r}, which is not UTF-8") from None
