"""Everyday commands, on any system with Python 3.10 or newer: `python3 dev.py TARGET`.

demo   set up, index this repository's server and show an explained search
setup  make .venv and install Packhound with what its tests need
test   set up and run the tests of every change; slow runs what continuous integration runs
       besides, editors the tests in real editors
fuzz   look for inputs that break something, FUZZ_SECONDS (60) for each of a dozen targets
torture  run what is promised at the figures of a release, hours in pieces that resume;
       options follow: --list, --only T8, --pieces 1. soak lets a server work for an hour
release  build what is published here, check it and install it offline; options follow:
       --roots FOLDER, systems as debootstrap makes them, and those of .ci/release.py
docs   build the pages of docs/, and those that `packhound docs` makes of the code, as a site
       into build/site; a link that leads nowhere fails
check  formatting, lint and types; fix corrects what can be corrected
figures  measure every published figure anew that is of older code; --stale only lists them,
       and options follow: --only speed.json, large=../clones/vscode-copilot-chat
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
PARALLEL = ("-n", "auto", "--dist", "worksteal", "-rfEs")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
READY = VENV / ".ready"
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
FOLDERS = ("server", "tests", "benchmarks", "training", "vscode-extension/scripts", ".ci", "dev.py")
FOLDERS += ("docs/plots.py", "docs/settings.py", "docs/site.py")


def main() -> int:
    """Run the targets that were named, in their order."""
    targets = {
        "demo": demo,
        "setup": setup,
        "test": test,
        "slow": slow,
        "editors": editors,
        "fuzz": fuzz,
        "soak": soak,
        "docs": docs,
        "check": check,
        "fix": fix,
    }
    with_options = {"torture": torture, "figures": figures, "release": release}
    if target := with_options.get(*sys.argv[1:2] or [""]):
        target(*sys.argv[2:])
        return 0
    if {"-h", "--help"} & {*sys.argv[1:]}:
        sys.stdout.write(f"{__doc__}")
        return 0
    named = sys.argv[1:] or ["demo"]
    unknown = [name for name in named if name not in targets]
    if unknown:
        sys.exit(
            f"unknown target '{unknown[0]}'; known are: {', '.join([*with_options, *targets])}"
        )
    for name in named:
        targets[name]()
    return 0


def torture(*options: str) -> None:
    """Run what is promised at the figures of a release, into benchmarks/reliability.json."""
    setup()
    run("python", "-m", "benchmarks.reliability", *options)


def soak() -> None:
    """A server at work for an hour: what of memory, threads and processes is left."""
    setup_environment()
    run("python", "-m", "benchmarks.reliability", "--only", "T25")


def release(*options: str) -> None:
    """Build, check and install a release; its tools are not among what the tests need."""
    setup()
    run("python", *PIP, "auditwheel", "twine")
    os.environ["PATH"] = os.pathsep.join((str(BIN), os.environ["PATH"]))
    run("python", ".ci/release.py", *options)


def setup_environment() -> None:
    """Make the environment once, and again when pyproject.toml changed."""
    if sys.version_info < (3, 10):  # noqa: UP036 - says it before pip does
        sys.exit(f"Packhound needs Python 3.10 or newer; this is {sys.version.split()[0]}")
    if READY.exists() and READY.stat().st_mtime > (HERE / "pyproject.toml").stat().st_mtime:
        return
    say("setting up .venv (a minute or two, once)")
    if Path(sys.prefix) != VENV:  # a running interpreter cannot be replaced
        venv.create(VENV, with_pip=True)
    if run("python", *PIP, "--editable", ".[dev,mcp,graph]", check=False):
        say("not all could be built; trying again without hnswlib, which needs a C++ compiler")
        run("python", *PIP, "--editable", ".[dev,mcp]")
    READY.touch()


def setup() -> list[str]:
    """Make the environment and get what some tests compare with; return what cannot be had."""
    setup_environment()
    absent = [line for line in (ripgrep_problem(), vocabulary_problem()) if line]
    for line in absent:
        say(line)
    return absent


def ripgrep_problem() -> str:
    """Install ripgrep where it is missing; return why it cannot be, or nothing."""
    everywhere = os.pathsep.join((str(BIN), os.environ.get("PATH", "")))
    if shutil.which("rg", path=everywhere):
        return ""
    say("installing ripgrep (once)")
    if run("python", *PIP, "--only-binary", ":all:", "ripgrep", check=False):
        return "ripgrep cannot be installed: what grep finds is not compared with it"
    return ""


def vocabulary_problem() -> str:
    """Install the npm package that counts tokens; return why it cannot be, or nothing."""
    npm, extension = shutil.which("npm"), HERE / "vscode-extension"
    if npm is None:
        return "npm is not installed: the offline token count is not compared with the true one"
    if not (extension / "node_modules" / "gpt-tokenizer").exists():
        say("installing the extension's npm packages (once)")
        install = ("ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error")
        if subprocess.run([npm, "--prefix", extension, *install], check=False).returncode:
            return "npm failed: the offline token count is not compared with the true one"
    return ""


def demo() -> None:
    """One search over this repository's server, with what made each score."""
    setup_environment()
    query = "apply an edit to a text buffer"
    run("packhound", "search", query, "--root", "server", "--limit", "3", "--show-scores")


def test() -> None:
    """The tests of every change, and what was skipped."""
    absent = setup()
    code = run("pytest", *PARALLEL, check=False)
    for line in absent:
        say(line)
    if code:
        sys.exit(code)


def slow() -> None:
    """The tests that continuous integration runs besides."""
    setup()
    run("pytest", *PARALLEL, "-m", "slow and not release")


def editors() -> None:
    """The tests in real editors; tests/editors/README.md says how to get them."""
    setup_environment()
    run("pytest", "-m", "editors")


def fuzz() -> None:
    """Coverage-guided fuzzing; its library is not among what the tests need."""
    setup_environment()
    run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "atheris")
    seconds = os.environ.get("FUZZ_SECONDS", "60")
    run("python", "-m", "tests.fuzz.fuzz", "--seconds", seconds)


def docs() -> None:
    """The pages as a site that needs no network to be read."""
    setup_environment()
    run("python", *PIP, "--editable", ".[docs]")
    run("packhound", "docs")
    run("packhound", "docs", "--check")  # Made twice they are the same.
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    run("mkdocs", "build", "--strict", "--quiet")
    say("the site is in build/site")


def check() -> None:
    """What must be clean before a commit."""
    setup_environment()
    run("ruff", "format", "--check", *FOLDERS)
    run("ruff", "check", *FOLDERS)
    run("mypy")


def fix() -> None:
    """Fix formatting and lint."""
    setup_environment()
    run("ruff", "format", *FOLDERS)
    run("ruff", "check", "--fix", *FOLDERS)


def figures(*options: str) -> None:
    """Measure what is published and of older code, or list it."""
    setup_environment()
    run("python", "-m", "benchmarks.stored", *options)


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
