"""Fields of notes, skills and plugins' nodes: one definition checks a value.

Settings and requests are structs, which `typed` reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from packhound.core.errors import SettingsError

MAX_ITEMS = 100
MAX_ITEM_CHARACTERS = 1_000
_MAX_QUOTED = 80
"""Characters of a refused value that an error repeats."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value of a file or a client.

    `minimum` and `maximum` bound a number, the characters of a string or the items of an array.
    """

    type: Literal["string", "integer", "number", "boolean", "array"]
    minimum: float = 0
    maximum: float = 0
    choices: tuple[str, ...] = ()
    items: Parameter | None = None

    def read(self, label: str, value: object) -> Any:  # noqa: ANN401 - as `type` says
        """Return the value, an array as a tuple.

        Raises:
            SettingsError: one line with `label`, the value and what is expected.
        """
        if self.type == "string":
            return self._read_string(label, value)
        if self.type == "boolean":
            if isinstance(value, bool):
                return value
            raise _refusal(label, value, "expected one of: true, false")
        if self.items is None:
            return self._read_number(label, value)
        if isinstance(value, list | tuple) and self.minimum <= len(value) <= self.maximum:
            return tuple(self.items.read(label, item) for item in value)
        raise _refusal(label, value, f"must be a list of at most {self.maximum:,} strings")

    def _read_string(self, label: str, value: object) -> str:
        if self.choices:
            if isinstance(value, str) and value in self.choices:
                return value
            raise _refusal(label, value, f"expected one of: {', '.join(self.choices)}")
        if not isinstance(value, str):
            raise _refusal(label, value, "must be a string")
        if len(value) > self.maximum:
            raise SettingsError(
                f"{label} has {len(value):,} characters; must have at most {self.maximum:,}"
            )
        if len(value) < self.minimum:
            raise SettingsError(f"{label} is empty; must have at least {self.minimum} character")
        if "\0" in value:
            raise SettingsError(f"{label} contains a NUL character; remove it")
        return value

    def _read_number(self, label: str, value: object) -> float:
        integer = self.type == "integer"
        # True is an int for Python, but not for people.
        if (
            isinstance(value, int if integer else int | float)
            and not isinstance(value, bool)
            and self.minimum <= value <= self.maximum
        ):
            return value if integer else float(value)
        noun = "a whole number" if integer else "a number"
        bounds = f"between {self.minimum:,} and {self.maximum:,}"
        raise _refusal(label, value, f"must be {noun} {bounds}")


def text(maximum: int = MAX_ITEM_CHARACTERS, minimum: int = 0) -> Parameter:
    """Return a string of `minimum` to `maximum` characters."""
    return Parameter("string", minimum, maximum)


def integer(minimum: int, maximum: int) -> Parameter:
    """Return a whole number within bounds, both included."""
    return Parameter("integer", minimum, maximum)


def number(minimum: float, maximum: float) -> Parameter:
    """Return a number within bounds, both included."""
    return Parameter("number", minimum, maximum)


def boolean() -> Parameter:
    """Return a switch."""
    return Parameter("boolean")


def choice(choices: Sequence[str]) -> Parameter:
    """Return one of several words."""
    return Parameter("string", choices=tuple(choices))


def array(items: Parameter) -> Parameter:
    """Return a list of at most `MAX_ITEMS` strings."""
    return Parameter("array", 0, MAX_ITEMS, items=items)


def read_present(
    parameters: Mapping[str, Parameter], values: Mapping[str, object], required: str
) -> dict[str, Any]:
    """Return the checked values of `required` and of all that are present and not null.

    Other keys are ignored. Raises SettingsError.
    """
    return {
        name: parameter.read(f"'{name}'", values.get(name))
        for name, parameter in parameters.items()
        if name == required or values.get(name) is not None
    }


def _refusal(label: str, value: object, remedy: str) -> SettingsError:
    quoted = "missing" if value is None else repr(value)
    if len(quoted) > _MAX_QUOTED:
        quoted = quoted[: _MAX_QUOTED - 3] + "..."
    return SettingsError(f"{label} is {quoted}; {remedy}")
