"""Write the names of a language's standard library, which the call graph takes for nobody's.

    python -m benchmarks.edges.standard_names python
    python -m benchmarks.edges.standard_names java                     # needs a JDK
    python -m benchmarks.edges.standard_names rust DOCS                # rustup component rust-docs
    python -m benchmarks.edges.standard_names go GO_SOURCE             # unpacked release of Go
    python -m benchmarks.edges.standard_names javascript TYPESCRIPT NODE   # npm: typescript,
                                                                       # @types/node
A list has the names of members: methods, and fields that can hold functions.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from packhound.graph.standard_names import FOLDER

_JAVA = r"""
import java.lang.reflect.*;
import java.net.URI;
import java.nio.file.*;
class Names {
    public static void main(String[] arguments) throws Exception {
        FileSystem files = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (Path path : Files.walk(files.getPath("modules")).toList())
            if (path.toString().matches("modules/java[.][^/]*/javax?/.*[.]class"))
                show(path.toString().split("/", 3)[2].replace(".class", "").replace('/', '.'));
    }
    static void show(String name) {
        try {
            Class<?> type = Class.forName(name, false, ClassLoader.getSystemClassLoader());
            if (!Modifier.isPublic(type.getModifiers())) return;
            for (Method method : type.getDeclaredMethods())
                if ((method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                    System.out.println(method.getName());
        } catch (Throwable missing) { }
    }
}
"""
_RUST = re.compile(r'id="(?:ty)?method\.(\w+)"')
_GO_METHOD = re.compile(r"^func \([^)]*\) ([A-Z]\w*)\(", re.M)
_GO_MEMBER = re.compile(r"^\t([A-Z]\w*)(?:\(| +func\()", re.M)
_SCRIPT = re.compile(r"^\s+(?:readonly |static )*([A-Za-z_$][\w$]*)\??(?:<[^()\n]*>)?\s*[(:]")
_SCRIPT_WORDS = frozenset({"if", "for", "while", "switch", "function", "return", "new", "import"})


def python(_: list[Path]) -> tuple[str, Iterator[str]]:
    """Attributes of the classes that the modules of this Python define."""
    return f"Python {sys.version.split()[0]}: attributes of the classes in its modules", _python()


def _python() -> Iterator[str]:
    skipped = {"antigravity", "this", "idlelib", "test", "lib2to3", "turtledemo", "__main__"}
    names = {*sys.stdlib_module_names} - skipped
    for name in sorted(names):
        if not name.startswith("_") or name == "_thread":
            yield from _members_of(name)


def _members_of(name: str) -> Iterator[str]:
    try:
        module = importlib.import_module(name)
    except Exception:  # A module for another system.
        return
    for each in vars(module).values():
        if isinstance(each, type):
            yield from dir(each)
    for _, inner, _ in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not inner.startswith("_") and inner not in ("test", "tests"):
            yield from _members_of(f"{name}.{inner}")


def java(_: list[Path]) -> tuple[str, Iterator[str]]:
    """Public and protected methods of the packages java and javax."""
    with TemporaryDirectory() as folder:
        program = Path(folder, "Names.java")
        program.write_text(_JAVA, "utf-8")
        listing = subprocess.run(["java", program], text=True, capture_output=True, check=True)
    version = subprocess.run(["javac", "-version"], text=True, capture_output=True, check=True)
    release = (version.stdout or version.stderr).strip().removeprefix("javac ")
    return f"OpenJDK {release}: methods of the packages java and javax", iter(
        listing.stdout.split()
    )


def rust(roots: list[Path]) -> tuple[str, Iterator[str]]:
    """Methods in the pages of std, core and alloc."""
    pages = (p for crate in ("std", "core", "alloc") for p in (roots[0] / crate).rglob("*.html"))
    head = (roots[0] / "std" / "index.html").read_text("utf-8")
    release = re.search(r'class="version">([\d.]+)', head)
    names = (name for page in pages for name in _RUST.findall(page.read_text("utf-8")))
    return f"Rust {release[1] if release else ''}: methods in the pages of std", names


def go(roots: list[Path]) -> tuple[str, Iterator[str]]:
    """Exported methods, those of interfaces included, and fields that are functions."""
    release = (roots[0] / "VERSION").read_text("utf-8").split()[0]
    files = [
        path
        for path in (roots[0] / "src").rglob("*.go")
        if not path.name.endswith("_test.go")
        and not {"internal", "vendor", "testdata", "cmd"} & {*path.parts}
    ]
    texts = [path.read_text("utf-8") for path in files]
    names = (name for text in texts for p in (_GO_METHOD, _GO_MEMBER) for name in p.findall(text))
    return f"{release.replace('go', 'Go ')}: exported methods", names


def javascript(roots: list[Path]) -> tuple[str, Iterator[str]]:
    """Members of the interfaces that TypeScript declares for browsers, and of Node's."""
    files = [*(roots[0] / "lib").glob("lib.*.d.ts"), *roots[1].rglob("*.d.ts")]
    lines = (line for path in files for line in path.read_text("utf-8").splitlines())
    names = (match[1] for line in lines if (match := _SCRIPT.match(line)))
    source = f"npm typescript {_version(roots[0])} lib.*.d.ts, @types/node {_version(roots[1])}"
    return f"{source}: members", (name for name in names if name not in _SCRIPT_WORDS)


def _version(package: Path) -> str:
    text = (package / "package.json").read_text("utf-8")
    match = re.search(r'"version"\s*:\s*"([^"]+)"', text)
    return match[1] if match else ""


_READERS: dict[str, Callable[[list[Path]], tuple[str, Iterator[str]]]] = {
    each.__name__: each for each in (python, java, rust, go, javascript)
}


def main() -> None:
    """Write one list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=_READERS)
    parser.add_argument("roots", nargs="*", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    source, names = _READERS[options.language](options.roots)
    listed = sorted({name for name in names if not name.startswith("_")})
    path = FOLDER / f"{options.language}.txt"
    path.write_text(f"# {source}\n" + "".join(f"{name}\n" for name in listed), "utf-8")
    print(f"{len(listed):,} names from {source}")


if __name__ == "__main__":
    main()
