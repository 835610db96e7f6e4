"""Fixes of four projects with their tests: the right patches are accepted, wrong ones stopped.

    python -m benchmarks.fixes REPOSITORIES --path BIN [--only NAME] [--save]

REPOSITORIES is a folder of clones by name; BIN has mypy, and a pytest whose Python has what the
projects need: `pip install mypy 'pytest<8.4' werkzeug jinja2 itsdangerous blinker click hypothesis
'anyio<4.10' httpx trio 'python-multipart<0.0.13' pyyaml mpmath`, since later ones warn where these
commits take warnings for errors. Each commit of fixes.json is a task: its parent is the base, its
own diff, with its tests, the right patch. The two wrong ones replace a piece of the fixed file by
another that parses; they were written before any was checked. Each patch is checked in a copy, as
`packhound check --reached-only` does, by the test files of the commit and by mypy, and decided on
by the gates of `packhound run` as they are by default. With --only the decisions on the other fixes
stay as they were stored.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from benchmarks.stored import load, save
from packhound import runs
from packhound.evaluation import Task, base_of
from packhound.files import read_bytes
from packhound.git import PatchedFile, apply_patch, line_edits
from packhound.runs import CopyLimits, Folder, Limits, Table
from packhound.text import is_test

FIXES = Path(__file__).with_name("fixes.json")
RESULTS = Path(__file__).parent / "results" / "fixes.json"
_MAX_BYTES = 30_000_000
_WITHOUT_TYPES = ("sympy",)
"""Projects of which mypy reads nothing but what its command line names."""


class Fix(msgspec.Struct, frozen=True):
    """A commit that fixes `path`; `wrong` are pieces of that file, each with one in its place."""

    repository: str
    commit: str
    path: str
    wrong: tuple[tuple[str, str], ...]


def main() -> None:
    """Check all patches and print what was decided; keep the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--path", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    fixes = msgspec.json.decode(FIXES.read_bytes(), type=list[Fix])
    table = msgspec.structs.replace(runs.read_table(), path=(str(options.path.absolute()),))
    rows = dict[str, dict[str, str]]()
    kept = load(RESULTS).get("decisions", {}) if options.only else {}
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["PACKHOUND_CACHE_DIR"] = temporary
        for fix in fixes:
            name = f"{fix.repository} {fix.commit[:10]}"
            if name in kept and options.only not in name:
                rows[name] = kept[name]
            elif options.only in name:
                rows[name] = dict(_decided(fix, options.repositories.absolute(), table))
                print(name, json.dumps(rows[name], indent=1), flush=True)
    right = sum(row["right"] == "accept" for row in rows.values())
    wrong = [said for row in rows.values() for kind, said in row.items() if kind != "right"]
    stopped = sum(said != "accept" for said in wrong)
    figures = {
        "right_patches": len(rows),
        "right_accepted": right,
        "wrong_patches": len(wrong),
        "wrong_stopped": stopped,
        "decisions": rows,
    }
    print(f"{right} of {len(rows)} right ones accepted, {stopped} of {len(wrong)} wrong stopped")
    if options.save:
        save(RESULTS, figures)


def _decided(fix: Fix, repositories: Path, table: Table) -> Iterator[tuple[str, str]]:
    """Yield each patch of a fix, and what is decided on it."""
    clone = repositories / fix.repository
    table = table.only(["pytest"] if fix.repository in _WITHOUT_TYPES else ["mypy", "pytest"])
    command = ["git", "diff", "--no-ext-diff", "--no-textconv", f"{fix.commit}^", fix.commit]
    diff = subprocess.run(command, cwd=clone, check=True, capture_output=True).stdout
    task = Task(name=fix.commit, folder=clone, statement="-", fails=("-",), base=f"{fix.commit}^")
    with base_of(task) as folder, tempfile.TemporaryDirectory() as kept:

        def read(path: str) -> bytes | None:
            try:
                file = read_bytes(folder, path, _MAX_BYTES)
            except FileNotFoundError:
                return None
            return file[0] if file else None

        right = apply_patch(diff, read)
        yield "right", _decide(folder, Path(kept), right, table)
        for number, (piece, other) in enumerate(fix.wrong, 1):
            patch = {**right, fix.path: _with(right[fix.path], piece, other)}
            yield f"wrong {number}", _decide(folder, Path(kept), patch, table)


def _with(file: PatchedFile, piece: str, other: str) -> PatchedFile:
    """Return a patched file with another piece of text; it parses."""
    text = (file.after or b"").decode()
    assert text.count(piece) == 1, f"{file.path} has {text.count(piece)} times: {piece}"
    text = text.replace(piece, other)
    ast.parse(text)
    sides = ((file.before or b"").splitlines(True), text.encode().splitlines(True))
    return replace(file, after=text.encode(), edits=tuple(line_edits(*sides)))


def _decide(folder: Path, kept: Path, patch: Mapping[str, PatchedFile], table: Table) -> str:
    """Return the choice of the gates, and why it is not to accept."""
    tests = [path for path in patch if is_test(path)]
    subject = Folder(folder, kept, {}, patch, tests, reached_only=True)
    check = runs.finish(runs.check(runs.Job(subject, table, CopyLimits(), Limits())))
    new = check.compared.new
    worse = {each.test for each in new if each.test} | {*check.lost}
    lines = sum(file.n_added + file.n_removed for file in patch.values())
    facts = runs.Facts(paths=tuple(patch), lines=lines)
    errors = sum(each.severity == "error" and not each.test for each in new)
    facts = msgspec.structs.replace(
        facts, verdict=check.verdict, new_errors=errors, worse_tests=len(worse)
    )
    decision = runs.decide(facts, runs.Gates(), 1)
    if decision.choice == "accept":
        return decision.choice
    why = "; ".join(check.notes[-1:]) if check.verdict != "failed" else ""
    return f"{decision.choice}: {decision.reason} {why}".strip()


if __name__ == "__main__":
    main()
