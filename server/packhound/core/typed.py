"""Structs from the values that clients send, and their JSON Schema.

A field is described once: `limit: Annotated[int, number("...", 1, 50)] = 10`. Its type is int,
float, bool, str, a `Literal` of words, or a tuple of such, or one of these or None.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from reprlib import Repr
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec import Meta

from packhound.core.errors import SettingsError

StructType = TypeVar("StructType", bound=msgspec.Struct)

_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string", tuple: "array"}
_UNITS: dict[type, str] = {str: " characters", tuple: " items"}
_FAR = 100_000
_QUOTE = Repr()
_QUOTE.maxstring = _QUOTE.maxother = 80
_QUOTE.maxlevel = 2


def about(description: str, **more: object) -> Meta:
    """Describe a field; `more` is for who reads the declarations of settings."""
    return Meta(description=description, extra=more)


def number(description: str, minimum: float, maximum: float, **more: object) -> Meta:
    """Describe a number within bounds."""
    return Meta(ge=minimum, le=maximum, description=description, extra=more)


def sized(description: str, maximum: int, minimum: int | None = None, **more: object) -> Meta:
    """Describe a string of so many characters, or a list of so many items.

    With `of_bytes` its surrogates stay: bytes that are not UTF-8.
    """
    return Meta(min_length=minimum, max_length=maximum, description=description, extra=more)


class Kind(NamedTuple):
    """A type without None and metadata, its limits, and a tuple's type of items.

    `minimum` and `maximum` bound a number, the characters of a string or the items of an array.
    A string `of_bytes` has those that are not UTF-8 as surrogates.
    """

    type: type
    choices: tuple[str, ...]
    items: Any
    minimum: float | None
    maximum: float | None
    description: str
    of_bytes: bool = False


@cache
def fields_of(struct: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Return the fields of a struct by name; msgspec leaves cycles each time it finds them."""
    return MappingProxyType({field.encode_name: field for field in msgspec.structs.fields(struct)})


def convert(
    struct: type[StructType], values: Mapping[str, object], what: str = "argument"
) -> StructType:
    """Return a struct of values, in the lenient ways of language models.

    `"5"` and `5.0` are integers, `"true"` is a boolean, one value is a list of one, and null stands
    for the default. `what` stands before a name in an error.

    Raises:
        SettingsError: one line with the name and the value, and what is expected instead.
    """
    fields = fields_of(struct)
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in fields:
            raise SettingsError(f"unknown {what} {name!r:.80}; {nearest(name, fields)}")
        if value is not None:
            field = fields[name]
            read[field.name] = convert_value(field.type, f"{what} '{name}'".lstrip(), value)
    for name, field in fields.items():
        if field.required and field.name not in read:
            expected = _expected(kind_of(field.type))
            raise SettingsError(f"{what} '{name}' is missing; expected {expected}".lstrip())
    return struct(**read)


def convert_value(annotation: object, label: str, value: object) -> Any:  # noqa: ANN401 - its type
    """Return a value as an annotated type, as `convert` does; `label` names it in errors."""
    kind = kind_of(annotation)
    if kind.type is tuple:
        value = tuple(value) if isinstance(value, list | tuple) else (value,)
    if isinstance(value, str) and not kind.of_bytes:
        value = without_surrogates(value)
    elif isinstance(value, tuple):
        value = tuple(without_surrogates(v) if isinstance(v, str) else v for v in value)
    try:
        converted = msgspec.convert(value, annotation, strict=False)
    except msgspec.ValidationError:
        raise SettingsError(_refusal(kind, label, value)) from None
    texts = converted if isinstance(converted, tuple) else (converted,)
    if any(isinstance(text, str) and "\0" in text for text in texts):
        raise SettingsError(f"{label} contains a NUL character; remove it")
    return converted


def without_surrogates(text: str) -> str:
    """Return text that can be encoded; a lone surrogate becomes U+FFFD, which finds nothing."""
    octets = b"" if text.isascii() else text.encode("utf-16", "surrogatepass")
    return octets.decode("utf-16", "replace") or text


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the remedy for a name that does not exist."""
    names = list(names)
    near = get_close_matches(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else f"expected one of: {', '.join(names)}"


def json_schema(struct: type[msgspec.Struct], omit: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON Schema of an object, without references, unions or null."""
    fields = [field for name, field in fields_of(struct).items() if name not in omit]
    return {
        "type": "object",
        "properties": {field.encode_name: _field_schema(field) for field in fields},
        "required": [field.encode_name for field in fields if field.required],
        "additionalProperties": False,
    }


def _field_schema(field: msgspec.structs.FieldInfo) -> dict[str, Any]:
    """Return the schema of a field; limits that nobody meets by chance cost no model a token."""
    kind, default = kind_of(field.type), field.default
    is_near = kind.maximum is not None and kind.maximum < _FAR
    kind = kind._replace(minimum=None, maximum=kind.maximum if is_near else None)
    if default not in (msgspec.NODEFAULT, None, "", (), 0):
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        kind = kind._replace(description=f"{kind.description[:-1]} (default {shown}).")
    return _schema(kind)


def value_schema(annotation: object) -> dict[str, Any]:
    """Return the JSON Schema of an annotated type."""
    return _schema(kind_of(annotation))


def _schema(kind: Kind) -> dict[str, Any]:
    keys: dict[str, object] = {
        "description": kind.description,
        "enum": list(kind.choices),
        "items": _schema(kind_of(kind.items)) if kind.items else None,
    }
    if kind.type in (int, float):
        keys |= {"minimum": kind.minimum, "maximum": kind.maximum}
    present = {key: value for key, value in keys.items() if value not in (None, "", [])}
    return {"type": _TYPES[kind.type], **present}


def kind_of(annotation: Any) -> Kind:  # noqa: ANN401 - annotations have no type
    """Take an annotation apart."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        kind = kind_of(arguments[0])
        for meta in arguments[1:]:
            of_length = kind.type in (str, tuple)
            least, most = (meta.min_length, meta.max_length) if of_length else (meta.ge, meta.le)
            kind = kind._replace(
                minimum=kind.minimum if least is None else least,
                maximum=kind.maximum if most is None else most,
                description=meta.description or kind.description,
                of_bytes=(meta.extra or {}).get("of_bytes", False),
            )
        return kind
    if NoneType in arguments:
        return kind_of(next(each for each in arguments if each is not NoneType))
    if origin is Literal:
        return Kind(str, arguments, None, None, None, "")
    return Kind(origin or annotation, (), arguments[0] if arguments else None, None, None, "")


def _refusal(kind: Kind, label: str, value: object, verb: str = "is") -> str:
    """Return what an error says of a value, or of the first bad item of a list."""
    if kind.items:
        for item in cast("tuple[object, ...]", value):
            try:
                msgspec.convert(item, kind.items, strict=False)
            except msgspec.ValidationError:
                return _refusal(kind_of(kind.items), label, item, "contains")
    unit = _UNITS.get(kind.type, "")
    length = len(value) if isinstance(value, str | tuple) else 0
    if isinstance(value, kind.type) and kind.maximum and length > kind.maximum:
        return f"{label} has {length:,}{unit}; expected at most {kind.maximum:,}"
    quoted = "null" if value is None else _QUOTE.repr(value)
    return f"{label} {verb} {quoted}; expected {_expected(kind)}"


def _expected(kind: Kind) -> str:
    if kind.choices or kind.type is bool:
        return f"one of: {', '.join(kind.choices or ('true', 'false'))}"
    noun = {int: "an integer", float: "a number", str: "a string", tuple: "a list"}[kind.type]
    unit = _UNITS.get(kind.type, "")
    least, most = kind.minimum, kind.maximum
    if least is None or (unit and not least):
        return noun if most is None else f"{noun} of at most {most:,}{unit}"
    if most is None:
        return f"{noun} of {least:,} or more{unit}"
    between = f"of {least:,} to {most:,}" if unit else f"between {least:,} and {most:,}"
    return f"{noun} {between}{unit}"
