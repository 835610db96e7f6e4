"""Rules that find places in code: each yields one line a place, and their number is a figure.

Only the standard library is needed, so any revision can be measured with them.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FILLER = frozenset(
    """
    found known told kept said here there at own one ones other others wanted place places shown
    given left asked made some whole much many most least whoever beside behind away anew made
    looking looked met gone fresh bearing bearers seldom lesser around
    """.split()  # noqa: SIM905
)
"""Local names that say nothing of what they hold. `at` counts where it is a name on its own."""

QUESTION_WORDS = frozenset({"What", "Whether", "How", "Which", "Where", "Who", "Why"})
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
CACHE_DECORATORS = {"lru_cache", "cache"}
MAX_LINES, MAX_FUNCTION_LINES = 400, 40

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """A Python file: its path below the folder that was read, its text and its syntax tree."""

    path: Path
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


def parsed(root: Path) -> list[Module]:
    """Return the Python files below a folder."""
    modules = []
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        modules.append(Module(path.relative_to(root), text, tree, tuple(ast.walk(tree))))
    return modules


def functions(modules: list[Module]) -> Iterator[str]:
    for path, node in nodes(modules):
        if isinstance(node, Function):
            yield f"{path}:{node.lineno}: {node.name}"


def nodes(modules: list[Module]) -> Iterator[tuple[Path, ast.AST]]:
    return ((module.path, node) for module in modules for node in module.nodes)


def docstrings(modules: list[Module]) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path, node in nodes(modules):
        if isinstance(node, kinds) and (doc := ast.get_docstring(node)):
            yield f"{path}: {doc.splitlines()[0]}"


def names(modules: list[Module]) -> Iterator[str]:
    """Every binding of a name, arguments included."""
    for path, node in nodes(modules):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield f"{path}:{node.lineno}: {node.id}"
        elif isinstance(node, ast.arg):
            yield f"{path}:{node.lineno}: {node.arg}"


def code_lines(modules: list[Module]) -> Iterator[str]:
    """Lines with code: neither blank nor only a comment, nor of a string that is a statement."""
    no_code = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    no_code |= {tokenize.ENCODING, tokenize.ENDMARKER}
    for path, text, _, inner in modules:
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in no_code:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in inner:
            if isinstance(node, ast.Expr) and is_text(node.value):
                lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
        yield from (f"{path}:{line}" for line in sorted(lines))


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def long_files(modules: list[Module]) -> Iterator[str]:
    for path, text, *_ in modules:
        if (n_lines := len(text.splitlines())) > MAX_LINES:
            yield f"{path}: {n_lines}"


def long_functions(modules: list[Module]) -> Iterator[str]:
    for path, node in nodes(modules):
        if isinstance(node, Function):
            n_lines = (node.end_lineno or 0) - node.lineno + 1
            if n_lines > MAX_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name}"


def filler(modules: list[Module]) -> Iterator[str]:
    return (line for line in names(modules) if line.rpartition(" ")[2] in FILLER)


def question_openings(modules: list[Module]) -> Iterator[str]:
    return (line for line in docstrings(modules) if _opening(line) in QUESTION_WORDS)


def imperative_openings(modules: list[Module]) -> Iterator[str]:
    return (line for line in docstrings(modules) if _opening(line).lower() in IMPERATIVES)


def _opening(line: str) -> str:
    return line.split()[1]


def self_filling(modules: list[Module]) -> Iterator[str]:
    """Dicts that fill themselves, and weak-keyed tables."""
    for path, node in nodes(modules):
        if isinstance(node, Function) and node.name == "__missing__":
            yield f"{path}:{node.lineno}: __missing__"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "WeakKeyDictionary":
            yield f"{path}:{node.lineno}: WeakKeyDictionary"


def cached_functions(modules: list[Module]) -> Iterator[str]:
    for path, node in nodes(modules):
        if isinstance(node, Function):
            heads = [getattr(each, "func", each) for each in node.decorator_list]
            if CACHE_DECORATORS & {getattr(h, "id", getattr(h, "attr", "")) for h in heads}:
                yield f"{path}:{node.lineno}: {node.name}"


def hidden_caches(modules: list[Module]) -> Iterator[str]:
    """Fields of frozen dataclasses that are private and mutable."""
    for path, node in nodes(modules):
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
    for path, node in nodes(modules):
        if not isinstance(node, Function) or not FRONT_ENDS & {*path.parts, path.stem}:
            continue
        calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and call.keywords]
        if any(getattr(call.func, "id", "") in {"Query", "PackRequest"} for call in calls):
            yield f"{path}:{node.lineno}: {node.name}"


def private_attributes(modules: list[Module]) -> Iterator[str]:
    """Attributes of other objects that begin with an underscore.

    The methods of named tuples are public in spite of it, and `os._exit` and `sys._getframe` are
    documented.
    """
    public = {"_replace", "_asdict", "_fields", "_make"}
    for path, node in nodes(modules):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
            continue
        owner = getattr(node.value, "id", "")
        if node.attr.endswith("__") or node.attr in public or owner in {"self", "cls", "os", "sys"}:
            continue
        yield f"{path}:{node.lineno}: {ast.unparse(node)}"


def late_imports(modules: list[Module]) -> Iterator[str]:
    """Imports inside functions."""
    found = {
        f"{path}:{statement.lineno}: {ast.unparse(statement)}"
        for path, node in nodes(modules)
        if isinstance(node, Function)
        for statement in ast.walk(node)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    }
    yield from sorted(found)


def callable_parameters(modules: list[Module]) -> Iterator[str]:
    """Parameters of functions whose annotation says `Callable`."""
    yield from _parameters_of(modules, defaultdict(set))


def callable_parameters_by_any_name(modules: list[Module]) -> Iterator[str]:
    """Parameters annotated `Callable`, an alias of one, or a protocol of `__call__` alone."""
    defined = {
        name
        for _, node in nodes(modules)
        for name in (_callable_protocol(node), _callable_alias(node))
        if name
    }
    named: dict[Path, set[str]] = defaultdict(set)
    for path, node in nodes(modules):
        own = {_callable_protocol(node), _callable_alias(node)}
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("packhound"):
            own |= {alias.name for alias in node.names} & defined
        named[path] |= own - {""}
    yield from _parameters_of(modules, named)


def _parameters_of(modules: list[Module], named: dict[Path, set[str]]) -> Iterator[str]:
    for path, node in nodes(modules):
        if not isinstance(node, Function):
            continue
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            words = re.findall(r"\w+", ast.unparse(argument.annotation or argument))
            if argument.annotation and {"Callable", *named[path]} & {*words}:
                yield f"{path}:{node.lineno}: {node.name}({argument.arg})"


def _callable_protocol(node: ast.AST) -> str:
    if not isinstance(node, ast.ClassDef) or "Protocol" not in map(ast.unparse, node.bases):
        return ""
    methods = [each.name for each in node.body if isinstance(each, Function)]
    return node.name if methods == ["__call__"] else ""


def _callable_alias(node: ast.AST) -> str:
    if not isinstance(node, ast.AnnAssign) or node.value is None:
        return ""
    is_callable = ast.unparse(node.value).strip("\"'").startswith("Callable[")
    return ast.unparse(node.target) if is_callable else ""


def rpc_sessions(modules: list[Module]) -> Iterator[str]:
    """Classes that take JSON-RPC messages apart: they use the key `id` and another of messages."""
    for path, node in nodes(modules):
        if isinstance(node, ast.ClassDef):
            keys = {*_keys(node)}
            if "id" in keys and keys & {"jsonrpc", "method", "result", "error"}:
                yield f"{path}:{node.lineno}: {node.name}"


def _keys(tree: ast.AST) -> Iterator[object]:
    """Yield the constants that are keys of dicts, are looked up in them or asked for."""
    for node in ast.walk(tree):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Subscript):
            keys = [node.slice]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"get", "pop"}:
            keys = [*node.args[:1]]
        elif isinstance(node, ast.Dict):
            keys = node.keys
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            keys = [node.left]
        yield from (key.value for key in keys if isinstance(key, ast.Constant))


def homes_of_several_roots(modules: list[Module]) -> Iterator[str]:
    """Modules named for several roots, or for the workspace that has them."""
    one_root = Path("service/roots.py")
    for path, text, *_ in modules:
        if path.stem in ("roots", "several_roots", "workspace") and path != one_root:
            yield f"{path}: {len(text.splitlines())}"


def signal_tables(modules: list[Module], signals: frozenset[str]) -> Iterator[str]:
    """Values at the top of a module that name three signals or more."""
    for path, _, tree, _ in modules:
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                words = {word for each in ast.walk(node) for word in _words(each)}
                if len(words & signals) > 2:
                    yield f"{path}:{node.lineno}"


def signal_names(package: Path) -> frozenset[str]:
    """Return the signals that have fitted weights."""
    fitted = json.loads((package / "search/rank/node_weights.json").read_text("utf-8"))
    kinds = [kind for by_kind in fitted["sets"].values() for kind in by_kind.values()]
    return frozenset(name for kind in kinds for name in (*kind["file"], *kind["node"]))


def _words(node: ast.AST) -> list[str]:
    """Return the words of a node that is an identifier, a string or an import."""
    match node:
        case ast.Constant(value=str(text)):
            return re.findall(r"\w+", text)
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            return [name]
        case ast.keyword(arg=str(name)) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
            return name.split(".")
    return []


def files_that_name(modules: list[Module], word: str) -> Iterator[str]:
    """Files with a word as an identifier, or as all of a string (`packhound/WORD` too)."""
    for module in modules:
        for node in module.nodes:
            words = _words(node)
            if isinstance(node, ast.Constant):
                words = [str(node.value).removeprefix("packhound/").removeprefix("packhound.")]
            if word in words:
                yield str(module.path)
                break


def edges(modules: list[Module], package: str) -> Iterator[str]:
    """The pairs of packages of which the first imports the second."""
    found = set()
    for path, node in nodes(modules):
        source = path.parts[0].removesuffix(".py")
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package):
            target = f"{node.module}.".split(".")[1] or node.names[0].name
            if target not in (source, "__version__"):
                found.add(f"{source}: {target}")
    yield from sorted(found)
