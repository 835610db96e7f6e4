"""Promises at the figures of a release: the test that holds each, and how far it has run.

    python -m benchmarks.reliability [--only T8 ...] [--pieces N] [--list]

Runs each check in pieces of some minutes, each with a seed of its own, until it has reached its
figure or N more pieces are done, and writes `reliability.json` after each. The next run goes on
from there, or from the beginning where code that the promise rests on has changed. Ends with 1 if
a check fails; one that cannot run here is printed with its reason.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.stored import ROOT, digest
from tests.support.release import SEED, SIZE

RESULTS = Path(__file__).with_name("reliability.json")
_STORE = ("core", "index", "indexing", "storage")
_INDEX = (*_STORE, "text", "parsing", "files", "encoder", "model")
_WIRE = ("core", "rpc", "relay", "daemon", "operations", "mcp", "lsp")
_SKIPPED = re.compile(r"^SKIPPED \[\d+\] \S+ (.*)$", re.MULTILINE)
_PASSED = re.compile(r"^(?:=+ )?\d+ passed", re.MULTILINE)
_TEST = 'python -m pytest -rs -p no:cacheprovider -m "not release"'
_RELEASE = f"{_TEST} -m release"
_DRAWN = f"{_TEST} --hypothesis-seed={{seed}}"
_OFFLINE = "unshare --map-root-user --net sh -c 'ip link set lo up && exec "


class Check(NamedTuple):
    """A promise, and the command that holds it at a figure. `{size}` and `{seed}` are filled in."""

    name: str
    """One or more numbers of the catalogue, and a word that tells two checks of one apart."""
    promise: str
    unit: str
    release: int
    piece: int
    """Cases of one run: as many as take some minutes."""
    command: str
    packages: tuple[str, ...] = ("",)
    """Packages of the server that the promise rests on; by default all."""


CHECKS = (
    Check(
        "T1",
        "after any edits the live index equals one built anew",
        "edits",
        *(1_000_000, 1_000),
        f"{_DRAWN} tests/index/test_live_equals_rebuilt.py",
        _INDEX,
    ),
    Check(
        "T2",
        "a tree that came from edits is the tree of the text alone",
        "sequences of edits, for each of the languages and line ends",
        *(1_000, 10),
        f"{_DRAWN} tests/parsing/test_trees.py -k alone_gives",
        ("core", "text", "parsing"),
    ),
    Check(
        "T3 engine",
        "a kill while it reads and saves leaves what a rebuild gives",
        "kills",
        *(10_000, 20),
        f"{_RELEASE} tests/storage/test_kills.py -k hundreds",
        _INDEX,
    ),
    Check(
        "T4",
        "a loss of power leaves a saved generation",
        "states of the disk",
        *(2_400, 2_400),
        f"{_RELEASE} tests/storage/test_power_loss.py tests/storage/test_unsynced.py",
        _STORE,
    ),
    Check(
        "T5",
        "no damage of the saved index goes unnoticed",
        "flipped bytes",
        *(5_000, 2_500),
        f"{_TEST} tests/storage/test_damage.py",
        _STORE,
    ),
    Check(
        "T6 drawn",
        "after any frame and any message the next request is answered, or the process ends",
        "inputs drawn at random for each of two targets",
        *(1_000_000, 4_000),
        f"{_TEST} tests/fuzz/test_fuzz.py -k 'random_inputs and (frames or messages)'",
        _WIRE,
    ),
    Check(
        "T6 fuzzed",
        "the same, of inputs that a fuzzer chooses by coverage",
        "seconds of fuzzing for each of two targets",
        *(1_800, 60),
        f"{_RELEASE} tests/fuzz/test_fuzz.py -k 'a_fuzzer and (frames or messages)'",
        _WIRE,
    ),
    Check(
        "T7",
        "messages in any order have the answers that the protocol prescribes",
        "runs of the table of cases",
        *(1, 1),
        f"{_TEST} tests/lsp/test_lifecycle.py tests/lsp/test_features.py"
        " tests/lsp/test_malformed.py",
    ),
    Check(
        "T8",
        "edits and positions equal those of a second implementation",
        "sequences of 4 edits on average, for each of three encodings",
        *(250_000, 2_500),
        f"{_DRAWN} tests/text/test_document.py -k second_implementation",
        ("core", "text"),
    ),
    Check(
        "T9",
        "huge, minified, deep and odd documents cost themselves and nothing else",
        "runs of all documents",
        *(1, 1),
        f"{_TEST} -m '' tests/lsp/test_odd_documents.py tests/parsing/test_worker.py",
    ),
    Check(
        "T10",
        "nothing outside the folder is read, whatever swaps links meanwhile",
        "reads during swaps",
        *(200_000, 200_000),
        f"{_TEST} -m '' tests/files/test_walk.py tests/lsp/test_bad_places.py",
        ("core", "files", "service", "lsp"),
    ),
    Check(
        "T11",
        "no argument of a tool or request leads out or takes long",
        "runs of all arguments",
        *(1, 1),
        f"{_TEST} tests/operations/test_tools.py tests/lsp/test_params.py",
    ),
    Check(
        "T12 T13",
        "while 5,000 files change, each search sees one generation; then all equals a rebuild",
        "searches during floods",
        *(100_000, 100_000),
        f"{_RELEASE} tests/service/test_flood.py",
    ),
    Check(
        "T13 generations",
        "a search sees one generation",
        "runs",
        *(1, 1),
        f"{_TEST} tests/service/test_generations.py",
    ),
    Check(
        "T14",
        "a fault or no memory at any point leaves a good index",
        "calls of each point that fail in turn, until no more are made",
        *(80, 80),
        f"{_TEST} -m '' tests/index/test_faults.py tests/indexing/test_indexer_faults.py"
        " tests/indexing/test_follow_disk.py",
        _INDEX,
    ),
    Check(
        "T15",
        "what is cancelled is answered so, once, while all workers are busy",
        "rounds of cancelling more requests than there are workers",
        *(1_000, 500),
        f"{_TEST} tests/lsp/test_protocol.py -k cancelled_requests",
    ),
    Check(
        "T16",
        "whoever vanishes leaves no process behind and a whole index",
        "rounds of four editors",
        *(250, 5),
        f"{_RELEASE} tests/lsp/test_vanishing.py",
    ),
    Check(
        "T17",
        "of those that race one writes, whoever dies and whoever clears the cache",
        "races of each of two kinds",
        *(500, 500),
        f"{_RELEASE} tests/storage/test_races.py",
        ("core",),
    ),
    Check(
        "T18",
        "on a full or read-only disk the last save stays, and searches go on",
        "runs, with an end of the disk at each 512 bytes",
        *(1, 1),
        f"{_TEST} -m '' tests/storage/test_full_disk.py tests/service/test_disk.py",
        _STORE,
    ),
    Check(
        "T14 T18",
        "whichever write, sync, lock or unlink fails, below SQLite, what was acknowledged is there",
        "runs with a fault at each call",
        *(1, 1),
        f"{_TEST} -m release tests/storage/test_failing_calls.py",
        _STORE,
    ),
    Check(
        "T19",
        "no change is missed, not even one within a tick of the clock",
        "changes",
        *(10_000, 10_000),
        f"{_TEST} tests/files/test_walk.py -k 'tick or at_rest'",
        ("core", "files"),
    ),
    Check(
        "T20",
        "secrets do not leave: published 99 %, named values 95 %, configurations 85 %",
        "draws of all shapes",
        *(200, 20),
        f"{_TEST} tests/redact/test_shapes.py -k as_many",
        ("core", "redact", "text"),
    ),
    Check(
        "T20 time",
        "no text takes the redaction the square of its length",
        "runs of all starts of rules",
        *(1, 1),
        f"{_TEST} -m '' tests/redact/test_growth.py",
        ("core", "redact", "text"),
    ),
    Check(
        "T21",
        "what is quoted cannot break out of its fence or its numbered lines",
        "texts for each of two forms",
        *(10_000, 2_500),
        f"{_DRAWN} tests/pack/test_pack.py tests/operations/test_forged_text.py"
        " -k 'never_ends_its_fence or forgeries or each_line_of_code'",
        ("core", "text", "redact", "pack", "operations"),
    ),
    Check(
        "T22",
        "settings and files of a stranger's folder run, send, write and read nothing elsewhere",
        "hostile folders, under strace",
        *(75, 75),
        f"{_TEST} -m '' tests/test_hostile_settings.py",
    ),
    Check(
        "T23",
        "the tests pass where there is no network",
        "runs of all tests but those of a release or of editors",
        *(1, 1),
        f'{_OFFLINE}{_TEST} -n 2 -m "not (release or editors)"\'',
    ),
    Check(
        "T23 calls",
        "a session makes no system call that sends, runs or writes anything of the folder's",
        "sessions",
        *(1, 1),
        f"{_TEST} tests/test_system_calls.py tests/test_offline.py",
    ),
    Check(
        "T24",
        "index, notes and logs are private to their owner",
        "runs",
        *(1, 1),
        f"{_TEST} tests/storage/test_store.py tests/core/test_private_file.py"
        " -k 'owner or private or fifo or place'",
        ("core", "storage", "memory", "sources"),
    ),
    Check(
        "T25",
        "work without a pause leaves no memory (5 MB an hour), thread, handle or process behind",
        "minutes",
        *(60, 60),
        "python -m benchmarks.soak server --minutes {size} --seed {seed} --most-mb-an-hour 5",
    ),
    Check(
        "T25 short",
        "the same, but for memory, in some minutes",
        "minutes",
        *(2, 2),
        "python -m benchmarks.soak server --minutes {size} --seed {seed}",
    ),
    Check(
        "T27",
        "an index of another version is loaded right, or made anew",
        "runs with one index of each format",
        *(1, 1),
        f"{_TEST} tests/storage/test_upgrade.py",
        _INDEX,
    ),
    Check(
        "T28",
        "no match of git grep is missed in silence",
        "trees",
        *(10_000, 500),
        f"{_RELEASE} -n 2 tests/acceptance/test_nothing_is_silent.py",
        (*_INDEX, "grep", "search", "service", "operations"),
    ),
    Check(
        "T29",
        "one server for all: killed, stopped, silent or of another version, it loses no answer",
        "runs of all cases",
        *(1, 1),
        f"{_TEST} -m '' tests/daemon tests/mcp/test_shared_engine.py tests/mcp/test_relay.py"
        " tests/lsp/test_takeover.py tests/lsp/test_join.py tests/lsp/test_shared_texts.py"
        " --deselect tests/daemon/test_storm.py",
    ),
    Check(
        "T29 storm",
        "killed and stopped under agents and an editor it loses no answer, text or note",
        "kills and stops",
        *(2_000, 20),
        f"{_RELEASE} tests/daemon/test_storm.py",
    ),
    Check(
        "T30",
        "a note that was acknowledged is there, whoever is killed",
        "kills",
        *(2_000, 40),
        f"{_RELEASE} tests/memory/test_note_store.py",
        ("core", "memory", "storage"),
    ),
    Check(
        "T31",
        "no key typed around a list reaches a file that is only previewed, in VS Code",
        "sequences for each of four settings",
        *(100, 10),
        f"{_TEST} -m editors tests/editors/test_vscode.py -k no_key",
    ),
    Check(
        "T32",
        "a check that is killed leaves the folder byte for byte as it was, and no process",
        "kills",
        *(200, 40),
        f"{_RELEASE} tests/runs/test_hostile_repositories.py -k killed",
        ("core", "files", "git", "runs"),
    ),
    Check(
        "T32 calls",
        "neither a copy nor a check makes a system call that writes below the folder or sends",
        "runs",
        *(1, 1),
        f"{_TEST} tests/runs/test_hostile_repositories.py -k system_call",
        ("core", "files", "git", "runs"),
    ),
    Check(
        "T33",
        "accepting a patch loses nothing that is unsaved or in no commit",
        "random states of a user's work",
        *(1_000, 250),
        f"{_RELEASE} tests/service/test_acceptance.py -k thousand",
        ("core", "files", "git", "service", "indexing"),
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="T8", default=[])
    parser.add_argument("--pieces", type=int, help="at most so many of each, not all that lack")
    parser.add_argument("--list", action="store_true", help="print what is asked and reached")
    options = parser.parse_args()
    words = list(dict.fromkeys(word for check in CHECKS for word in check.name.split()))
    if unknown := [name for name in options.only if name not in words]:
        parser.error(f"unknown check '{unknown[0]}'; expected one of: {', '.join(words)}")
    only = {*(options.only or words)}
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    is_broken = False
    for check in CHECKS:
        if only.isdisjoint(check.name.split()):
            continue
        if not options.list:
            run_pieces(check, options.pieces, results)
        print(line(check, results.get(check.name, {})), flush=True)
        is_broken |= str(results.get(check.name, {}).get("outcome", "")).startswith("fails")
    sys.exit(is_broken)


def run_pieces(check: Check, at_most: int | None, results: dict[str, Any]) -> None:
    """Run what a check lacks, and store what it has reached after each piece."""
    code = digest(check.packages)
    row = results.get(check.name, {})
    if row.get("code") != code or row.get("command") != check.command:
        row = {"reached": 0, "seconds": 0.0}
    lacking = -(-(check.release - row["reached"]) // check.piece)
    for _ in range(lacking if at_most is None else min(lacking, at_most)):
        started = time.monotonic()
        outcome = run_piece(check, seed=row["reached"] // check.piece + 1)
        row = {
            "promise": check.promise,
            "unit": check.unit,
            "asked": check.release,
            "reached": row["reached"] + check.piece * (outcome == "holds"),
            "outcome": outcome,
            "seconds": round(row["seconds"] + time.monotonic() - started, 1),
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "command": check.command,
            "commit": _commit(),
            "code": code,
            "machine": _machine(),
        }
        results[check.name] = row
        ordered = {each.name: results[each.name] for each in CHECKS if each.name in results}
        RESULTS.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
        if outcome != "holds":
            break


def run_piece(check: Check, seed: int) -> str:
    """Return "holds", "fails" or why a check cannot run here."""
    command = check.command.format(size=check.piece, seed=seed)
    words = shlex.split(command.replace("python ", f"{sys.executable} "))
    environment = {**os.environ, SIZE: str(check.piece), SEED: str(seed)}
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=_whole_suite(environment) if _OFFLINE in check.command else environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    reasons = _SKIPPED.findall(done.stdout)
    for reason in reasons:
        print(f"{check.name}: cannot run here: {reason}")
    if done.returncode == 0 and (_PASSED.search(done.stdout) or "pytest" not in check.command):
        return "holds"
    if done.returncode in (0, 5):
        return f"cannot run here: {'; '.join(reasons) or 'no test was found'}"
    print(done.stdout[-6_000:])
    return "fails"


def _whole_suite(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which tests have the size that they have in the suite."""
    return {name: value for name, value in environment.items() if name not in (SIZE, SEED)}


def line(check: Check, row: Mapping[str, Any]) -> str:
    """Return one line: the figure reached, that of a release, and how long that takes here."""
    reached, seconds = row.get("reached", 0), row.get("seconds", 0.0)
    whole = f"{seconds * check.release / reached / 3600:.1f} h in all" if reached else "not timed"
    outcome = row.get("outcome", "has not run")
    figures = f"{reached:,} of {check.release:,} {check.unit}, {whole}"
    return f"{check.name}: {check.promise}\n    {outcome}; {figures}"


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    changed = subprocess.run(
        [*git, "diff", "--quiet", "HEAD", "--", "server", "tests"], check=False
    )
    return f"{commit} with changes" if changed.returncode else commit


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
