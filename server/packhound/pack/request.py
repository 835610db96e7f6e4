"""Values of packs: the request and the result. Lines are 0-based and inclusive, as everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from packhound.core.status import ALL_READ, Reading
from packhound.core.types import ConfidenceWord, Hit, Note

Detail = Literal["outline", "signature", "elided", "full"]
DETAILS: tuple[Detail, ...] = get_args(Detail)
"""From the line that names a node to all of its lines."""

CONTAINERS = frozenset({"class", "struct", "interface", "trait", "module", "impl", "enum", "file"})
"""Kinds whose own text is what stands between other nodes."""

Format = Literal["markdown", "xml", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)

Lines = tuple[int, int]
"""First and last line."""


@dataclass(frozen=True, slots=True)
class PackFocus:
    """Editor state: the file and line of the cursor, the selection, and the open files."""

    path: str
    line: int = 0
    selection: Lines | None = None
    open_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackRequest:
    """A prompt and what its pack may cost; of a `map` the prompt may be empty.

    `reserve` tokens of `budget` are kept free for the system's and the user's own text. `pinned`
    names files, or runs of their lines as `path:10-20` (1-based), that come first; `excluded` are
    globs. `tokenizer` is as in `llm.counter_for`. Packs of one `conversation` do not repeat nodes.
    """

    prompt: str
    budget: int = 8_000
    reserve: int = 0
    focus: PackFocus | None = None
    pinned: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    model: str = ""
    tokenizer: str = ""
    format: Format = "markdown"
    conversation: str = ""
    map: bool = False

    @property
    def available(self) -> int:
        """Tokens that the pack may have."""
        return max(0, self.budget - max(0, self.reserve))


OriginSource = Literal[
    "pin", "selection", "cursor", "mention", "file", "search", "change", "open file", "graph"
]


class Origin(NamedTuple):
    """One source that brought a node into a pack, and the utility that it gave.

    Of a search there is the hit with its rank, and what words and meaning added to its score; of
    the graph the path: the node that was there before, and the edge.
    """

    source: OriginSource
    utility: float
    reason: str
    rank: int = 0
    words: float = 0.0
    meaning: float = 0.0
    path: tuple[str, ...] = ()
    hit: Hit | None = None

    @property
    def text(self) -> str:
        """The reason, of a hit with what speaks for it."""
        reasons = ", ".join(self.hit.explanation().reasons) if self.hit else ""
        return f"{self.reason} ({reasons})" if reasons else self.reason


@dataclass(frozen=True, slots=True)
class PackItem:
    """A part of one file in the pack; parts of one file do not overlap.

    `names` are those of the definitions in it. `root` is given in packs of several roots. `origins`
    come by falling utility.
    """

    path: str
    start_line: int
    end_line: int
    detail: Detail
    tokens: int
    score: float
    reason: str
    names: tuple[str, ...] = ()
    root: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Omitted:
    """A node that was considered and left out, and why."""

    path: str
    name: str
    reason: str
    root: str = ""

    @property
    def reference(self) -> str:
        """The reference by which it can be read."""
        return f"{self.path}#{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class Pack:
    """The text to send, at most `budget` tokens by the count of the request's tokenizer."""

    tokens: int
    budget: int
    items: tuple[PackItem, ...]
    omitted: tuple[Omitted, ...]
    text: str
    remarks: tuple[Note, ...] = ()
    generation: int = 0
    reading: Reading = ALL_READ
    """Files of the folder that had been read."""
    confidence: float | None = None
    confidence_word: ConfidenceWord | None = None
    caveats: tuple[str, ...] = ()
    """Notes of the search for the prompt: that it was cut short, or what it denies."""
    uses: tuple[str, ...] = ()
    """Remarks on the parts: how many users there are, and which part calls which."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes as they leave."""
        return tuple(map(str, self.remarks))
