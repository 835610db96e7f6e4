"""The command line says all that a request can say: its options come from the registry."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner
from msgspec import Meta

from packhound.cli.commands import main
from packhound.cli.fields import NO_OPTION
from packhound.cli.operations import ELSEWHERE, FORMS, Form, command_of, words_of
from packhound.core.typed import fields_of, kind_of
from packhound.operations import OPERATIONS, AddNote
from packhound.operations.search import Search
from tests.support.command_line import make_house
from tests.support.git_repository import git

ASKING = [name for name in OPERATIONS if name not in ELSEWHERE]
READING = [name for name in ASKING if not OPERATIONS[name].writes]
GIVEN = {
    **{"query": "open the door", "prompt": "open the door", "pattern": "door", "key": "door"},
    **{"path": "door.py#open_door", "name": "open_door", "id": "0123456789ab"},
}
"""A value for each field that a request may require."""


def command(words: str) -> click.Command:
    found: click.Command | None = main
    for word in words.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None, words
    return found


@pytest.mark.parametrize("name", ASKING)
def test_every_field_has_an_option_or_a_reason_why_not(name: str) -> None:
    form = FORMS.get(name, Form())
    parameters = {each.name: each for each in reversed(command(words_of(name)).params)}
    for field, info in fields_of(OPERATIONS[name].request).items():
        kind = kind_of(info.type)
        assert kind.description.endswith("."), field
        if field in NO_OPTION or field in (form.fixed or ()):
            assert field not in parameters
        elif field == "max_tokens" and form.print:
            assert field not in parameters, "a table has no limit of tokens"
        else:
            parameter = parameters[field]
            kind = kind_of(kind.items) if kind.items else kind
            choices = tuple(getattr(parameter.type, "choices", ()))
            assert choices == tuple(filter(None, kind.choices))
            if kind.type is int:
                limits = parameter.type.to_info_dict()
                assert (limits["min"], limits["max"]) == (kind.minimum, kind.maximum)


def test_what_other_commands_ask_is_asked() -> None:
    assert ELSEWHERE.keys() <= OPERATIONS.keys()
    for words in ELSEWHERE.values():
        assert command(words).help
    parameters = {each.name for each in command("memory add").params}
    by_position = {"type", "key", "content", "topic", "decision", "name", "summary"}
    assert fields_of(AddNote).keys() - by_position - NO_OPTION.keys() <= parameters
    for name in ("remember", "decide", "stash"):
        assert fields_of(OPERATIONS[name].request).keys() <= fields_of(AddNote).keys()


@pytest.mark.parametrize("words", [*map(words_of, ASKING), "memory add"])
def test_no_option_stands_for_two_things(words: str) -> None:
    options = [
        option
        for parameter in command(words).params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    ]
    assert len(options) == len(set(options))


class Wider(Search):
    """A search that says one thing more."""

    colours: Annotated[
        tuple[Literal["red", "blue"], ...], Meta(description="Only these colours.")
    ] = ()


def test_a_new_field_is_an_option() -> None:
    wider = command_of(replace(OPERATIONS["search"], request=Wider), FORMS["search"])
    shown = CliRunner().invoke(wider, ["--help"]).output
    assert "--colour [red|blue]" in shown and "Only these colours." in shown


def test_a_new_operation_is_a_command() -> None:
    new = replace(OPERATIONS["search"], name="paint_door", description="Paint it.")
    shown = CliRunner().invoke(command_of(new, Form()), ["--help"]).output
    assert "paint-door [OPTIONS] QUERY" in shown and "Paint it." in shown


def without_times(answer: Any) -> Any:
    timeless = {key: value for key, value in answer.items() if key not in ("took_ms", "generation")}
    notes = [note for note in timeless.pop("notes", []) if "was last looked at" not in note]
    return {**timeless, **({"notes": notes} if notes else {})}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_house(tmp_path_factory.mktemp("batches") / "house")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    return root


@pytest.mark.parametrize("name", READING)
def test_a_batch_answers_as_the_command_does(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository
    for folder in ("CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"PACKHOUND_{folder}_DIR", str(root.parent / folder))
    fields = fields_of(OPERATIONS[name].request)
    needed = [field for field, info in fields.items() if info.required or field == "prompt"]
    request = {field: GIVEN[field] for field in needed}
    words, options = words_of(name).split(), ["--root", str(root), "--no-deep"]
    options = options if "deep" in fields else options[:2]
    run = CliRunner().invoke
    if name == "overlay":
        new = "--- /dev/null\n+++ b/window.py\n@@ -0,0 +1 @@\n+x = 1\n"
        added = run(main, ["overlay", "add", "-", *options, "--json"], input=new)
        request = {"id": json.loads(added.stdout)["id"]}
    lines = f"{json.dumps(request)}\n\n{json.dumps(request)}\n"
    done = run(main, [*words, "--batch", "-", *options], input=lines)
    assert done.exit_code == 0, done.output
    first, second = (without_times(json.loads(line)) for line in done.stdout.splitlines())
    assert first == second
    alone = run(main, [*words, *request.values(), "--json", *options])
    if first.get("status") == "not_found":
        assert alone.exit_code == 2
    else:
        as_json = FORMS.get(name, Form()).as_json
        assert without_times(json.loads(alone.stdout)) == as_json(first)
    refused = run(main, [*words, "--batch", "-", *options], input='{"colour": "red"}')
    assert refused.exit_code == 2 and "line 1: unknown argument 'colour'" in refused.stderr
