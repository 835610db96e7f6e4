"""Compare the call graph with a judge of its language: precision and recall, by grade.

    python -m benchmarks.edges.compare REPOSITORY USES.json [--show N] [--save FILE]

USES.json is what a judge wrote. An edge goes from a node outside of tests to a definition that is a
node. It is right if the judge leads one of the uses of the name in that node to this definition, or
to one that this definition overrides if the edge is not resolved; where the judge leads nowhere it
is not judged. Recall is of calls between two nodes. `--save` writes the figures to the results
under the name of the repository's folder.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from benchmarks.edges.sample import read_files
from packhound.core.types import Node
from packhound.graph import CallGraph, Grade, Graph
from packhound.index import FileEntry
from packhound.text import is_test

JudgedUse: TypeAlias = Mapping[str, Any]
"""`path`, `offset` in bytes, `call`, and places: `targets`, the ones `chosen` of several overloads,
`implementations`. A place is a path ("" outside of the repository) and a 1-based line. Or `path`
with ranges of lines that are `inactive`: no edge into one is judged."""
_NAME = re.compile(rb"#?[\w$\x80-\xff]+")


class Place(NamedTuple):
    """A node, by its file and its position there."""

    path: str
    position: int


class Edge(NamedTuple):
    """A use of a definition in a node."""

    user: Place
    target: Place


class Nodes:
    """The nodes of a repository, by offset and by line."""

    def __init__(self, files: dict[str, FileEntry]) -> None:
        self._files = files
        self._of_path = {
            path: [file.node(i) for i in range(len(file.node_ids))] for path, file in files.items()
        }
        self._ranges = {
            path: sorted((*own, i) for i, node in enumerate(nodes) for own in node.own_ranges)
            for path, nodes in self._of_path.items()
        }

    def of(self, place: Place) -> Node:
        """Return the node of a place."""
        return self._of_path[place.path][place.position]

    def at(self, path: str, offset: int) -> Place | None:
        """Return the node whose own text has an offset."""
        ranges = self._ranges.get(path, [])
        i = bisect_right(ranges, (offset, 1 << 60, 0)) - 1
        return Place(path, ranges[i][2]) if i >= 0 and offset < ranges[i][1] else None

    def defined(self, places: Iterable[tuple[str, int]], name: str) -> set[Place]:
        """Return the innermost nodes of a name around 1-based lines."""
        found = set()
        for path, line in places:
            around = [
                (node.span.end_line - node.span.start_line, i)
                for i, node in enumerate(self._of_path.get(path, ()))
                if node.name == name and node.span.start_line < line <= node.span.end_line + 1
            ]
            if around:
                found.add(Place(path, min(around)[1]))
        return found


class Comparison:
    """The edges of a repository, and what its judge says."""

    def __init__(self, root: Path, uses: list[JudgedUse]) -> None:
        files, self._texts = read_files(root)
        graph = Graph()
        graph.update(files)
        self._nodes = Nodes(files)
        self._judged: dict[tuple[Place, str], list[JudgedUse]] = defaultdict(list)
        self._inactive = {each["path"]: each["inactive"] for each in uses if "inactive" in each}
        for use in uses:
            if "inactive" in use:
                continue
            user = self._nodes.at(use["path"], use["offset"])
            name = _NAME.match(self._texts.get(use["path"], b""), use["offset"])
            if user is not None and name is not None and not is_test(use["path"]):
                self._judged[user, name[0].decode()].append(use)
        calls = CallGraph(graph, self._texts.get)
        self._grades: dict[Edge, Grade] = {}
        for path in sorted({user.path for user, _ in self._judged}):
            for position, node_id in enumerate(files[path].node_ids.tolist()):
                for each in calls.uses(node_id):
                    target = graph.location(each.node_id)
                    if target is not None:
                        self._grades[Edge(Place(path, position), Place(*target))] = each.grade

    def precision(self) -> tuple[dict[str, dict[str, float]], list[str]]:
        """Return the share of right edges by grade, and the wrong ones among the resolved."""
        verdicts: Counter[tuple[Grade, str]] = Counter()
        wrong = []
        for edge, grade in self._grades.items():
            name = self._nodes.of(edge.target).name
            uses = self._judged.get((edge.user, name), [])
            ways = ["targets"] if grade == Grade.RESOLVED else ["targets", "implementations"]
            led = [place for use in uses for way in ways for place in (use.get(way) or ())]
            is_right = edge.target in self._nodes.defined(led, name)
            is_judged = led and not self._is_inactive(edge.target)
            verdict = "right" if is_right else "wrong" if is_judged else "not judged"
            verdicts[grade, verdict] += 1
            if verdict == "wrong" and grade == Grade.RESOLVED:
                wrong.append(f"{self._described(edge, uses)}, not {led[0]}")
        figures = {}
        for grade in Grade:
            right, n_wrong = verdicts[grade, "right"], verdicts[grade, "wrong"]
            share = round(right / max(1, right + n_wrong), 3)
            skipped = verdicts[grade, "not judged"]
            figures[str(grade)] = {"edges": right + n_wrong, "right": share, "not judged": skipped}
        return figures, wrong

    def recall(self, way: str) -> tuple[dict[str, float], list[str]]:
        """Return the share of calls that are found, by grade, and those not found as resolved."""
        grades: Counter[Grade | None] = Counter()
        missing = []
        for (user, name), uses in self._judged.items():
            called = [use for use in uses if use["call"]]
            led = [
                place
                for use in called
                for place in (way == "targets" and use.get("chosen")) or (use.get(way) or ())
            ]
            for target in self._nodes.defined(led, name) - {user}:
                edge = Edge(user, target)
                grades[self._grades.get(edge)] += 1
                if self._grades.get(edge) != Grade.RESOLVED:
                    missing.append(f"{self._described(edge, called)}: {self._grades.get(edge)}")
        n = sum(grades.values())
        shares = {str(grade): round(grades[grade] / max(1, n), 3) for grade in Grade}
        return {"calls": n} | shares, missing

    def _is_inactive(self, place: Place) -> bool:
        line = self._nodes.of(place).span.end_line + 1
        return any(low <= line <= high for low, high in self._inactive.get(place.path, ()))

    def _described(self, edge: Edge, uses: list[JudgedUse]) -> str:
        text, offset = self._texts[edge.user.path], uses[0]["offset"]
        line = text[text.rfind(b"\n", 0, offset) + 1 :].split(b"\n")[0]
        n = text.count(b"\n", 0, offset) + 1
        target = self._nodes.of(edge.target)
        return (
            f"{edge.user.path}:{n} [{line.strip().decode()[:100]}] leads to "
            f"{edge.target.path}:{target.span.start_line + 1} {target.qualname}"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repository", type=Path)
    parser.add_argument("uses", type=Path)
    parser.add_argument("--show", type=int, default=0, help="wrong and missing edges to print")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    comparison = Comparison(options.repository, json.loads(options.uses.read_bytes()))
    precision, wrong = comparison.precision()
    recall, missing = comparison.recall("targets")
    implementations, _ = comparison.recall("implementations")
    figures = {"precision": precision, "recall": recall, "of implementations": implementations}
    print(json.dumps(figures, indent=1))
    for title, edges in (("wrong", wrong), ("missing", missing)):
        random.Random(1).shuffle(edges)
        print("".join(f"{title}: {edge}\n" for edge in edges[: options.show]), end="")
    if options.save:
        results = json.loads(options.save.read_bytes()) if options.save.exists() else {}
        results[options.repository.resolve().name] = figures
        options.save.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
