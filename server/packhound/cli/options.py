"""Options and arguments that several commands share, with what a shell completes them to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from packhound import service
from packhound.core.errors import RootError, SettingsError
from packhound.core.settings_reader import SETTINGS

Command: TypeAlias = Callable[..., Any]


def _completer(kind: str) -> Command:
    """Have the shell complete paths: files (`file`), or folders alone (`dir`)."""
    return lambda context, parameter, incomplete: [CompletionItem(incomplete, type=kind)]


complete_folder, complete_file = _completer("dir"), _completer("file")


def _complete_setting(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [
        CompletionItem(f"{name}=", help=setting.description)
        for name, setting in SETTINGS.items()
        if name.startswith(incomplete)
    ]


def read_root(context: click.Context, parameter: click.Parameter, written: Sequence[str]) -> Path:
    """Return the only folder that `--root` names. Raises UsageError for several."""
    roots = read_roots(context, parameter, written)
    if len(roots) > 1:
        names = ", ".join(f"'{root}'" for root in roots)
        raise click.UsageError(f"--root is {names}; this command takes one: run it for each")
    return roots[0]


def read_roots(
    context: click.Context, parameter: click.Parameter, written: Sequence[str]
) -> list[Path]:
    """Return the folders that `--root` names, each once."""
    roots: dict[Path, Path] = {}
    for root in map(service.root_path, written or ["."]):
        roots.setdefault(service.real_path(root), root)
    return [*roots.values()]


def read_patch(written: str) -> str:
    """Return the diff in a file or a pipe, `-` for standard input; a diff or an id as it is.

    Bytes that are not UTF-8 become surrogates. Raises SettingsError: there is no such file.
    """
    if "\n" in written:
        return f"{written}\n"  # A shell takes off the last line feed of `$(git diff)`.
    try:
        data = sys.stdin.buffer.read() if written == "-" else Path(written).read_bytes()
    except OSError as error:
        if "/" in written or "." in written or Path(written).is_dir():
            is_missing = isinstance(error, FileNotFoundError)
            problem = "there is no file" if is_missing else f"{error.strerror}:"
            raise SettingsError(f"{problem} '{written}'") from None
        return written
    return data.decode("utf-8", "surrogateescape")


def read_sources(
    context: click.Context, parameter: click.Parameter, written: Sequence[str]
) -> list[Path]:
    """Return the folders that `--root` names; for a bare repository the files of its HEAD."""
    try:
        return [*map(service.checked_out, read_roots(context, parameter, written))]
    except RootError as problem:
        raise click.UsageError(str(problem)) from None


def root_option(help_text: str, name: str = "root") -> Command:
    """Return the option `--root` of a command that takes one folder, or as `roots` several."""
    return click.option(
        "--root",
        name,
        multiple=True,
        callback=read_root if name == "root" else read_sources,
        metavar="FOLDER",
        help=help_text,
        shell_complete=complete_folder,
    )


def _file_option(flag: str, name: str, help_text: str) -> Command:
    """Return an option with a file to write."""
    file = click.Path(path_type=Path, dir_okay=False)
    return click.option(flag, name, type=file, metavar="FILE", help=help_text)


ROOT = root_option("Folder to search; default: here.")
ROOTS = root_option("Folder to search, as often as there are folders; default: here.", "roots")
TRACE = _file_option(
    "--trace",
    "trace_file",
    "Write how long each stage took, for chrome://tracing or ui.perfetto.dev.",
)
HTML = _file_option(
    "--html", "page_file", "Write a page to look at, which asks for nothing and runs no script."
)
MODEL = click.option(
    "--model",
    "encoder_path",
    default="",
    help="Folder of another ONNX embedding model.",
    shell_complete=complete_folder,
)
SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting, as in the editor; for example search.limit=20.",
    shell_complete=_complete_setting,
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
BATCH = click.option(
    "--batch",
    metavar="FILE",
    help="One JSON request per line; - is standard input.",
    shell_complete=complete_file,
)
AT = click.option(
    "--at",
    default="",
    metavar="rev:NAME|deps:NAME|repo:NAME",
    help="Ask another commit, the sources of a dependency, or a repository of the team's store.",
)
PATCH = click.option(
    "--patch",
    default="",
    metavar="FILE|ID",
    help="Ask as if a diff were applied, a file or an overlay; - is standard input.",
    shell_complete=complete_file,
)
ALONE = click.option(
    "--alone", is_flag=True, help="Answer here, even where a daemon has the folder open."
)
