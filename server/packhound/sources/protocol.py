"""The protocol of a source of records, and of the encoder that reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from packhound.core.records import Record, SourceName
from packhound.core.settings import Settings
from packhound.core.vector_cache import VectorCache

if TYPE_CHECKING:
    from packhound.core.arrays import Floats
    from packhound.sources.record_snapshot import ScoredRecord


class Source(Protocol):
    """Records of one kind, such as the notes of a workspace. Any thread may call.

    Both methods raise StoreError or OSError where nothing can be read; other sources go on.
    """

    name: SourceName

    def version(self) -> object:
        """Return a value that differs from the last one if a record changed; in a millisecond."""

    def records(self) -> Iterable[Record]:
        """Return all records; ids are distinct, and of equal dates the newest comes first."""

    def state(self, record: Record) -> str:
        """Return what a reader must know of a record now, such as `stale`; it ranks lower then."""
        return ""

    def annotate(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return records that are shown with what is looked up for those alone."""
        return records

    def is_on_disk(self, record: Record) -> bool:
        """Return False for a record of a text that an editor has not saved."""
        return True

    def problems(self) -> Sequence[str]:
        """Return what could not be read, in one line each."""
        return ()


class Rescorer(Protocol):
    """A second-stage ranker of records."""

    @property
    def depth(self) -> int:
        """Number of records that it reads."""

    def __call__(self, scored: Sequence[ScoredRecord], source: Source) -> list[ScoredRecord]:
        """Return records with new scores, the best first."""


class TextEncoder(Protocol):
    """The part of an embedding model that records need."""

    fast: bool
    fingerprint: str
    dim: int

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit rows [len(texts), dim]. Raises ModelError."""

    def encode_query(self, text: str) -> Floats:
        """Return a unit vector [dim]. Raises ModelError."""


class SourceFolder(Protocol):
    """The part of an indexed folder that its sources need; each may change at any time."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def embedder(self) -> TextEncoder | None:
        """The bundled encoder or that of a setting, None without one."""

    @property
    def vectors(self) -> VectorCache | None:
        """The vectors of earlier processes, None where nothing is persisted."""
