"""Table of languages, and detection of the language of a file.

A new language is one row here and one file in `queries/`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEST_FOLDER = r"(^|/)(tests?|specs?|__tests__|testing)/"


@dataclass(frozen=True, slots=True)
class Language:
    """One row. `queries` names the file in `queries/`, `grammar` the one in the language pack.

    A function is a test if `test` is found in its head (attributes and signature) and `test_path`
    in its path. `merges` joins neighbouring definitions of one name: clauses of one function.
    `dotted` names are paths: in `A.b`, `A::b` and `A:b` the name is b.
    `in_scripts` says that the grammar covers the script elements of a page only.
    """

    name: str
    grammar: str
    queries: str
    suffixes: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    separator: str = "."
    test: str = ""
    test_path: str = ""
    merges: bool = False
    dotted: bool = False
    in_scripts: bool = False


def _row(name: str, *suffixes: str, **more: object) -> Language:
    fields: dict[str, object] = {"grammar": name, "queries": name, **more}
    return Language(name=name, suffixes=suffixes, **fields)  # type: ignore[arg-type]


LANGUAGES: tuple[Language, ...] = (
    _row(
        "python",
        *(".py", ".pyi", ".pyw"),
        file_names=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "python2", "python3", "pypy", "pypy3"),
        test=r"def\s+test",
        test_path=rf"{_TEST_FOLDER}|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$",
    ),
    _row(
        "javascript",
        *(".js", ".jsx", ".mjs", ".cjs", ".es6"),
        file_names=("Jakefile",),
        interpreters=("node", "nodejs", "deno", "bun"),
        aliases=("javascriptreact",),
    ),
    _row("typescript", ".ts", ".mts", ".cts", interpreters=("ts-node",), dotted=True, merges=True),
    _row("tsx", ".tsx", queries="typescript", aliases=("typescriptreact",), merges=True),
    _row("vue", ".vue", grammar="typescript", queries="typescript", in_scripts=True),
    _row("svelte", ".svelte", grammar="typescript", queries="typescript", in_scripts=True),
    _row("go", ".go", test=r"func\s+(Test|Benchmark|Example|Fuzz)", test_path=r"_test\.go$"),
    _row(
        "rust",
        ".rs",
        separator="::",
        dotted=True,
        test=r"#\[\s*(\w+\s*::\s*)*(test|bench|rstest|test_case|proptest|quickcheck)\b",
    ),
    _row("java", ".java", test=r"@\w*Test\b|\bvoid\s+test[A-Z_]\w*\s*\("),
    _row("c", ".c", ".h", separator="::"),
    _row(
        "cpp",
        *(".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".ipp", ".tpp"),
        *(".cu", ".cuh", ".ino", ".cppm", ".ixx"),
        aliases=("cuda-cpp",),
        separator="::",
        dotted=True,
    ),
    _row(
        "csharp",
        *(".cs", ".csx"),
        dotted=True,
        test=r"\[\s*(Fact|Theory|Test|TestCase|TestMethod|TestCaseSource|Benchmark)\b",
    ),
    _row(
        "ruby",
        *(".rb", ".rake", ".gemspec", ".ru", ".thor", ".podspec"),
        file_names=("Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Brewfile"),
        interpreters=("ruby", "jruby"),
        separator="::",
        dotted=True,
        test=r"def\s+test_",
        test_path=rf"{_TEST_FOLDER}|(^|/)(test_[^/]*|[^/]*_test)\.rb$",
    ),
    _row(
        "php",
        *(".php", ".phtml", ".php5", ".inc"),
        interpreters=("php",),
        dotted=True,
        test=r"function\s+test|#\[\s*Test\b",
        test_path=r"(?i)(^|/)tests?/|Test\.php$",
    ),
    _row("kotlin", ".kt", ".kts", dotted=True, test=r"@\w*Test\b"),
    _row(
        "swift",
        ".swift",
        dotted=True,
        test=r"func\s+test\w*\(|@Test\b",
        test_path=r"(?i)tests?",
    ),
    _row("scala", ".scala", ".sc", ".sbt", dotted=True, test=r"@\w*Test\b"),
    _row("elixir", ".ex", ".exs", interpreters=("elixir",), merges=True, dotted=True),
    _row("haskell", ".hs", ".hsc", interpreters=("runhaskell", "stack"), merges=True),
    _row(
        "lua",
        *(".lua", ".rockspec"),
        interpreters=("lua", "luajit"),
        dotted=True,
        test=r"^T\[|function\s+[Tt]est",
        test_path=_TEST_FOLDER,
    ),
    _row("zig", ".zig", ".zon"),
    _row(
        "bash",
        *(".sh", ".bash", ".zsh", ".bats", ".ksh", ".ebuild"),
        file_names=(".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD", "APKBUILD"),
        test=r"@test\b",
        interpreters=("sh", "bash", "zsh", "dash", "ksh", "bats", "ash"),
        aliases=("shellscript",),
    ),
    _row("ocaml", ".ml"),
    _row("ocaml_interface", ".mli"),
    _row("dart", ".dart"),
    _row("r", ".r", ".R", file_names=(".Rprofile",), interpreters=("Rscript",)),
    _row("julia", ".jl", interpreters=("julia",), dotted=True),
    _row("sql", ".sql", ".ddl", ".psql", ".pgsql", dotted=True),
    _row("markdown", *(".md", ".markdown", ".mdx", ".qmd", ".rmd", ".Rmd"), separator=" > "),
)
BY_NAME = {row.name: row for row in LANGUAGES}
HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".hxx", ".h++", ".cuh", ".inl"})
"""Files whose declarations without a body become nodes."""

_BY_SUFFIX = {suffix: row.name for row in LANGUAGES for suffix in row.suffixes}
_BY_FILE_NAME = {name: row.name for row in LANGUAGES for name in row.file_names}
_BY_INTERPRETER = {name: row.name for row in LANGUAGES for name in row.interpreters}
_BY_ALIAS = {alias: row.name for row in LANGUAGES for alias in (row.name, *row.aliases)}
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?([\w.+-]+)(?:\s+(?:-\S+\s+)*([\w.+-]+))?")
_VERSION_TAIL = re.compile(r"[\d.]+$")
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)"
    rb"|\bstd::|\b(?:constexpr|nullptr|noexcept|decltype)\b",
    re.MULTILINE,
)


def language_of(path: str, first_line: bytes = b"") -> str | None:
    """Return the language of a file by its name, or by the interpreter in its first line."""
    stem, suffix = name_parts(path)
    by_name = _BY_FILE_NAME.get(stem + suffix)
    language = by_name or _BY_SUFFIX.get(suffix) or _BY_SUFFIX.get(suffix.lower())
    if language or suffix or not first_line.startswith(b"#!"):
        return language
    return _by_interpreter(first_line)


def language_named(name: str) -> str | None:
    """Return the language that editors and kernels call by a name."""
    return _BY_ALIAS.get(name) or _BY_INTERPRETER.get(name)


def name_parts(path: str) -> tuple[str, str]:
    """Split a file name at its last dot; a leading dot does not count."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")


def language_for(path: str, source: bytes, language_id: str | None) -> str | None:
    """Return the language to parse a document with; its path overrides the editor's language id."""
    language = language_of(path, source[:200].partition(b"\n")[0]) or _BY_ALIAS.get(
        language_id or ""
    )
    if language == "php" and path.endswith(".inc") and b"<?" not in source:
        return "cpp" if b"#include" in source or _CPP_HEADER.search(source) else None
    if language == "c" and path.endswith(".h") and _CPP_HEADER.search(source):
        return "cpp"
    return language


def _by_interpreter(first_line: bytes) -> str | None:
    match = _SHEBANG.match(first_line)
    if match is None:
        return None
    program, argument = (part.decode("ascii", "replace") for part in match.groups(b""))
    name = argument if program == "env" else program
    return _BY_INTERPRETER.get(name) or _BY_INTERPRETER.get(_VERSION_TAIL.sub("", name))
