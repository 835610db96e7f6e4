"""Write where a language server leads each use of a name: clangd for C, rust-analyzer for Rust.

    python -m benchmarks.edges.lsp_uses REPOSITORY USES.json clangd
    python -m benchmarks.edges.lsp_uses REPOSITORY USES.json rust-analyzer --library FOLDER

The last argument is the command of the server. `--library` is the source of Rust's library, as
`library` of rust-src. Crates are compiled with all their features, but without crates from
elsewhere, and C with all folders that have headers; what that leaves unknown or out is not judged.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import tomllib

from tests.support.lsp_client import LspClient

_SUFFIXES = {"c": (".c", ".h"), "rust": (".rs",)}
_TYPES = frozenset({"class", "struct", "enum", "interface", "union", "type", "typeAlias"})
_KINDS = _TYPES | frozenset(
    (
        *("function", "method", "macro", "enumMember", "variable", "property", "const", "static"),
        "namespace",
    )
)
_NO_USES = frozenset({"declaration", "definition", "functionScope", "documentation", "injected"})
_CALL = re.compile(rb"\s*(?:!\s*[(\[{]|(?:::\s*<[^;{}()]*>)?\s*\()")
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8"]},
    "window": {"workDoneProgress": True},
    "textDocument": {
        "inactiveRegionsCapabilities": {"inactiveRegions": True},
        "semanticTokens": {
            "requests": {"full": True},
            "tokenTypes": [*_KINDS],
            "tokenModifiers": [*_NO_USES],
            "formats": ["relative"],
        },
    },
    "experimental": {"serverStatusNotification": True},
}


class Judge:
    """A server that has read a repository."""

    def __init__(self, root: Path, command: list[str], options: dict[str, object]) -> None:
        self._root = root
        self._client = LspClient(Path(tempfile.mkdtemp()), command, timeout_s=900)
        self._client.settings = options
        started = self._client.initialize(
            root, capabilities=_CAPABILITIES, initializationOptions=options
        )
        self._legend = started["capabilities"]["semanticTokensProvider"]["legend"]

    def wait(self, method: str, key: str, value: object) -> None:
        """Wait until the server notifies that it has read all."""
        self._client.wait_for_notification(
            method, lambda params: params.get("value", params).get(key) == value
        )

    def uses(self, path: Path) -> Iterator[dict[str, Any]]:
        """Yield the uses of a file, and at last the lines that are not compiled."""
        source = path.read_bytes()
        lines = source.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        document = self._client.open_document(path, source.decode("utf-8", "replace"))
        answer = self._client.request(
            "textDocument/semanticTokens/full", {"textDocument": document}
        )
        is_c, relative = path.suffix != ".rs", path.relative_to(self._root).as_posix()
        for line, column, end, kind, is_declared in self._names(answer["data"]):
            position = {"line": line, "character": column}
            place = {"textDocument": document, "position": position}
            ways = ["definition"]
            if is_c and not is_declared:  # An alias of a struct can have its name.
                ways += ["declaration", *["typeDefinition"] * (kind in _TYPES)]
            asked = [self._client.request(f"textDocument/{way}", place) or [] for way in ways]
            found = [[self._place(each) for each in answers] for answers in asked]
            own = relative, line + 1
            if is_declared:
                yield {"chosen": found[0], "targets": [own]}
            elif found[0] and own not in found[0]:  # As undeclared functions do.
                yield {
                    "path": relative,
                    "offset": starts[line] + column,
                    "call": _CALL.match(source, starts[line] + end) is not None,
                    "targets": [*chain.from_iterable(found)],
                    "chosen": found[0],
                }
        if path.suffix == ".rs":
            answer = self._client.request("textDocument/diagnostic", {"textDocument": document})
            inactive = [i["range"] for i in answer["items"] if i.get("code") == "inactive-code"]
        else:
            told = self._client.wait_for_notification(
                "textDocument/inactiveRegions",
                lambda params: params["textDocument"]["uri"] == document["uri"],
            )
            inactive = told["regions"]
        lines = [(each["start"]["line"] + 1, each["end"]["line"] + 1) for each in inactive]
        yield {"path": relative, "inactive": lines}
        self._client.close_document(document)

    def _names(self, data: list[int]) -> Iterator[tuple[int, int, int, str, bool]]:
        """Yield line, start, end and kind of each name that is used, or declares a function."""
        line = column = 0
        for i in range(0, len(data), 5):
            n_lines, n_columns, length, kind, modifiers = data[i : i + 5]
            line, column = line + n_lines, n_columns + (0 if n_lines else column)
            names = self._legend["tokenModifiers"]
            marks = {name for k, name in enumerate(names) if modifiers >> k & 1}
            name = self._legend["tokenTypes"][kind]
            is_declared = name == "function" and marks & _NO_USES == {"declaration"}
            if name in _KINDS and (is_declared or not marks & _NO_USES):
                yield line, column, column + length, name, is_declared

    def _place(self, found: dict[str, Any]) -> tuple[str, int]:
        path = Path(unquote(urlsplit(found["uri"]).path))
        if not path.is_relative_to(self._root):
            return "", 0
        return path.relative_to(self._root).as_posix(), found["range"]["start"]["line"] + 1

    def close(self) -> None:
        """End the server."""
        self._client.kill()


def rust_project(root: Path, library: str) -> dict[str, Any]:
    """Return the crates of a repository, each with the others that it depends on."""
    manifests = {path: tomllib.loads(path.read_text()) for path in root.rglob("Cargo.toml")}
    edition = next(
        (
            each["workspace"]["package"]["edition"]
            for each in manifests.values()
            if "edition" in each.get("workspace", {}).get("package", {})
        ),
        "2021",
    )
    crates: list[dict[str, Any]] = []
    for path, manifest in manifests.items():
        main = path.parent / manifest.get("lib", {}).get("path", "src/lib.rs")
        if "package" in manifest and main.is_file():
            tables = [manifest, *manifest.get("target", {}).values()]
            needed = {name for table in tables for name in table.get("dependencies", {})}
            features = {*manifest.get("features", {}), *needed}
            own = manifest["package"].get("edition", edition)
            crates.append(
                {
                    "display_name": manifest["package"]["name"].replace("-", "_"),
                    "root_module": str(main),
                    "edition": own if isinstance(own, str) else edition,
                    "is_workspace_member": True,  # Else no line is said to be left out.
                    "cfg": [f'feature="{name}"' for name in sorted(features)],
                    "deps": sorted(name.replace("-", "_") for name in needed),
                }
            )
    number = {each["display_name"]: i for i, each in enumerate(crates)}
    for each in crates:
        each["deps"] = [{"crate": number[n], "name": n} for n in each["deps"] if n in number]
    return {"sysroot_src": library, "crates": crates}


def main() -> None:
    """Write the uses of all files of the language."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repository", type=Path)
    parser.add_argument("uses", type=Path)
    parser.add_argument("server")
    parser.add_argument("--library", default="")
    options = parser.parse_args()
    root = options.repository.resolve()
    suffixes = _SUFFIXES["rust" if options.library else "c"]
    paths = sorted(path for path in root.rglob("*") if path.suffix in suffixes)
    if options.library:
        project = rust_project(root, options.library)
        folders = [Path(each["root_module"]).parent for each in project["crates"]]
        paths = [path for path in paths if any(map(path.is_relative_to, folders))]
        no_tests = {"cfg": {"setTest": False}}
        settings = {"linkedProjects": [project], "checkOnSave": False, **no_tests}
        judge = Judge(root, [options.server], settings)
        judge.wait("experimental/serverStatus", "quiescent", True)
    else:
        folders = sorted({f"-I{path.parent}" for path in paths if path.suffix == ".h"})
        commands = [
            {"directory": str(root), "file": str(path), "arguments": ["cc", *folders, str(path)]}
            for path in paths
            if path.suffix == ".c"
        ]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "compile_commands.json").write_text(json.dumps(commands))
            command = [options.server, f"--compile-commands-dir={folder}", "--background-index"]
            judge = Judge(root, command, {})
            list(judge.uses(paths[-1]))  # It begins to read all with the first file.
            judge.wait("$/progress", "kind", "end")
    uses = [use for path in paths for use in judge.uses(path)]
    judge.close()
    declared = defaultdict[tuple[tuple[str, int], ...], set[tuple[str, int]]](set)
    for use in uses:  # Not each use is told where a function is declared.
        declared[tuple(use.get("chosen", ()))].update(use.get("targets", ()))
    uses = [use for use in uses if "path" in use]
    for use in uses:
        if "chosen" in use:
            use["targets"] = sorted(declared[tuple(use["chosen"])])
    options.uses.write_text(json.dumps(uses))
    print(f"{len(uses)} uses in {len(paths)} files")


if __name__ == "__main__":
    main()
