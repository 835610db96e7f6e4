"""Write where jedi leads each use of a name: python jedi_uses.py FOLDER USES.json. Needs jedi."""

import ast
import json
import sys
from itertools import accumulate
from pathlib import Path

import jedi


def main() -> None:
    """Write the uses of all files below the folder, as `typescript_uses.js` does."""
    root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    project = jedi.Project(root / "src" if (root / "src").is_dir() else root)
    uses = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        source = path.read_text("utf-8")
        lines = source.splitlines(keepends=True)
        starts = [0, *accumulate(len(line.encode()) for line in lines)]
        script = jedi.Script(source, path=path, project=project)
        calls = {_name_of(n.func) for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)}
        for name in script.get_names(all_scopes=True, definitions=False, references=True):
            try:
                found = script.goto(name.line, name.column, follow_imports=True)
            except Exception as problem:
                print(f"{relative}:{name.line}: {problem}", file=sys.stderr)
                continue
            places = [_place(root, each) for each in found if each.line or each.module_path]
            column = len(lines[name.line - 1][: name.column].encode())
            if places:
                use = {"path": relative, "offset": starts[name.line - 1] + column}
                is_call = (name.line, column + len(name.name.encode())) in calls
                uses.append(use | {"call": is_call, "targets": places})
    out.write_text(json.dumps(uses))
    print(f"{len(uses)} uses")


def _name_of(function: ast.expr) -> tuple[int | None, int | None]:
    """Return the line, and the column in bytes, where the name of a called function ends."""
    return function.end_lineno, function.end_col_offset


def _place(root: Path, name: jedi.api.classes.Name) -> tuple[str, int]:
    path = name.module_path
    if path is None or not path.is_relative_to(root):
        return "", 0
    return path.relative_to(root).as_posix(), name.line or 0


if __name__ == "__main__":
    main()
