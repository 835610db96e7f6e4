"""The exception tree. Source text and queries never raise; these are for the edges.

PackhoundError
├── SettingsError    an invalid setting or argument
├── RootError        a folder that is missing, is no folder, or must not be indexed unasked
├── ModelError       an embedding model folder that cannot be used
├── PluginError      a plugin of another package that cannot be used
├── StoreError       the index on disk cannot be read or written
└── Cancelled        the caller asked to stop
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

NOT_INDEXED = "no definition of "
NOT_WRITTEN = "nothing was written: "
SEVERAL_LINES = NOT_INDEXED, NOT_WRITTEN
"""Begin the texts of several lines; the further ones are lines of code or of tools, made safe."""


class PackhoundError(Exception):
    """Anything Packhound raises on purpose; its text is one line for the user, see above."""


class SettingsError(PackhoundError):
    """A setting or argument that is invalid."""


class RootError(PackhoundError):
    """A folder that cannot be indexed."""


class ModelError(PackhoundError):
    """An embedding model folder that cannot be used."""


class PluginError(PackhoundError):
    """A plugin of another package that is not installed or fails."""


class StoreError(PackhoundError):
    """The index on disk cannot be read or written."""


class Cancelled(PackhoundError):  # noqa: N818 - an outcome, not a fault
    """The caller asked to stop."""


@contextmanager
def os_error_as(kind: type[PackhoundError], what: str) -> Iterator[None]:
    """Raise an error of the system as one of ours, which says what failed, and why."""
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror}") from error
