"""`packhound push`, `pull` and `team`: a team's store on Postgres."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from packhound import git, service, team
from packhound.cli.group import ReportingGroup
from packhound.cli.opening import folder_settings, open_engine, overrides_of
from packhound.cli.options import ROOT
from packhound.cli.terminal import echo, echo_line
from packhound.core.errors import SettingsError
from packhound.core.settings import Settings
from packhound.core.user_folders import data_folder
from packhound.files import WalkLimits
from packhound.indexing import PULL_TIMING

_URL = click.option(
    "--to", "url", default="", metavar="URL", help="The store.  [default: your setting team.store]"
)
_REPOSITORY = click.option(
    "--repository", default="", metavar="NAME", help="[default: that of origin, host/owner/name]"
)
_BRANCH = click.option(
    "--branch", default="*", show_default="all", help="A name; one that ends in * begins so."
)


@click.command()
@ROOT
@_URL
@_REPOSITORY
@click.option("--branch", default="", help="Branch of the store.  [default: the one checked out]")
@click.option("--rev", default="HEAD", show_default=True, help="The commit to push.")
def push(root: Path, url: str, repository: str, branch: str, rev: str) -> None:
    """Have a branch of a team's store consist of the files of a commit, without secrets.

    Only what the store lacks is parsed and moved; one that was interrupted goes on.
    """
    settings = folder_settings(root).read().settings
    folder = service.check_root(root, settings)
    revision = git.find_revision(folder, rev)
    if revision is None:
        raise SettingsError(f"'{rev}' is no branch, tag or commit in '{folder}'")
    names = git.remote_names(folder)
    if not (repository or names):
        raise SettingsError(
            f"'{folder}' is not the top of a repository with a remote; give --repository"
        )
    repository, branch = repository or names[0], branch or git.branch_name(folder)
    if not branch:
        raise SettingsError("no branch is checked out here; give --branch")
    started = time.perf_counter()
    with team.Store.open(_url(url, settings), for_push=True) as store:
        pushed = team.push(store, folder, revision, repository, branch, _limits(settings))
    elapsed_s = time.perf_counter() - started
    echo_line(
        f"{repository} {branch}: {pushed.files:,} files, {pushed.new:,} of them parsed and"
        f" moved ({pushed.n_bytes / 1e6:.1f} MB) in {elapsed_s:.1f} s"
    )
    for path in pushed.left_out:
        echo_line(f"note: '{path}' is left to each reader to parse", err=True)


@click.command()
@ROOT
@click.option("--from", "url", default="", metavar="URL", help="[default: your setting team.store]")
def pull(root: Path, url: str) -> None:
    """Index a clone from a team's store, and pull the repositories of your team.remotes.

    What the store lacks is parsed here. With your setting team.store each folder that you open does
    so by itself.
    """
    changes = [f"team.store={_url(url, folder_settings(root).read().settings)}"]
    settings = folder_settings(root, overrides_of("", changes))
    with open_engine(root, settings, PULL_TIMING) as engine:
        engine.flush()
        status, stored = engine.status(), engine.index.stored
        for note in engine.others.look():
            echo(f"note: {note}", err=True)
    n_read, n_bytes = (stored.n_read, stored.n_bytes) if stored else (0, 0)
    echo(f"{status.files:,} files, {n_read:,} of them from the store ({n_bytes / 1e6:.1f} MB)")
    if stored and stored.problem:
        raise SettingsError(stored.problem)


@click.group("team", cls=ReportingGroup)
def team_group() -> None:
    """Set up a team's store, say who may read and push what, and see what it has."""


@team_group.command()
@_URL
def setup(url: str) -> None:
    """Make the tables of a store, or bring them to this version; for the owner of its database."""
    with team.Administration.open(_url(url), for_push=True, any_version=True) as store:
        before, now, has_vectors = store.setup(), team.VERSION, store.has_vectors
    if not has_vectors:
        echo(_WITHOUT_VECTORS, err=True)
    echo(f"the tables have version {now}" + (f", before {before}" if 0 < before < now else ""))


@team_group.command()
@click.option("--stop", is_flag=True, help="Stop it.")
def serve(stop: bool) -> None:
    """Start a store on this machine, which goes on until --stop, and print its URL."""
    folder = data_folder() / "team"
    if stop:
        team.stop_server(folder)
        return
    url = team.start_server(folder)
    with team.Administration.open(url, any_version=True) as store:
        store.setup()
    echo(url)


@team_group.command()
@_URL
@click.argument("grantee")
@click.argument("repository")
@_BRANCH
@click.option("--push", "may_push", is_flag=True, help="To push too, not only to read.")
def grant(url: str, grantee: str, repository: str, branch: str, may_push: bool) -> None:
    """Let a user or group of the database read REPOSITORY, such as github.com/shop/*."""
    with team.Administration.open(_url(url)) as store:
        store.grant(team.Grant(grantee, repository, branch, may_push))


@team_group.command()
@_URL
@click.argument("grantee")
@click.argument("repository")
@_BRANCH
def revoke(url: str, grantee: str, repository: str, branch: str) -> None:
    """Take back a grant, written as it was given."""
    with team.Administration.open(_url(url)) as store:
        if not store.revoke(grantee, repository, branch):
            raise SettingsError("there is no such grant; 'packhound team status' lists them")


@team_group.command()
@_URL
def status(url: str) -> None:
    """Show the repositories of a store that you may read, and the grants that concern you."""
    with team.Administration.open(_url(url)) as store:
        for row in store.usage():
            n_bytes = row.analysis_bytes + row.text_bytes
            echo_line(
                f"{row.repository}: {row.branches:,} branches, {row.files:,} files,"
                f" {row.nodes:,} nodes, {n_bytes / 1e6:.1f} MB"
            )
        for each in store.grants():
            right = "pushes to" if each.may_push else "reads"
            echo_line(f"{each.grantee} {right} '{each.branch}' of '{each.repository}'")


@team_group.command()
@_URL
@click.argument("repository")
@click.argument("branch")
def remove(url: str, repository: str, branch: str) -> None:
    """Delete a branch of a store, and in time the files that no other one has."""
    with team.Store.open(_url(url)) as store:
        if not store.remove_branch(repository, branch):
            raise SettingsError(f"the store has no branch '{branch}' of '{repository}'")


@team_group.command()
@_URL
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(url: str, yes: bool) -> None:
    """Delete every file that has a text, read from standard input, from all of a store.

    For a secret that nobody recognized: files with that very text are not taken again.
    """
    secret = sys.stdin.buffer.read().strip(b"\r\n")
    if len(secret) < _SHORTEST_SECRET:
        raise SettingsError(
            f"give at least {_SHORTEST_SECRET} bytes of the secret on standard input"
        )
    if not yes:
        raise SettingsError("this deletes files for everybody; give --yes")
    with team.Administration.open(_url(url), for_push=True) as store:
        n_files = store.erase(secret)
    echo(f"erased {n_files:,} files; backups of the database have them still")


_SHORTEST_SECRET = 6
_WITHOUT_VECTORS = (
    "note: the server has no pgvector 0.8 or later, or you may not create that extension there:"
    " repositories too large to pull are searched by words alone"
)


def _url(written: str, settings: Settings | None = None) -> str:
    """Return the URL of the store, by option or setting."""
    settings = settings or folder_settings(Path()).read().settings
    url = written or settings.team.store
    if not url:
        raise SettingsError("name the store by its URL, or by your setting 'team.store'")
    return url


def _limits(settings: Settings) -> WalkLimits:
    index = settings.index
    return WalkLimits(index.max_files, index.max_file_kilobytes * 1_000, index.exclude)
