"""The README names every command, setting, request and kind, and only those that exist."""

import re
from dataclasses import fields
from pathlib import Path

import click

from packhound.cli import main
from packhound.core.settings import Settings
from packhound.core.types import KINDS

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def test_every_command_is_described_and_has_help() -> None:
    assert isinstance(main, click.Group)
    documented = set(re.findall(r"^\| `packhound (\w+)", README, re.M))
    context = click.Context(main)
    assert documented == set(main.list_commands(context))
    for name in documented:
        command = main.get_command(context, name)
        assert command is not None
        assert command.help


def test_every_setting_is_described() -> None:
    table = README.split("### Settings")[1].split("\n## ")[0]
    documented = set(re.findall(r"^\| `(\w+)` \|", table, re.M))
    assert documented == {camel(field.name) for field in fields(Settings)}


def test_every_kind_is_named() -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `kind:class`"))
    assert all(kind in row or f"{kind}es" in row for kind in KINDS)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / target).exists(), target
