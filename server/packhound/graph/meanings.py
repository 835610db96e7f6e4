"""What expressions and names mean: types, modules, definitions, and how sure that is."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from packhound.graph.exports import Definitions


class Owner(NamedTuple):
    """A type, by the file of one of its definitions and its name."""

    path: str
    name: str


class Value(NamedTuple):
    """Meaning of an expression: members of `owners`, names of `modules`, or neither.

    `is_foreign` says that it comes from outside of the folder; `unresolved_type` names a type that
    is not in the graph. `n_lists` counts the lists around the type.
    """

    owners: tuple[Owner, ...] = ()
    modules: tuple[str, ...] = ()
    is_foreign: bool = False
    unresolved_type: str = ""
    n_lists: int = 0


class Grade(IntEnum):
    """Grade of a use: by what is stated, by the only definition of its name, or possible."""

    RESOLVED = 0
    ONLY_CANDIDATE = 1
    POSSIBLE = 2

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Meaning(NamedTuple):
    """The definitions that a name means; `by_type` if they implement what it means.

    `by` names the tool whose index says so.
    """

    definitions: Definitions = ()
    grade: Grade = Grade.RESOLVED
    by_type: bool = False
    by: str = ""
