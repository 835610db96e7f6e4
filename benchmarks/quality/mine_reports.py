"""Mine what stands in for bug reports: long commit messages, and the functions that they changed.

    python -m benchmarks.quality.mine_reports --sources train.json --never never_train.txt --out DIR

`--sources` lists repositories with `repo`, `language` and `gitdir` (a git directory with history).
For each Python one, up to three trees from before some hundred commits are written to
`DIR/trees` without their tests, and to `DIR/mined.jsonl`, in the format of bug reports, the commits
after each that touch one or two files and one to four functions that the tree has. No tree has seen
the fix that is asked for. Repositories of `--never` are left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Thread

ERAS = ((500, 500), (1_100, 500), (2_000, 500))
"""How many commits before the newest a tree stands, and how many after it are read."""
MOST_OF_A_TREE = 25
FEWEST_OF_A_TREE = 4
MOST_BYTES = 1_000_000

_TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)test_[^/]*$|_test\.py$|(^|/)conftest\.py$")
_ASIDE = re.compile(r"(^|/)tests?\.py$|(^|/)setup\.py$|(^|/)docs?/|(^|/)examples?/")
_BINARY = (".png", ".po", ".jpg", ".gz", ".svg", ".npz", ".csv", ".dat")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+")
_TRAILER = re.compile(
    r"\s*(signed-off-by|co-authored-by|change-id|reviewed-by|on-behalf-of|suggested-by|pull-request"
    r"|closes|fixes|references|refs|resolves)\b[: ]\s*[#<\w:/.@ -]{0,120}$",
    re.IGNORECASE,
)
_CHORE = re.compile(r"bump|release|merge|revert|update|typo|version|docs?\b|chore|ci\b|test", re.I)

Lines = list[tuple[int, int]]
Row = dict[str, object]
Miner = Callable[[str, str, Path], Iterable[Row]]
"""From the name of a repository, its git directory and a folder for trees to cases."""


def main() -> None:
    run(__doc__, mine, "mined.jsonl", only="python")


def run(description: str, mine: Miner, file: str, only: str = "") -> None:
    """Mine the sources that the command line names, of `only` one language, into one file."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--never", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    never = {line.strip().lower() for line in options.never.read_text("utf-8").splitlines()}
    rows: list[Row] = []
    for source in json.loads(options.sources.read_text("utf-8")):
        if only in ("", source["language"]) and source["repo"].lower() not in never:
            rows += mine(source["repo"], source["gitdir"], options.out / "trees")
            print(source["repo"], len(rows), file=sys.stderr)
    (options.out / file).write_text("".join(f"{json.dumps(r)}\n" for r in rows), "utf-8")


def mine(repository: str, git_dir: str, trees: Path) -> Iterator[Row]:
    """The cases of one repository; their trees are written to `trees`."""
    for era, (back, span) in enumerate(ERAS):
        old, new = (_revision(git_dir, skip) for skip in (back, back - span))
        cases = list(_cases(git_dir, old, new)) if old and new else []
        if len(cases) < FEWEST_OF_A_TREE:
            continue
        name = f"{repository.replace('/', '__')}-{era}"
        export(git_dir, old, trees / name)
        for text, gold in cases:
            yield {"instance_id": name, "repo": repository, "problem_statement": text, "gold": gold}


def _cases(git_dir: str, old: str, new: str) -> Iterator[tuple[str, list[dict[str, object]]]]:
    log = _git(git_dir, "log", "--no-merges", "--format=%x01%H%x02%B%x03", f"{old}..{new}")
    n_cases = 0
    for entry in log.split("\x01")[1:]:
        commit, _, message = entry.partition("\x02")
        text = _cleaned(message.partition("\x03")[0])
        # A list of many items is the log of a squashed branch.
        lists = text.count("\n* ") + text.count("\n- ")
        if not 40 <= len(text.split()) <= 900 or lists > 6 or _CHORE.match(text):
            continue
        gold = _gold(git_dir, commit, old)
        if gold:
            yield text, gold
            n_cases += 1
            if n_cases == MOST_OF_A_TREE:
                return


def _cleaned(message: str) -> str:
    lines = [line for line in message.splitlines() if not _TRAILER.match(line)]
    return re.sub(r"\s*\(#\d+\)", "", "\n".join(lines).strip())


def _gold(git_dir: str, commit: str, tree: str) -> list[dict[str, object]]:
    """The files and functions that a commit changed, empty where it is not a small fix."""
    changed = _changed_lines(_git(git_dir, "show", "-U0", "--format=", "--no-renames", commit))
    if not 1 <= len(changed) <= 2 or sum(map(len, changed.values())) > 14:
        return []
    gold: list[dict[str, object]] = []
    total = 0
    for path, lines in changed.items():
        before = functions(_git(git_dir, "show", f"{commit}^:{path}"), lines)
        there = functions(_git(git_dir, "show", f"{tree}:{path}"), [(1, 10**7)])
        both = sorted(before & there)
        if not both:
            return []
        total += len(both)
        gold.append({"file": path, "changes": {"edited_entities": [f"{path}:{f}" for f in both]}})
    return gold if total <= 4 else []


def _changed_lines(diff: str) -> dict[str, Lines]:
    """Lines of the old side that hunks change, by path, tests left out."""
    changed: dict[str, Lines] = {}
    path = None
    for line in diff.splitlines():
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") and line.endswith(".py") else None
        elif (
            path and (hunk := _HUNK.match(line)) and not (_TEST.search(path) or _ASIDE.search(path))
        ):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            changed.setdefault(path, []).append((start, start + max(count, 2) - 1))
    return changed


def functions(source: str, lines: Lines) -> set[str]:
    """Qualified names of the outermost functions of Python source that have any of the lines."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    return {
        name for start, end, name in _spans(tree, "") for a, b in lines if a <= end and b >= start
    }


def _spans(tree: ast.AST, owner: str) -> Iterator[tuple[int, int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield start, node.end_lineno or node.lineno, owner + node.name
        elif not isinstance(node, ast.expr):
            yield from _spans(
                node, f"{owner}{node.name}." if isinstance(node, ast.ClassDef) else owner
            )


def export(git_dir: str, revision: str, folder: Path) -> None:
    """Write the text of a revision without its tests; blobs that are not there are left out."""
    items = []
    for entry in _git(git_dir, "ls-tree", "-r", "-l", "-z", revision).split("\0"):
        fields, _, path = entry.partition("\t")
        mode, _, blob, size = fields.split() if path else ("", "", "", "")
        regular = mode in ("100644", "100755") and size.isdigit() and int(size) <= MOST_BYTES
        if regular and not _TEST.search(path) and not path.endswith(_BINARY):
            items.append((blob, path))
    command = ["git", "--git-dir", git_dir, "cat-file", "--batch"]
    quiet = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=quiet
    ) as reader:
        request = "".join(f"{blob}\n" for blob, _ in items).encode()
        writer = Thread(target=lambda: (reader.stdin.write(request), reader.stdin.close()))
        writer.start()
        for _, path in items:
            header = reader.stdout.readline().split()
            if len(header) == 3:
                content = reader.stdout.read(int(header[2]) + 1)[:-1]
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
        writer.join()


def _revision(git_dir: str, skip: int) -> str:
    revision = _git(git_dir, "rev-list", "--first-parent", "-n", "1", f"--skip={skip}", "HEAD")
    return revision.strip()


def _git(git_dir: str, *arguments: str) -> str:
    run = subprocess.run(
        ["git", "--git-dir", git_dir, *arguments], capture_output=True, check=False
    )
    return run.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
