"""Figures of the code itself: sizes, names, docstrings, caches, packages and their imports.

    python -m benchmarks.code_figures [--package DIR] [--list NAME]

Prints one line a figure; `--list` prints where one of them comes from: filler, openings, long,
files or caches. Only the standard library is needed, so any revision can be measured with it.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "server" / "packhound"
TESTS = Path(__file__).parents[1] / "tests"

FILLER = frozenset(
    """
    found known told kept said here there at own one ones other others wanted place places shown
    given left asked made some whole much many most least whoever beside behind away anew made
    looking looked met gone fresh bearing bearers seldom lesser around
    """.split()  # noqa: SIM905
)
"""Local names that say nothing of what they hold. `at` counts where it is a name on its own."""

QUESTION_OPENINGS = ("What ", "Whether ", "How ", "Which ", "Where ", "Who ", "Why ")
IMPERATIVES = frozenset(
    """
    add answer append apply ask assert build call cancel check choose clear close collect compare
    compile compute concatenate connect convert copy count create cut decode delete describe discard
    draw drop embed encode end evaluate expand explain extract fetch fill filter find fit flush
    follow forget format fuse gather get give handle hash hold index insert install iterate join
    keep list load locate look make map mark match measure merge move note open order pack parse
    pick prepare print put quantize raise rank read rebuild receive record redact refresh register
    release remember remove render replace report rescan rescore resolve restore retrieve return
    rewrite run save say scale scan score search select send serve set share show sort split start
    stop store sum take tell tokenize trim truncate try turn update use wait walk watch write yield
    """.split()  # noqa: SIM905
)
FRONT_ENDS = {"api", "lsp", "mcp", "cli", "render", "tools", "ipc"}
CACHE_DECORATORS = {"lru_cache", "cache", "cached_property"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Module = tuple[Path, ast.Module]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=PACKAGE)
    parser.add_argument("--tests", type=Path, default=TESTS)
    parser.add_argument(
        "--list", choices=["filler", "openings", "long", "files", "caches", "private"]
    )
    options = parser.parse_args()
    modules = parsed(options.package)
    if options.list:
        print(
            *sorted(
                LISTS[options.list](parsed(options.tests) if options.list == "private" else modules)
            ),
            sep="\n",
        )
        return
    for name, value in figures(options.package, modules, parsed(options.tests)).items():
        print(f"{name:42} {value}")


def parsed(root: Path) -> list[Module]:
    """The Python files below a folder with their syntax trees."""
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted(root.rglob("*.py"))]


def figures(package: Path, modules: list[Module], tests: list[Module]) -> dict[str, str]:
    """Every figure by its name."""
    functions = [node for _, tree in modules for node in functions_of(tree)]
    documented = [doc for _, tree in modules for doc in docstrings(tree)]
    names = [name for _, tree in modules for name, _ in local_names(tree)]
    questions = sum(doc.startswith(QUESTION_OPENINGS) for doc in documented)
    edges = imports(package, modules)
    imperatives = sum(doc.split()[0].lower() in IMPERATIVES for doc in documented)
    kinds = [line.split(": ")[1].split()[0] for line in caches(modules)]
    n_caches = {
        group: sum(kind in group for kind in kinds)
        for group in (("__missing__", "WeakKeyDictionary"), ("lru_cache", "cache"))
    }
    n_hidden = len([*hidden_caches(modules)])
    return {
        "files at the top": str(sum(path.parent == package for path, _ in modules)),
        "modules": str(len(modules)),
        "packages": str(len({p.parent for p, _ in modules if p.parent.parent == package})),
        "edges between packages and top modules": str(len(edges)),
        "files over 300 lines": str(len([*long_files(modules)])),
        "functions": str(len(functions)),
        "functions over 40 lines": str(len([*long_functions(modules)])),
        "filler names": percent(sum(name in FILLER for name in names), len(names)),
        "docstrings that open with a question word": percent(questions, len(documented)),
        "docstrings that open with an imperative": percent(imperatives, len(documented)),
        "functions of front ends that build requests": str(len([*request_builders(modules)])),
        "self-filling dicts and weak-keyed tables": str(
            n_caches["__missing__", "WeakKeyDictionary"]
        ),
        "lru_cache and cache": str(n_caches["lru_cache", "cache"]),
        "mutable caches in frozen classes": str(n_hidden),
        "private reaches in tests": str(len([*private_reaches(tests)])),
    }


def percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} % ({part} of {whole})"


def functions_of(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def docstrings(tree: ast.Module) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return (
        doc
        for node in ast.walk(tree)
        if isinstance(node, kinds) and (doc := ast.get_docstring(node))
    )


def local_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every binding of a name, arguments included, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def long_files(modules: list[Module], limit: int = 300) -> Iterator[str]:
    for path, _ in modules:
        if (n_lines := len(path.read_text("utf-8").splitlines())) > limit:
            yield f"{path}: {n_lines}"


def long_functions(modules: list[Module], limit: int = 40) -> Iterator[str]:
    for path, tree in modules:
        for node in functions_of(tree):
            if (node.end_lineno or 0) - node.lineno + 1 > limit:
                yield f"{path}:{node.lineno}: {node.name}"


def filler(modules: list[Module]) -> Iterator[str]:
    for path, tree in modules:
        yield from (f"{path}:{line}: {name}" for name, line in local_names(tree) if name in FILLER)


def question_openings(modules: list[Module]) -> Iterator[str]:
    for path, tree in modules:
        for doc in docstrings(tree):
            if doc.startswith(QUESTION_OPENINGS):
                yield f"{path}: {doc.splitlines()[0]}"


def caches(modules: list[Module]) -> Iterator[str]:
    """Cache decorators, dicts that fill themselves, and weak-keyed tables."""
    for path, tree in modules:
        for node in ast.walk(tree):
            if isinstance(node, Function):
                if node.name == "__missing__":
                    yield f"{path}:{node.lineno}: __missing__"
                for decorator in node.decorator_list:
                    head = decorator.func if isinstance(decorator, ast.Call) else decorator
                    name = getattr(head, "id", getattr(head, "attr", ""))
                    if name in CACHE_DECORATORS:
                        yield f"{path}:{node.lineno}: {name} {node.name}"
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "WeakKeyDictionary":
                yield f"{path}:{node.lineno}: WeakKeyDictionary"


def hidden_caches(modules: list[Module]) -> Iterator[str]:
    """Fields of frozen dataclasses that are private and mutable."""
    for path, tree in modules:
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            if not any("frozen=True" in ast.unparse(d) for d in node.decorator_list):
                continue
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and "default_factory" in ast.unparse(field):
                    name = ast.unparse(field.target)
                    if name.startswith("_"):
                        yield f"{path}:{field.lineno}: {node.name}.{name}"


def request_builders(modules: list[Module]) -> Iterator[str]:
    """Functions of front ends that call `Query` or `PackRequest` with a client's values."""
    for path, tree in modules:
        if not FRONT_ENDS.intersection(part.removesuffix(".py") for part in path.parts):
            continue
        for node in functions_of(tree):
            calls = (call for call in ast.walk(node) if isinstance(call, ast.Call))
            if any(
                getattr(call.func, "id", "") in {"Query", "PackRequest"} and call.keywords
                for call in calls
            ):
                yield f"{path}:{node.lineno}: {node.name}"


def private_reaches(tests: list[Module]) -> Iterator[str]:
    """Attributes of other objects that begin with an underscore, but for `os._exit`."""
    for path, tree in tests:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
                continue
            owner = getattr(node.value, "id", "")
            if node.attr.endswith("__") or owner in {"self", "cls", "os"}:
                continue
            yield f"{path}:{node.lineno}: {ast.unparse(node)}"


def package_of(package: Path, path: Path) -> str:
    return path.relative_to(package).parts[0].removesuffix(".py")


def imports(package: Path, modules: list[Module]) -> set[tuple[str, str]]:
    """The pairs of packages of which the first imports the second."""
    edges = set()
    for path, tree in modules:
        source = package_of(package, path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package.name):
                target = f"{node.module}.".split(".")[1] or node.names[0].name
                if target != source and target != "__version__":
                    edges.add((source, target))
    return edges


LISTS = {
    "filler": filler,
    "openings": question_openings,
    "long": long_functions,
    "files": long_files,
    "caches": caches,
    "private": private_reaches,
}

if __name__ == "__main__":
    main()
