"""Verdicts on patches: alarms on real commits, and breaks found that were put in on purpose.

    python -m benchmarks.verdicts REPOSITORY ... [--commits 75] [--seeds 20] [--save]

The patch of each of the last commits that change Python or TypeScript is a proposal on its parent:
these commits were reviewed and released, so that an alarm is most likely a false one; all are
printed and kept, to be judged by a compiler or by reading. Then breaks are put into the last commit
of Python and TypeScript, of each kind as many as asked for if there are places: a misspelt import
of a name of the folder, a deleted module that another imports, a renamed function and one more
parameter. The last two are of functions that have a use which the graph resolves. A repository that
the stored result has, of the same code, is not walked again.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.overlays import git
from benchmarks.stored import load, load_current, save
from packhound.core.errors import SettingsError
from packhound.core.settings_reader import read_settings
from packhound.core.types import NodeRef
from packhound.graph import CallGraph, Grade
from packhound.impact import Break
from packhound.service import Engine
from packhound.service.verdict import Verdict, verdict_of

RESULTS = Path(__file__).parent / "results" / "verdicts.json"
_SUFFIXES = (".py", ".ts", ".tsx")
_HEAD = r"(\b(?:def|function)\s+%s(?:<[^<>]*>)?\((?:self, |cls, )?)(?!\))"
_SETTLED_S = 300.0


class Seed(NamedTuple):
    """A break: the text that a file gets, None for none."""

    kind: str
    path: str
    text: str | None


def main() -> None:
    """Walk, seed and print; keep the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, nargs="+", metavar="REPOSITORY")
    parser.add_argument("--commits", type=int, default=75)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    rows = load_current(RESULTS).get("repositories", {}) if options.save else {}
    for repository in options.repositories:
        if repository.name in rows:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            for name in ("CACHE", "DATA", "STATE"):
                os.environ[f"PACKHOUND_{name}_DIR"] = str(Path(temporary, name))
            tree = Path(temporary, "tree")
            git(Path(temporary), "clone", "-q", "--shared", str(repository.absolute()), str(tree))
            rows[repository.name] = _measured(tree, options.commits, options.seeds)
        print(repository.name, json.dumps(rows[repository.name], indent=1), flush=True)
        if options.save:
            save(RESULTS, {**load(RESULTS), "repositories": rows})  # What was judged stays.


def _measured(tree: Path, n_commits: int, n_seeds: int) -> dict[str, object]:
    found, put = Counter[str](), Counter[str]()
    settings = read_settings({"ranking.activity": False, "search.deep": "off"})[0]
    engine = Engine.open(tree, settings)
    try:
        assert engine.settled(_SETTLED_S)
        for seed in _seeds(engine, tree):
            if put[seed.kind] < n_seeds and (verdict := _verdict(engine, _diff(tree, seed))):
                put[seed.kind] += 1
                found[seed.kind] += bool(_breaks(verdict))
        n_judged, alarms = 0, list[str]()
        of_code = [f"*{suffix}" for suffix in _SUFFIXES]
        log = git(tree, "rev-list", "--no-merges", "-n", str(n_commits), "HEAD", "--", *of_code)
        for commit in log.decode().split():
            git(tree, "checkout", "-q", "--force", f"{commit}~1")
            engine.refresh()
            assert engine.settled(_SETTLED_S)
            if verdict := _verdict(engine, git(tree, "diff", "-M", f"{commit}~1", commit)):
                n_judged += 1
                alarms += [
                    f"{commit[:10]} {each.node.path}:{each.line + 1} {each.name}"
                    for each in _breaks(verdict)
                ]
    finally:
        engine.close()
    seeded = {kind: {"put_in": put[kind], "found": found[kind]} for kind in sorted(put)}
    return {"commits": n_judged, "alarms": alarms, "seeded": seeded}


def _verdict(engine: Engine, patch: bytes) -> Verdict | None:
    try:
        return verdict_of(engine, engine.proposals.open(patch), patch, 1)
    except SettingsError:  # It has a binary file, or applies to none.
        return None


def _breaks(verdict: Verdict) -> list[Break]:
    breaks = verdict.changes.breaks
    return [*breaks.unresolved, *breaks.calls, *breaks.lacking, *breaks.imports]


def _diff(tree: Path, seed: Seed) -> bytes:
    old = (tree / seed.path).read_text("utf-8").splitlines(keepends=True)
    new = (seed.text or "").splitlines(keepends=True)
    target = "/dev/null" if seed.text is None else f"b/{seed.path}"
    return "".join(difflib.unified_diff(old, new, f"a/{seed.path}", target)).encode()


def _seeds(engine: Engine, tree: Path) -> Iterator[Seed]:
    """Yield breaks, in an order of no meaning that is the same each time."""
    snapshot, graph = engine.snapshot, engine.packs.service().call_graph(engine.snapshot)
    paths = sorted(path for path in snapshot.files if path.endswith(_SUFFIXES))
    nodes = [
        snapshot.ref(node_id, "") for p in paths for node_id in snapshot.files[p].node_ids.tolist()
    ]
    imports = [(path, *each) for path in paths for each in graph.imports(path)]
    order = random.Random(1)
    order.shuffle(nodes)
    order.shuffle(imports)
    packages = {path.split("/")[-2] for path in paths if path.endswith("/__init__.py")}
    for path, line, module, name in imports:
        is_own = module.startswith(".") or module.partition(".")[0] in packages
        if is_own and name not in ("", "*"):
            yield from _replaced(tree, "misspelt import", path, line, name)
        stem = (tree / path).parent / module.lstrip("./")
        for suffix in _SUFFIXES if re.match(r"\.(?:/|\w)", module) else ():
            gone = stem.with_name(f"{stem.name}{suffix}")
            if gone.is_file():
                yield Seed("deleted module", gone.relative_to(tree).as_posix(), None)
    for node in nodes:
        yield from _of_definition(graph, tree, node)


def _of_definition(graph: CallGraph, tree: Path, node: NodeRef) -> Iterator[Seed]:
    users = (use for use in graph.users(node.node_id) if use.grade == Grade.RESOLVED)
    if node.kind not in ("function", "method") or not any(users):
        return
    line = node.span.start_line
    yield from _replaced(tree, "renamed function", node.path, line, node.name)
    text = (tree / node.path).read_text("utf-8").splitlines(keepends=True)
    head = re.search(_HEAD % re.escape(node.name), text[line])
    if head:
        text[line] = text[line].replace(head[1], f"{head[1]}zq, ", 1)
        yield Seed("one more parameter", node.path, "".join(text))


def _replaced(tree: Path, kind: str, path: str, line: int, name: str) -> Iterator[Seed]:
    text = (tree / path).read_text("utf-8").splitlines(keepends=True)
    word = re.compile(rf"\b{re.escape(name)}\b")
    if line < len(text) and word.search(text[line]):
        text[line] = word.sub(f"{name}Zq", text[line], count=1)
        yield Seed(kind, path, "".join(text))


if __name__ == "__main__":
    main()
