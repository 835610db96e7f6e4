"""Features of the paths of an index, and inverted indexes of their words.

The table only grows, so all snapshots share it. One thread adds; any number of threads read. The
features of a path never change, so an edit costs nothing, and a load need not compute them again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import compress, count

import numpy as np
from numpy.typing import NDArray

from packhound.core.array_codec import Buffer, pack, pack_texts, unpack, unpack_texts
from packhound.core.arrays import Ints, Mask
from packhound.text import folder_facts, path_facts

_NO_IDS: Ints = np.zeros(0, np.int32)

STEM, FOLDER, DEPTH, N_STEM_GROUPS, FLAG = range(5)
"""Columns of `PathTable.rows`: the first file id with the same stem, the number of the folder, the
depth, the number of stem groups of the words of the stem, and the flags as bits, see
`text.path_features`."""

_WIDTH = 5


class WordLists:
    """Inverted index from words to ids, ascending."""

    def __init__(
        self, words: Iterable[str] = (), starts: Ints = _NO_IDS, ids: Ints = _NO_IDS
    ) -> None:
        """The ids of `words[i]` are ids[starts[i]] .. ids[starts[i + 1]]."""
        self._positions = dict(zip(words, count()))
        self._starts, self._ids = starts, ids
        self._added: dict[str, array[int]] = {}

    def add(self, new_id: int, words: Iterable[str]) -> None:
        """Append an id, which is greater than all before, to the lists of some words."""
        for word in words:
            ids = self._added.get(word)
            if ids is None:
                self._added[word] = array("i", (new_id,))
            else:
                ids.append(new_id)

    def fork(self, end: int) -> WordLists:
        """Return lists of the ids below `end` that can be added to; any thread may call."""
        fork = copy(self)
        fork._added = {
            word: ids[: bisect_left(ids, end)] for word, ids in self._added.copy().items()
        }
        return fork

    def of(self, word: str) -> Ints:
        """Return the ids of a word."""
        position, added = self._positions.get(word), self._added.get(word)
        ids = _NO_IDS
        if position is not None:
            ids = self._ids[self._starts[position] : self._starts[position + 1]]
        return ids if added is None else np.concatenate((ids, np.array(added, np.int32)))

    def arrays(self, selected: Mask) -> tuple[NDArray[np.uint8], Ints, Ints]:
        """Return words, starts and ids of the selected ids; words without any are left out.

        Only the thread that adds may call it.
        """
        words = [*dict.fromkeys((*self._positions, *self._added))]
        lists = [self.of(word) for word in words]
        ids = np.concatenate([_NO_IDS, *lists])
        word_of = np.repeat(np.arange(len(words)), [*map(len, lists)])
        mask = ids < len(selected)
        mask[mask] = selected[ids[mask]]
        counts = np.bincount(word_of[mask], minlength=len(words))
        starts = np.concatenate(([0], np.cumsum(counts[counts > 0]))).astype(np.int32)
        packed = pack_texts([*compress(words, counts.tolist())])
        return np.frombuffer(packed, np.uint8), starts, ids[mask]


class PathTable:
    """Paths by file id, and inverted indexes of the words of files and folders.

    `stems` has file ids by the whole file stem, `words` by its terms, `stem_groups` by the groups
    of these; `folder_words` and `folder_stem_groups` have folder ids.
    """

    def __init__(self, rows: bytes = b"", n_folders: int = 0) -> None:
        self.paths: list[str] = []
        self.stems, self.words, self.stem_groups = WordLists(), WordLists(), WordLists()
        self.folder_words, self.folder_stem_groups = WordLists(), WordLists()
        self._rows = array("i", rows)
        self._folder_ids: dict[str, int] = {}
        self._n_folders = n_folders

    def __len__(self) -> int:
        return len(self.paths)

    def add(self, path: str) -> int:
        """Give a new path the next file id."""
        file_id = len(self.paths)
        features = path_facts(path)
        folder_id = self._folder_id(path.rpartition("/")[0])
        self.stems.add(file_id, (features.stem,))
        self.words.add(file_id, features.words)
        self.stem_groups.add(file_id, features.stem_groups)
        first = int(self.stems.of(features.stem)[0])
        flags = sum(1 << i for i, flag in enumerate(features.flags) if flag)
        self._rows.extend((first, folder_id, features.depth, len(features.stem_groups), flags))
        # The path comes last: a reader that sees it finds all the rest.
        self.paths.append(path)
        return file_id

    def fork(self, n: int) -> PathTable:
        """Return a table that begins with the first `n` paths; any thread may call."""
        rows = self.rows(n)
        n_folders = int(rows[:, FOLDER].max(initial=-1)) + 1
        fork = PathTable(rows.tobytes(), n_folders)
        fork.paths = self.paths[:n]
        fork._folder_ids = {
            path: folder_id
            for path, folder_id in self._folder_ids.copy().items()
            if folder_id < n_folders
        }
        fork.stems, fork.words = self.stems.fork(n), self.words.fork(n)
        fork.stem_groups = self.stem_groups.fork(n)
        fork.folder_words = self.folder_words.fork(n_folders)
        fork.folder_stem_groups = self.folder_stem_groups.fork(n_folders)
        return fork

    def rows(self, n: int) -> Ints:
        """Return the features of the first `n` paths, [n, 5]."""
        return np.array(self._rows[: n * _WIDTH], np.int32).reshape(-1, _WIDTH)

    def flags(self, file_id: int) -> int:
        """Return the flags of a path as bits."""
        return self._rows[file_id * _WIDTH + FLAG]

    def to_bytes(self, selected: Mask) -> bytes:
        """Pack all but the paths themselves, of the selected file ids; others become blank."""
        rows = self.rows(len(selected)) * selected[:, None]
        folders = np.zeros(self._n_folders, np.bool_)
        folders[rows[selected, FOLDER]] = True
        files = (self.stems, self.words, self.stem_groups)
        stems, words, stem_groups = (lists.arrays(selected) for lists in files)
        _, starts, file_ids = stems
        rows[file_ids, STEM] = np.repeat(file_ids[starts[:-1]], np.diff(starts))
        by_folder = [o.arrays(folders) for o in (self.folder_words, self.folder_stem_groups)]
        parts = [part for arrays in (stems, words, stem_groups, *by_folder) for part in arrays]
        return pack(rows.astype(np.int32), *parts)

    @classmethod
    def from_bytes(cls, packed: Buffer, paths: Sequence[str]) -> PathTable:
        """Unpack a table; `paths` beyond it belong to no file.

        Raises ValueError where its parts do not fit together.
        """
        rows, *parts = unpack(packed)
        n_later = len(paths) - len(rows)
        if n_later < 0 or rows.shape[1:] != (_WIDTH,) or len(parts) != 15:
            raise ValueError("the table of paths does not match the files")
        n_folders = int(rows[:, FOLDER].max(initial=-1)) + 1
        table = cls(rows.tobytes() + bytes(n_later * _WIDTH * 4), n_folders)
        lists = [_unpack_word_lists(*parts[i : i + 3]) for i in range(0, len(parts), 3)]
        table.stems, table.words, table.stem_groups = lists[:3]
        table.folder_words, table.folder_stem_groups = lists[3:]
        table.paths = list(paths)
        return table

    def _folder_id(self, path: str) -> int:
        """Return the id of a folder; a restored one gets another when a new file is in it."""
        folder_id = self._folder_ids.get(path)
        if folder_id is None:
            folder_id = self._folder_ids[path] = self._n_folders
            self._n_folders += 1
            features = folder_facts(path)
            self.folder_words.add(folder_id, features.words)
            self.folder_stem_groups.add(folder_id, features.stem_groups)
        return folder_id


def _unpack_word_lists(words: NDArray[np.uint8], starts: Ints, ids: Ints) -> WordLists:
    texts = unpack_texts(words.tobytes())
    if len(starts) != len(texts) + 1 or starts[-1] != len(ids):
        raise ValueError("the words of paths do not fit together")
    return WordLists(texts, starts, ids)
