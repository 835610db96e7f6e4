"""Compare sampled uses with where jedi goes: python jedi_check.py REPOSITORY EDGES.json."""

import json
import sys
from collections import Counter
from pathlib import Path

import jedi


def main() -> None:
    """Print how many edges are right, wrong and undecided, by grade."""
    root, edges = Path(sys.argv[1]).resolve(), json.loads(Path(sys.argv[2]).read_text())
    project = jedi.Project(root, added_sys_path=[str(root), str(root / "src")])
    counts: Counter[tuple[str, str]] = Counter()
    for edge in edges:
        script = jedi.Script(path=root / edge["path"], project=project)
        line, column = edge["line"], edge["column"]
        try:
            names = script.goto(line, column, follow_imports=True) + script.infer(line, column)
        except Exception as problem:
            print(f"{edge['path']}:{line}: {problem}", file=sys.stderr)
            names = []
        is_right = any(
            name.module_path == root / edge["target"] and edge["start"] <= name.line <= edge["end"]
            for name in names
            if name.module_path and name.line
        )
        verdict = "undecided" if not names else "right" if is_right else "wrong"
        counts[edge["grade"], verdict] += 1
    print(dict(counts))


if __name__ == "__main__":
    main()
