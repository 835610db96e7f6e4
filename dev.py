"""Everyday commands, on any system with Python 3.10 or newer: `python3 dev.py TARGET`.

demo   set up, index this repository's server and show an explained search
setup  make .venv and install Packhound with what its tests need
test   set up and run the tests; slow runs the long ones, editors those in real editors
fuzz   look for inputs that break something, FUZZ_SECONDS (60) for each of a dozen targets
check  formatting, lint and types; fix corrects what can be corrected
bench  quality and speed figures into benchmarks/results
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
READY = VENV / ".ready"
FOLDERS = ("server", "tests", "benchmarks", "training", "vscode-extension/scripts", ".ci", "dev.py")
FOLDERS += ("docs/settings.py",)


def main() -> int:
    """Run the targets that were named, in their order."""
    targets = {
        "demo": demo,
        "setup": setup,
        "test": test,
        "slow": slow,
        "editors": editors,
        "fuzz": fuzz,
        "check": check,
        "fix": fix,
        "bench": bench,
    }
    named = sys.argv[1:] or ["demo"]
    unknown = [name for name in named if name not in targets]
    if unknown:
        sys.exit(f"unknown target '{unknown[0]}'; known are: {', '.join(targets)}")
    for name in named:
        targets[name]()
    return 0


def setup() -> None:
    """Make the environment once, and again when pyproject.toml changed."""
    if sys.version_info < (3, 10):  # noqa: UP036 - says it before pip does
        sys.exit(f"Packhound needs Python 3.10 or newer; this is {sys.version.split()[0]}")
    if READY.exists() and READY.stat().st_mtime > (HERE / "pyproject.toml").stat().st_mtime:
        return
    say("setting up .venv (a minute or two, once)")
    if Path(sys.prefix) != VENV:  # a running interpreter cannot be replaced
        venv.create(VENV, with_pip=True)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if run("python", *pip, "--editable", ".[dev,mcp,graph]", check=False):
        say("not all could be built; trying again without hnswlib, which needs a C++ compiler")
        run("python", *pip, "--editable", ".[dev,mcp]")
    READY.touch()


def demo() -> None:
    """One search over this repository's server, with what made each score."""
    setup()
    query = "apply an edit to a text buffer"
    run("packhound", "search", query, "--root", "server", "--limit", "3", "--show-scores")


def test() -> None:
    """The tests that take minutes at most, and what was skipped."""
    setup()
    setup_vocabulary()
    run("pytest", "-n", "auto", "-rs", "-m", "not slow and not editors")


def setup_vocabulary() -> None:
    """The npm package that counts tokens for a test; without npm that test is skipped."""
    npm, extension = shutil.which("npm"), HERE / "vscode-extension"
    if npm is None:
        say("npm is not installed: the offline token count is not compared with the true one")
    elif not (extension / "node_modules" / "gpt-tokenizer").exists():
        say("installing the extension's npm packages (once)")
        install = ("ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error")
        if subprocess.run([npm, "--prefix", extension, *install], check=False).returncode:
            say("npm could not: the offline token count is not compared with the true one")


def slow() -> None:
    """The long tests."""
    setup()
    run("pytest", "-m", "slow")


def editors() -> None:
    """The tests in real editors; tests/editors/README.md says how to get them."""
    setup()
    run("pytest", "-m", "editors")


def fuzz() -> None:
    """Coverage-guided fuzzing; its library is not among what the tests need."""
    setup()
    run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "atheris")
    seconds = os.environ.get("FUZZ_SECONDS", "60")
    run("python", "-m", "tests.fuzz.fuzz", "--seconds", seconds)


def check() -> None:
    """What must be clean before a commit."""
    setup()
    run("ruff", "format", "--check", *FOLDERS)
    run("ruff", "check", *FOLDERS)
    run("mypy")


def fix() -> None:
    """Fix formatting and lint."""
    setup()
    run("ruff", "format", *FOLDERS)
    run("ruff", "check", "--fix", *FOLDERS)


def bench() -> None:
    """Every figure that needs nothing but this repository."""
    setup()
    run("python", "-m", "benchmarks.index_speed")


def run(program: str, *arguments: str, check: bool = True) -> int:
    """Run a program of the environment; end with its exit code if it must succeed and did not."""
    code = subprocess.run([BIN / program, *arguments], cwd=HERE, check=False).returncode
    if check and code:
        sys.exit(code)
    return code


def say(text: str) -> None:
    """One line for the person who waits."""
    sys.stderr.write(f"packhound: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
