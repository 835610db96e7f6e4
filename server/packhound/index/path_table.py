"""What the paths of an index say, by word and by file id. It only grows, so all snapshots share it.

One thread adds; any number of threads ask. What paths say never changes, so an edit costs nothing
here, and what is saved need not be read from the paths again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import compress, count

import numpy as np
from numpy.typing import NDArray

from packhound.core.array_codec import pack, pack_texts, unpack, unpack_texts
from packhound.core.arrays import Ints, Mask
from packhound.text.path_features import folder_facts, path_facts

_NONE: Ints = np.zeros(0, np.int32)

STEM, FOLDER, DEPTH, N_ROOTS, FLAG = range(5)
"""Columns of `PathTable.rows`: the first file id with the same stem, the number of the folder, the
depth, how many families the words of the stem have, and the flags as bits, see `text.paths`."""

_WIDTH = 5


class WordLists:
    """For each word the numbers that have it, ascending."""

    def __init__(
        self, words: Iterable[str] = (), starts: Ints = _NONE, numbers: Ints = _NONE
    ) -> None:
        """Those of `words[i]` are numbers[starts[i]] .. numbers[starts[i + 1]]."""
        self._places = dict(zip(words, count()))
        self._starts, self._numbers = starts, numbers
        self._late: dict[str, array[int]] = {}

    def add(self, number: int, words: Iterable[str]) -> None:
        """Let some words have a number that is greater than all before."""
        for word in words:
            known = self._late.get(word)
            if known is None:
                self._late[word] = array("i", (number,))
            else:
                known.append(number)

    def of(self, word: str) -> Ints:
        """The numbers of a word."""
        place, late = self._places.get(word), self._late.get(word)
        known = _NONE
        if place is not None:
            known = self._numbers[self._starts[place] : self._starts[place + 1]]
        return known if late is None else np.concatenate((known, np.array(late, np.int32)))

    def arrays(self, kept: Mask) -> tuple[NDArray[np.uint8], Ints, Ints]:
        """The words, starts and numbers of those numbers that are kept; other words are left out.

        Only the thread that adds may ask.
        """
        every = [*dict.fromkeys((*self._places, *self._late))]
        lists = [self.of(word) for word in every]
        numbers = np.concatenate([_NONE, *lists])
        place = np.repeat(np.arange(len(every)), [*map(len, lists)])
        inside = numbers < len(kept)
        inside[inside] = kept[numbers[inside]]
        counts = np.bincount(place[inside], minlength=len(every))
        starts = np.concatenate(([0], np.cumsum(counts[counts > 0]))).astype(np.int32)
        words = pack_texts([*compress(every, counts.tolist())])
        return np.frombuffer(words, np.uint8), starts, numbers[inside]


class PathTable:
    """Paths by file id, and which files and folders have a word.

    `stems` has file ids by the whole stem; `words` and `roots` by its terms and their families;
    `folder_words` and `folder_roots` have numbers of folders.
    """

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.stems, self.words, self.roots = WordLists(), WordLists(), WordLists()
        self.folder_words, self.folder_roots = WordLists(), WordLists()
        self._rows = array("i")
        self._folders: dict[str, int] = {}
        self._n_folders = 0

    def __len__(self) -> int:
        return len(self.paths)

    def add(self, path: str) -> int:
        """Give a new path the next file id."""
        file_id = len(self.paths)
        found = path_facts(path)
        folder = self._folder(path.rpartition("/")[0])
        self.stems.add(file_id, (found.stem,))
        self.words.add(file_id, found.words)
        self.roots.add(file_id, found.stem_groups)
        first = int(self.stems.of(found.stem)[0])
        flags = sum(1 << i for i, flag in enumerate(found.flags) if flag)
        self._rows.extend((first, folder, found.depth, len(found.stem_groups), flags))
        # The path comes last: whoever sees it finds all the rest.
        self.paths.append(path)
        return file_id

    def rows(self, n: int) -> Ints:
        """The numbers of the first `n` paths, [n, 5]."""
        return np.array(self._rows[: n * _WIDTH], np.int32).reshape(-1, _WIDTH)

    def packed(self, kept: Mask) -> bytes:
        """All but the paths themselves, of the file ids that are kept; others are left blank."""
        rows = self.rows(len(kept)) * kept[:, None]
        folders = np.zeros(self._n_folders, np.bool_)
        folders[rows[kept, FOLDER]] = True
        stems, words, roots = (o.arrays(kept) for o in (self.stems, self.words, self.roots))
        _, starts, numbers = stems
        rows[numbers, STEM] = np.repeat(numbers[starts[:-1]], np.diff(starts))
        above = (o.arrays(folders) for o in (self.folder_words, self.folder_roots))
        parts = [part for arrays in (stems, words, roots, *above) for part in arrays]
        return pack(rows.astype(np.int32), *parts)

    @classmethod
    def restored(cls, packed: bytes, paths: Sequence[str]) -> PathTable:
        """The table that was packed; later `paths` are those of no file.

        Raises ValueError where its parts do not fit together.
        """
        rows, *parts = unpack(packed)
        later = len(paths) - len(rows)
        if later < 0 or rows.shape[1:] != (_WIDTH,) or len(parts) != 15:
            raise ValueError("the table of paths is not that of the files")
        table = cls()
        table.stems, table.words, table.roots, table.folder_words, table.folder_roots = (
            _word_lists(*parts[i : i + 3]) for i in range(0, len(parts), 3)
        )
        table._rows = array("i", rows.tobytes() + bytes(later * _WIDTH * 4))
        table._n_folders = int(rows[:, FOLDER].max(initial=-1)) + 1
        table.paths = list(paths)
        return table

    def _folder(self, path: str) -> int:
        """The number of a folder; one that was restored gets another when it is met again."""
        number = self._folders.get(path)
        if number is None:
            number = self._folders[path] = self._n_folders
            self._n_folders += 1
            found = folder_facts(path)
            self.folder_words.add(number, found.words)
            self.folder_roots.add(number, found.stem_groups)
        return number


def _word_lists(words: NDArray[np.uint8], starts: Ints, numbers: Ints) -> WordLists:
    texts = unpack_texts(words.tobytes())
    if len(starts) != len(texts) + 1 or starts[-1] != len(numbers):
        raise ValueError("the words of paths do not fit together")
    return WordLists(texts, starts, numbers)
