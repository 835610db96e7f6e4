"""Options and arguments of the command line, made from the fields of requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import click

from packhound.cli.options import complete_file
from packhound.core.typed import Kind, fields_of, kind_of
from packhound.operations import Request

NO_OPTION = {
    "line": "a reference has its line: PATH:LINE",
    "focus_line": "a focus has its line: PATH:LINE",
    "focus_lines": "only an editor has a selection",
    "open_paths": "only an editor has open files",
    "metadata": "only programs keep objects",
}
"""Fields that the command line has not, and why."""

_NAMES: Mapping[str, Sequence[str]] = {
    "code": ("--code", "-c"),
    "excluded_kinds": ("--not-kind",),
    "expires_at": ("--expires",),
    "focus_path": ("--focus",),
    "languages": ("--lang",),
    "limit": ("--limit", "-n"),
    "pinned": ("--pin",),
    "shared": ("--shared/--private",),
    "snippet_lines": ("--snippet",),
}
"""Options that are shorter than their fields, or negated by another word."""

_METAVARS = {
    "before": "DATE",
    "code": "PATH#NAME",
    "conversation": "NAME",
    "exclude": "GLOB",
    "expires_at": "TIME",
    "focus_path": "PATH[:LINE]",
    "path": "PATH",
    "paths": "GLOB",
    "pinned": "PATH[:A-B]",
    "scorers": "NAME[=WEIGHT]",
    "since": "DATE",
    "source_candidates": "SOURCE=N",
    "tags": "TAG",
    "tokenizer": "PATH",
    "types": "TYPE",
}
"""How values are written; a shell completes those that begin with a path."""


def add_fields(
    command: click.Command,
    request: type[Request],
    arguments: Sequence[str] = (),
    names: Mapping[str, Sequence[str]] | None = None,
    defaults: Mapping[str, object] | None = None,
    omit: Collection[str] = (),
) -> None:
    """Add an argument or an option to a command for each field of a request.

    By position are `arguments`, and fields that are required unless `names` has them. `names` and
    `defaults` differ from those of the request. What is not given, and has no default, is None or
    empty.
    """
    for name, field in fields_of(request).items():
        kind = kind_of(field.type)
        if name in NO_OPTION or name in omit:
            continue
        is_option = name in (names or {})
        if (field.required and not is_option) or name in arguments:
            click.argument(
                name,
                required=False,
                metavar=name.upper() if field.required else f"[{name.upper()}]",
                type=_type_of(kind),
                shell_complete=complete_file if name in _METAVARS else None,
            )(command)
            continue
        # An empty default is that of the request, unless the command line has another.
        default = (defaults or {}).get(name, None if field.required else field.default or None)
        decls = (names or {}).get(name) or _NAMES.get(name) or (_name_of(name, kind, default),)
        metavar = _METAVARS.get(name)
        click.option(
            *decls,
            name,
            type=None if kind.type is bool else _type_of(kind),
            multiple=kind.type is tuple,
            is_flag=kind.type is bool or None,
            default=default,
            show_default=bool(default),
            metavar=metavar,
            help=kind.description,
            shell_complete=complete_file if (metavar or "").startswith("PATH") else None,
        )(command)


def help_on_arguments(command: click.Command, request: type[Request]) -> str:
    """Return a line for each argument, in the words of its field."""
    return "\n\n".join(
        f"{parameter.human_readable_name}: {kind_of(field.type).description}"
        for parameter in command.params
        if isinstance(parameter, click.Argument)
        and (field := fields_of(request).get(parameter.name or ""))
    )


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of options and arguments that were given, or have a default."""
    return {name: value for name, value in values.items() if value not in (None, ())}


def _name_of(name: str, kind: Kind, default: object) -> str:
    """Return the option of a field, of one that can be repeated in the singular."""
    option = "--" + name.replace("_", "-")
    if kind.type is tuple:
        return option.removesuffix("s")
    return f"{option}/--no-{option[2:]}" if default is True else option


def _type_of(kind: Kind) -> click.ParamType[Any]:
    if kind.type is tuple:
        return _type_of(kind_of(kind.items))
    if kind.choices:
        return click.Choice([*filter(None, kind.choices)])
    least, most = kind.minimum, kind.maximum
    if kind.type is int:
        return click.IntRange(
            least if least is None else int(least), most if most is None else int(most)
        )
    return click.FloatRange(least, most) if kind.type is float else click.STRING
