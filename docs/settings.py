"""Make what describes the settings from their declarations in `packhound/core/settings.py`.

    python docs/settings.py

Writes the table of docs/settings.md, the configuration in the manifest of the VS Code extension
(but for its own section, `Server`) with its texts in `package.nls.json`, and the list in Neovim's
help. Translations of the texts are written by hand.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packhound.core.settings_reader import FORMER_NAMES, SETTINGS, Setting
from packhound.core.typed import value_schema

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "settings.md"
MANIFEST = ROOT / "vscode-extension" / "package.json"
TEXTS = ROOT / "vscode-extension" / "package.nls.json"
HELP = ROOT / "neovim" / "doc" / "packhound.txt"
PRETTIER_WIDTH, HELP_WIDTH = 100, 78
EVERYDAY = (
    *("search.limit", "search.hover", "search.sources", "search.deep"),
    *("ranking.gitHistory", "index.enabled", "index.exclude"),
)
"""With `server.path` the settings that VS Code shows to all; others are for who looks for them."""
_MADE = ("section.", "setting.")
"""Prefix of the keys of texts that are made here."""
_SUFFIXES = {
    "description": "",
    "markdownDescription": "",
    "deprecationMessage": ".deprecated",
    "markdownDeprecationMessage": ".deprecated.markdown",
}
LAST_RELEASE = "this name ends with the next release."


def main() -> None:
    """Write all of them."""
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def pages() -> dict[Path, str]:
    """Return the files with what is made anew."""
    table = "\n".join(map(_row, SETTINGS.values()))
    manifest, page, help_text = (path.read_text("utf-8") for path in (MANIFEST, PAGE, HELP))
    own = next(s for s in _configuration(manifest) if s["title"] == "%server%")
    made: dict[str, str] = {}
    sections, former = (_looked_up(each, made) for each in ([*_sections()], [_former_names()]))
    configuration = _pretty([*sections, own, *former], "    ")
    others = json.loads(TEXTS.read_text("utf-8"))
    texts = {key: text for key, text in others.items() if not key.startswith(_MADE)} | made
    return {
        TEXTS: json.dumps(texts, indent=2, ensure_ascii=False) + "\n",
        PAGE: _between(page, "|---|---|---|\n", table, "\n\n"),
        MANIFEST: _between(manifest, '    "configuration": ', configuration, ',\n    "'),
        HELP: _between(
            help_text, "of the server:\n\n", "\n".join(_entries()), "\n" + "=" * HELP_WIDTH
        ),
    }


def _looked_up(sections: list[dict[str, Any]], texts: dict[str, str]) -> list[dict[str, Any]]:
    """Return sections with keys for their texts, which are added to those of the others."""

    def key(name: str, text: str) -> str:
        texts[name] = text
        return f"%{name}%"

    return [
        {
            "title": key(f"section.{section['title']}", section["title"]),
            "properties": {
                name: {
                    field: [key(f"setting.{name}.{at}", text) for at, text in enumerate(value, 1)]
                    if field == "enumDescriptions"
                    else key(f"setting.{name}{_SUFFIXES[field]}", value)
                    if field in _SUFFIXES
                    else value
                    for field, value in entry.items()
                }
                for name, entry in section["properties"].items()
            },
        }
        for section in sections
    ]


def _between(text: str, start: str, new: str, end: str) -> str:
    """Return a text with what is between two others replaced."""
    head, _, rest = text.partition(start)
    return f"{head}{start}{new}{end}{rest.partition(end)[2]}"


def _row(setting: Setting) -> str:
    default = _shown(setting.default)
    return f"| `{setting.name}` | {default}{' ' if default else ''}| {setting.description} |"


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int):
        return f"{default:,}"
    if isinstance(default, float):
        return f"{default:g}"
    text = ", ".join(default) if isinstance(default, tuple) else default
    return f"`{text}`" if text else ""


def _entries() -> Iterator[str]:
    indent = " " * 8
    for setting in SETTINGS.values():
        default = _shown(setting.default).strip("`")
        yield f"{setting.name}{default and f', default {default}'}"
        yield textwrap.fill(
            setting.description, HELP_WIDTH, initial_indent=indent, subsequent_indent=indent
        )


def _configuration(manifest: str) -> list[dict[str, Any]]:
    sections: list[dict[str, Any]] = json.loads(manifest)["contributes"]["configuration"]
    return sections


def _sections() -> list[dict[str, Any]]:
    """Return a section for each title, its settings in the order of their declaration."""
    sections: dict[str, dict[str, Any]] = {}
    for name, setting in SETTINGS.items():
        section = sections.setdefault(setting.title, {})
        is_markdown = "`" in setting.description
        description = "markdownDescription" if is_markdown else "description"
        choices = {"enumDescriptions": [*setting.choices]} if setting.choices else {}
        section[f"packhound.{name}"] = {
            **_schema(setting, choices, len(section) + 1),
            description: setting.description,
        }
    return [{"title": title, "properties": section} for title, section in sections.items()]


def _former_names() -> dict[str, Any]:
    section = {
        f"packhound.{name}": {
            **_schema(setting, {}, order),
            "markdownDeprecationMessage": f"Use `#packhound.{setting.name}#`; {LAST_RELEASE}",
            "deprecationMessage": f"Use packhound.{setting.name}; {LAST_RELEASE}",
            "description": f"Former name of packhound.{setting.name}.",
        }
        for order, (name, setting) in enumerate(FORMER_NAMES.items(), 1)
    }
    return {"title": "Former names", "properties": section}


def _schema(setting: Setting, choices: dict[str, Any], order: int) -> dict[str, Any]:
    schema = value_schema(setting.type)
    default = setting.default
    if isinstance(default, float) and default.is_integer():
        default = int(default)
    items = {
        key: schema["items"][key] for key in ("type", "enum") if key in schema.get("items", ())
    }
    return {
        "type": schema["type"],
        **({"enum": schema["enum"], **choices} if "enum" in schema else {}),
        **({"items": items} if items else {}),
        "default": default,
        **{bound: schema[bound] for bound in ("minimum", "maximum") if bound in schema},
        "scope": setting.scope,
        **({} if setting.name in EVERYDAY else {"tags": ["advanced"]}),
        "order": order,
    }


def _pretty(value: Any, indent: str, key: str = "") -> str:  # noqa: ANN401 - JSON
    """Return JSON as prettier formats it: values of a list on one line where they fit."""
    if isinstance(value, dict) and key != "items":
        inner = indent + "  "
        rows = [f'{inner}"{k}": {_pretty(v, inner, k)}' for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    line = json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return f"{{ {line[1:-1]} }}"
    if not isinstance(value, list | tuple):
        return line
    if len(f'{indent}"{key}": {line},') <= PRETTIER_WIDTH and dict not in map(type, value):
        return line
    inner = indent + "  "
    rows = [inner + _pretty(each, inner) for each in value]
    return "[\n" + ",\n".join(rows) + f"\n{indent}]"


if __name__ == "__main__":
    main()
