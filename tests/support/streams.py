"""A peer's stream in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Chunks:
    """A stream that yields some chunks, and gives what is written to a function."""

    def __init__(
        self, chunks: Iterable[bytes] = (), write: Callable[[bytes], object] = lambda _: None
    ) -> None:
        self._chunks, self._write = iter(chunks), write
        self.is_hung_up = False

    def read(self) -> bytes:
        return next(self._chunks, b"")

    def write(self, data: bytes) -> None:
        self._write(data)

    def hang_up(self) -> None:
        self.is_hung_up = True
