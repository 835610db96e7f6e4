"""Make the operations of docs/protocol.md from the registry.

python docs/protocol.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from packhound.cli.operations import ELSEWHERE, words_of
from packhound.core.typed import Kind, fields_of, kind_of
from packhound.lsp.handlers.registry import OF_OPERATIONS
from packhound.lsp.operations import DEFAULTS
from packhound.operations import OPERATIONS, Operation

PAGE = Path(__file__).resolve().parent / "protocol.md"
START, END = "<!-- from here on made by docs/protocol.py -->\n", "\n<!-- to here -->"
_NOUNS: dict[object, str] = {int: "integer", float: "number", bool: "boolean", str: "string"}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


def page() -> str:
    """Return the page with its operations made anew."""
    head, _, rest = PAGE.read_text("utf-8").partition(START)
    made = "\n".join(line for name in OPERATIONS if name in OF_OPERATIONS for line in _lines(name))
    return f"{head}{START}{made}{END}{rest.partition(END)[2]}"


def _lines(name: str) -> Iterator[str]:
    operation = OPERATIONS[name]
    yield f"\n### `packhound/{name}`\n"
    yield f"{operation.description}\n"
    command_line = ELSEWHERE.get(name) or words_of(name)
    yield (
        f"Command `packhound.server.{name.replace('/', '.')}`; on the command line `packhound "
        f"{command_line}`; the tool `{name}` of agents is of the group `{operation.group}`. "
        f"{'Writes. ' if operation.writes else ''}Answer: {_lower_first(operation.returns)}"
    )
    rows = [*_rows(operation)]
    if rows:
        yield "\n| parameter | type | default | |\n|---|---|---|---|"
        yield from rows


def _rows(operation: Operation) -> Iterator[str]:
    for name, field in fields_of(operation.request).items():
        kind = kind_of(field.type)
        default = DEFAULTS.get(operation.name, {}).get(name, field.default)
        shown = "required" if field.required else _shown(default, kind)
        yield f"| `{name}` | {_type(kind)} | {shown} | {kind.description} |".replace("|  |", "| |")


def _type(kind: Kind, plural: str = "") -> str:
    least, most = kind.minimum, kind.maximum
    if kind.type is tuple:
        return f"list of {f'at most {most:,} ' if most else ''}{_type(kind_of(kind.items), 's')}"
    if kind.choices:
        return ("of " if plural else "") + ", ".join(f"`{each}`" for each in kind.choices if each)
    noun = _NOUNS.get(kind.type, "JSON") + plural
    if most is None:
        return noun
    return (
        f"{noun} of at most {most:,} characters"
        if kind.type is str
        else f"{noun}, {least:,} to {most:,}"
    )


def _shown(default: object, kind: Kind) -> str:
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, int) and default >= (kind.minimum or 0):
        return f"{default:,}"
    return f"`{default}`" if default else ""


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]


if __name__ == "__main__":
    main()
