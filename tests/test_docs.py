"""The pages of docs name every command, setting, request and kind, and only those that exist."""

import re
import shlex
from pathlib import Path

import click
import pytest

from benchmarks.reliability import CHECKS
from docs import picture, plots, site
from docs import protocol as protocol_page
from docs import settings as settings_pages
from packhound.cli.commands import main
from packhound.core.types import KINDS
from packhound.lsp.handlers.registry import ON_READING_THREAD, ON_WORKER_THREADS
from tests.redact.test_shapes import PROMISED

ROOT = Path(__file__).parents[1]
PROMISES = (ROOT / "tests" / "README.md").read_text("utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^(?:```|~~~)(?:sh|console|bash)\n(.*?)^(?:```|~~~)", re.M | re.S)
DOCS = {page.name: page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md")}


def test_every_command_is_described_and_has_help() -> None:
    assert isinstance(main, click.Group)
    documented = set(re.findall(r"^\| `packhound ([\w-]+)", DOCS["command-line.md"], re.M))
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    assert documented == {name for name, c in commands.items() if c and not c.hidden}
    for name in documented:
        command = main.get_command(context, name)
        assert command is not None
        assert command.help


def test_descriptions_of_settings_are_those_of_the_code() -> None:
    for path, text in settings_pages.pages().items():
        assert path.read_text("utf-8") == text, "run python docs/settings.py"


def test_the_table_of_promises_names_tests_that_exist() -> None:
    folder = Path(__file__).parent
    named = re.findall(r"`([\w/]+\.py)`", PROMISES)
    assert named
    missing = [name for name in named if not any((f / name).exists() for f in (folder, ROOT))]
    assert missing == []


def test_each_promise_of_a_release_has_its_row() -> None:
    rows = re.findall(r"^\| [^|]+ \| (T[\dT, ]+) \|", PROMISES, re.M)
    numbers = {number for row in rows for number in row.split(", ")}
    run = {word for check in CHECKS for word in check.name.split() if re.match(r"T\d", word)}
    assert run == numbers


def test_secrets_are_promised_at_the_figures_that_are_tested() -> None:
    text = SECURITY.partition("## Not promised")[2]
    named = [float(figure) / 100 for figure in re.findall(r"(\d+) %", text)]
    assert named == [PROMISED[group] for group in ("published", "named", "config")]


def test_the_operations_of_the_protocol_are_those_of_the_registry() -> None:
    assert DOCS["protocol.md"] == protocol_page.page(), "run python docs/protocol.py"


def test_every_request_is_described() -> None:
    described = {*re.findall(r"`packhound/([\w/]+)`", DOCS["protocol.md"])}
    requests = {*ON_READING_THREAD, *ON_WORKER_THREADS, "packhound/indexState"}
    assert described == {name[10:] for name in requests if name.startswith("packhound/")}


def test_every_kind_is_named() -> None:
    lines = DOCS["searching.md"].splitlines()
    row = next(line for line in lines if line.startswith("| `kind:class`"))
    assert all(kind in row or f"{kind}es" in row for kind in KINDS)


def test_the_readme_is_read() -> None:
    """Of a page that is longer, or has lines wider than a screen, nobody reads the end."""
    assert len(README.split()) <= 900
    assert max(map(len, README.splitlines())) <= 200


def test_the_architecture_is_read() -> None:
    """What is longer belongs on the pages of docs/design."""
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").split()) <= 3_000


def test_recipes_name_files_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"[ `](\w[\w-]*/[\w./-]*[\w/])", text)
    assert len(named) > 40
    lost = [name for name in named if "NAME" not in name and not (ROOT / name).exists()]
    assert lost == []


def test_every_page_is_linked_from_the_readme() -> None:
    assert {name for name in DOCS if f"(docs/{name})" not in README} == set()


def test_links_and_their_anchors_lead_somewhere() -> None:
    """Over all pages of the site, which is README.md and all that it leads to."""
    pages = [file for file in site.linked_files(ROOT / "README.md") if file.suffix == ".md"]
    assert len(pages) > len(DOCS)
    lost = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in LINK.findall(site.without_code(site.as_here(page)))
        if not leads_somewhere(page, link)
    ]
    assert lost == []


def test_links_of_the_page_of_the_gallery_are_absolute() -> None:
    text = (ROOT / "vscode-extension" / "README.md").read_text("utf-8")
    links = LINK.findall(text)
    assert links and [link for link in links if not link.startswith(("https://", "#"))] == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Return True if a link leads out, or to a file of the repository and a heading in it."""
    if re.match(r"[a-z]+:", link):
        return True
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_file() or not target.is_relative_to(ROOT):
        return False
    return not anchor or anchor in anchors_of(target.read_text("utf-8"))


def anchors_of(text: str) -> set[str]:
    """Return the anchors that readers of Markdown give to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", site.FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    named = set(re.findall(r": ([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M))
    pages = site.linked_files(ROOT / "README.md")
    assert {str(page.relative_to(ROOT)) for page in pages if page.suffix == ".md"} == named


def test_the_plots_are_of_the_results_that_are_stored() -> None:
    drawn = plots.plots()
    assert {file.name for file in plots.PLOTS.iterdir()} == set(drawn)
    for name, text in drawn.items():
        assert (plots.PLOTS / name).read_text("utf-8") == text, "run python docs/plots.py"
        assert f"(plots/{name})" in DOCS["figures.md"]


def test_commands_in_the_pages_are_understood(monkeypatch, tmp_path) -> None:
    """Each `packhound ...` in a block of code has options and values that the command line has."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine.json", "tasks.jsonl"):  # What an example has written before.
        (tmp_path / name).touch()
    shown = [
        (page, line)
        for page, text in {"README.md": README, **DOCS}.items()
        for block in BLOCK.findall(text)
        for line in re.findall(r"^(?:\$ )?(packhound .*)", block, re.M)
    ]
    assert len(shown) > 40
    refused = {line: problem for _, line in shown if (problem := refusal(line))}
    assert refused == {}


def refusal(line: str) -> str:
    """Return what the command line says against a command, "" if it would run it."""
    words = shlex.split(re.split(r" [|>] | && ", line)[0], comments=True)[1:]
    for n, word in enumerate(words[:-1]):
        if word in ("--root", "--corpora"):
            words[n + 1] = "."
    command: click.Command = main
    context = None
    try:
        while isinstance(command, click.Group):
            context = click.Context(command, parent=context)
            name, found, words = command.resolve_command(context, words)
            assert found is not None
            command = found
            is_command = isinstance(command, click.Group) and command.invoke_without_command
            if is_command and not {*words[:1]} & {*command.commands}:
                break
        command.make_context(name, words, parent=context)
    except click.exceptions.Exit:  # --help
        return ""
    except click.ClickException as problem:
        return problem.format_message()
    return ""


@pytest.mark.slow
def test_the_picture_of_the_readme_can_be_drawn_anew() -> None:
    drawn = picture.draw().replace("&#160;", " ")
    for text in (f"&quot;{picture.QUERY}&quot;", "confidence: ", "packhound/", "for: "):
        assert text in drawn
