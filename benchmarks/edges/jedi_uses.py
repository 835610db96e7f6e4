"""Write where jedi leads each use of a name: python jedi_uses.py FOLDER USES.json. Needs jedi.

Jedi leads to the last assignment of an attribute, also where its class defines a property of the
name, which that only calls. So an assignment to a property, by the class around it or one of its
bases, is a use of it, and what leads there leads to all functions of the property.
"""

import ast
import json
import sys
from itertools import accumulate
from pathlib import Path

import jedi

Place = tuple[str, int]
Assigned = tuple[str, int, str]
"""A path, a line and a name."""


def main() -> None:
    """Write the uses of all files below the folder, as `typescript_uses.js` does."""
    root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    project = jedi.Project(root / "src" if (root / "src").is_dir() else root)
    properties, assigned = _properties(root)
    uses = [
        {"path": path, "offset": offset, "call": False, "targets": properties[place]}
        for place, (path, offset) in assigned.items()
    ]
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
            led = [_place(root, each) for each in found if each.line or each.module_path]
            places = [
                function
                for place in led
                for function in properties.get((*place, name.name), [place])
            ]
            column = len(lines[name.line - 1][: name.column].encode())
            if places:
                use = {"path": relative, "offset": starts[name.line - 1] + column}
                is_call = (name.line, column + len(name.name.encode())) in calls
                uses.append(use | {"call": is_call, "targets": places})
    out.write_text(json.dumps(uses))
    print(f"{len(uses)} uses")


def _properties(
    root: Path,
) -> tuple[dict[Assigned, list[Place]], dict[Assigned, tuple[str, int]]]:
    """Return the functions of properties by each place that jedi takes for one, and assignments.

    Such a place is that of one of the functions, or an assignment, whose path and offset follow.
    """
    classes: dict[str, list[tuple[str, ast.ClassDef]]] = {}
    texts = {}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        texts[relative] = path.read_text("utf-8")
        for node in ast.walk(ast.parse(texts[relative])):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append((relative, node))
    properties: dict[Assigned, list[Place]] = {}
    assigned = {}
    for path, node in (each for named in classes.values() for each in named):
        own = _own_properties(node)
        for name, lines in own.items():
            functions = [(path, line) for line in lines]
            properties |= {(path, line, name): functions for line in lines}
        above, seen = [(path, node)], dict[str, list[Place]]()
        for holder, each in above:
            for name, lines in _own_properties(each).items():
                seen.setdefault(name, [(holder, line) for line in lines])
            bases = (ast.unparse(base).rpartition(".")[2] for base in each.bases)
            above += [c for base in bases for c in classes.get(base, ()) if c not in above]
        starts = [0, *accumulate(len(line.encode()) for line in texts[path].splitlines(True))]
        for target in ast.walk(node):
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.ctx, ast.Store)
                and isinstance(target.value, ast.Name)
                and target.value.id == "self"
                and target.attr in seen
            ):
                place = path, target.end_lineno or 0, target.attr
                properties[place] = seen[target.attr]
                end = starts[(target.end_lineno or 1) - 1] + (target.end_col_offset or 0)
                assigned[place] = path, end - len(target.attr.encode())
    return properties, assigned


def _own_properties(node: ast.ClassDef) -> dict[str, list[int]]:
    """Return the lines of the functions of each property of a class."""
    lines: dict[str, list[int]] = {}
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            marks = [ast.unparse(mark) for mark in each.decorator_list]
            if any(m.endswith("property") or m.startswith(f"{each.name}.") for m in marks):
                lines.setdefault(each.name, []).append(each.lineno)
    return lines


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
