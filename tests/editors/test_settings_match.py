"""What the extension's manifest says is what the server understands."""

from __future__ import annotations

import json
import re
from typing import get_args

from packhound.core.types import KINDS, Mode
from tests.support.editor_clients import CHECKOUT

EXTENSION = CHECKOUT / "vscode-extension"
TEXTS = json.loads((EXTENSION / "package.nls.json").read_text())


def looked_up(value: object) -> object:
    """Returns a part of the manifest with its texts in English."""
    if isinstance(value, dict):
        return {key: looked_up(each) for key, each in value.items()}
    if isinstance(value, list):
        return [looked_up(each) for each in value]
    return TEXTS.get(value[1:-1], value) if isinstance(value, str) else value


MANIFEST = looked_up(json.loads((EXTENSION / "package.json").read_text()))


def properties() -> dict[str, dict]:
    return {
        name.removeprefix("packhound."): value
        for section in MANIFEST["contributes"]["configuration"]
        for name, value in section["properties"].items()
    }


def test_every_text_of_the_manifest_is_there_in_german() -> None:
    german = json.loads((EXTENSION / "package.nls.de.json").read_text())
    assert german.keys() == TEXTS.keys(), german.keys() ^ TEXTS.keys()


def test_no_name_is_a_folder_of_another() -> None:
    # VS Code ignores `packhound.git.x` where `packhound.git` is a value.
    names = properties().keys()
    assert not [(a, b) for a in names for b in names if b.startswith(f"{a}.")]


def test_every_setting_has_a_scope_and_a_description() -> None:
    for name, entry in properties().items():
        assert entry["scope"] in ("window", "resource", "machine", "machine-overridable"), name
        described = entry.get("description") or entry.get("markdownDescription")
        assert described.endswith("."), name


def test_eight_settings_are_shown_to_all() -> None:
    shown = [
        name
        for name, entry in properties().items()
        if "advanced" not in entry.get("tags", ()) and "deprecationMessage" not in entry
    ]
    assert len(shown) == 8, shown


def test_what_names_a_program_or_files_elsewhere_is_restricted_in_untrusted_folders() -> None:
    untrusted = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    paths = {"encoder.path", "rerank.path", "model", "reranker"}
    restricted = {name.removeprefix("packhound.") for name in untrusted["restrictedConfigurations"]}
    elsewhere = {"knowledge.folders", "episodes.sessionLogs"}
    assert restricted == {"server.path", "server.interpreter", *paths, *elsewhere}
    assert all(properties()[name]["scope"] == "machine-overridable" for name in restricted)


def test_the_extension_knows_every_kind_and_mode() -> None:
    kinds = (EXTENSION / "test/unit/kinds.ts").read_text()
    assert re.findall(r"^  '(\w+)',$", kinds, re.M) == list(KINDS)
    modes = re.search(r"mode\?: (.*);", (EXTENSION / "src/protocol.ts").read_text())
    assert re.findall(r"'(\w+)'", modes[1]) == list(get_args(Mode))


def test_the_extensions_commands_are_not_the_servers() -> None:
    for command in MANIFEST["contributes"]["commands"]:
        assert not command["command"].startswith("packhound.server."), command


def test_the_extensions_readme_has_every_setting_with_its_default_and_every_command() -> None:
    readme = (EXTENSION / "README.md").read_text()
    for name, entry in properties().items():
        if "deprecationMessage" in entry:
            continue
        row = re.search(rf"^\| `packhound\.{re.escape(name)}` +\| (\S*)", readme, re.M)
        assert row, name
        default = entry["default"]
        output = default if isinstance(default, str) else json.dumps(default)
        assert row[1].strip("`|") == output, name
    hidden = [
        entry["command"]
        for entry in MANIFEST["contributes"]["menus"]["commandPalette"]
        if entry["when"] == "false"
    ]
    for command in MANIFEST["contributes"]["commands"]:
        if command["command"] not in hidden:
            assert command["title"] in readme, command["title"]
