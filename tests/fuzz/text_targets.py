"""What turns text into something else: any text is taken, and nothing in it changes its frame."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from packhound.git.hunks import Hunk, read_hunks
from packhound.mcp.jsonc import plain, with_entry, without_entry
from packhound.pack.render import Block, render
from packhound.redact.control_characters import visible, visible_text
from packhound.redact.redact import redact
from packhound.text.line_index import line_starts
from packhound.text.text_buffer import TextBuffer
from tests.fuzz.draw import Draw
from tests.support.reference_text import apply_edit, check_line_starts

LETTERS = ("a", "\n", "\r\n", "\r", "é", "漢", "😀", "\u2028", "\f", "\ud83d", "\ude00", "\ufeff")


def edits(data: bytes) -> None:
    """The text buffer equals a second implementation after any edits."""
    draw = Draw(data)
    encoding = draw.of(("utf-8", "utf-16", "utf-32"))
    text = draw.spliced(LETTERS)
    buffer = TextBuffer(text, encoding)
    while not draw.empty:
        start, end = ((draw.number(12) - 1, draw.number(12) - 1) for _ in range(2))
        new = draw.spliced(LETTERS, 5)
        buffer.edit(start, end, new)
        text = apply_edit(text, start, end, new, encoding)
        source = text.encode("utf-8", "surrogatepass")
        assert buffer.source == source
        check_line_starts(buffer, line_starts(source))


SPACES = ("", " ", "\n", "\n    ", "\t", "\r\n", "// x\n", "/* , } */", "/**/", "// /*\n", "//,}\n")
NAMES = ('"a"', '"mcpServers"', '"packhound"', '"//"', '"\\"}"', '"/*"', '"b"')
VALUES = ('"x, }"', "1e5", "null", "[1, 2,]", "[]", "true", '"// no"', '"*/"')


def _settings(draw: Draw, depth: int = 3) -> str:
    """An object as people keep it: with remarks anywhere, and a comma too many."""
    text, names = (
        "{" + draw.of(SPACES),
        dict.fromkeys(draw.of(NAMES) for _ in range(draw.number(4))),
    )
    for n, name in enumerate(names):
        value = _settings(draw, depth - 1) if depth and draw.flag() else draw.of(VALUES)
        parts = ("," if n else "", name, ":", value)
        text += "".join(part + draw.of(SPACES) for part in parts)
    return text + ("," if names and draw.flag() else "") + draw.of(SPACES) + "}"


def _values(text: str) -> dict[str, object]:
    """The values of a settings file; one without any text has none."""
    return json.loads(plain(text)) if text.strip() else {}


def settings_files(data: bytes) -> None:
    """An entry is put into any file of settings and taken out again; all else stays."""
    draw = Draw(data)
    text = _settings(draw) if draw.number(7) else draw.spliced(SPACES, 40)
    entry = {"command": draw.text(), "args": [draw.text(8)]}
    try:
        changed = with_entry(text, "mcpServers", "packhound", entry)
    except ValueError:
        return
    before, after = _values(text), _values(changed)
    assert after["mcpServers"].pop("packhound") == entry
    assert changed.count("// x") >= text.count("// x") or '"packhound"' in text
    others = before.setdefault("mcpServers", {})
    others.pop("packhound", None)
    assert after == before
    removed = _values(without_entry(changed, "mcpServers", "packhound"))
    if not others:
        del before["mcpServers"]
    assert removed == before


def patches(data: bytes) -> None:
    """Hunks are read as they were written, whatever their text looks like."""
    draw = Draw(data)
    expected, lines = [], []
    for _ in range(draw.number(4)):
        lines += ["diff --git a/x b/x", "--- a/x", "+++ b/dir/é x.py\t"]
        for _ in range(draw.number(3)):
            old, n_old, new, n_new = (draw.number(300) for _ in range(4))
            n_old, n_new, n_context = n_old % 4, n_new % 4, draw.number(3)
            counts = f"-{old},{n_old + n_context} +{new},{n_new + n_context}"
            lines.append(f"@@ {counts} @@ {draw.text(8)}")
            lines += [" " + draw.of(LIKE_PATCHES) + draw.text(6) for _ in range(n_context)]
            lines += ["-" + draw.of(LIKE_PATCHES) + draw.text(6) for _ in range(n_old)]
            lines += ["+" + draw.of(LIKE_PATCHES) + draw.text(6) for _ in range(n_new)]
            if n_old or n_new:
                # Of no lines it is the line before that is given.
                first_old, first_new = (
                    start + n_context - bool(n_context and not n)
                    for start, n in ((old, n_old), (new, n_new))
                )
                expected.append(("dir/é x.py", Hunk(first_old, n_old, first_new, n_new)))
    assert list(read_hunks(lines)) == expected
    list(read_hunks(draw.spliced((*LIKE_PATCHES, "\n", "1,", "+"), 40).split("\n")))


LIKE_PATCHES = ("", "++ b/evil.py", "-- a/x", "@@ -1 +1 @@", "\0", '++ "b/\\303\\251.py"', "x")

TOKENS = (
    ("AKIA", "QGRF7XW2JD5PKZ4S"),
    ("ghp_", "hT7kq92LwzP04vbnQ8rT6yUiWc3xZa1Bd5Ef"),
    ("glpat-", "hTzkq7LwzPvbnQw3rTyU"),
    ("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
    ("xoxb-", "284716395028-hT7kq92LwzP04vbnQ8rT"),
)
AROUND = (
    *(" ", "\n", "\r\n", '"', "'", "(", ")", "=", ":", ",", "key = ", "//", "https://a/?k=", "{"),
    *("\t", "\u2028", "\x1b[0m", "é", "password: ", "-----BEGIN PRIVATE KEY-----", "example", "#"),
)


def secrets(data: bytes) -> None:
    """A published token leaves no text, whatever is around it; lines stay lines."""
    draw = Draw(data)
    head, tail = draw.spliced(AROUND, 20), draw.spliced(AROUND, 20)
    token = "".join(draw.of(TOKENS))
    before, after = (draw.of(tuple(" \n\"'(=,;<>[]{}`|")) for _ in range(2))
    text = head + before + token + after + tail
    clean = redact(text).text
    assert token not in clean
    assert clean.count("\n") == text.count("\n")


BREAKERS = (
    *("```", "````", "~~~", "\n", "\n```\n", "</code-", "<code-", ">", "<", "&", "]]>", "<!--"),
    *('"', "'", "#", "### ", "\r", "\x1b[31m", "\u202e", "\u2028", " ", "a", "/", "\\", "\0", "`"),
)
HEADING = re.compile(r"### (.*):[\d,-]+")


def quotes(data: bytes) -> None:
    """What is packed or named stays inside its block, and is there as it is."""
    draw = Draw(data)
    blocks = []
    for _ in range(1 + draw.number(2)):
        path = draw.spliced(BREAKERS, 6) or "x"
        quoted = (draw.spliced(BREAKERS) for _ in range(1 + draw.number(2)))
        texts = tuple(line for text in quoted for line in visible_text(text).split("\n"))
        blocks.append(Block(path, "python", 1, tuple(range(len(texts))), texts))
    already_sent = [draw.spliced(BREAKERS, 4) for _ in range(draw.number(2))]
    contents = ["\n".join(block.texts) for block in blocks]
    _check_markdown(render(blocks, already_sent, "markdown"), contents)
    _check_xml(render(blocks, already_sent, "xml"), contents)
    whole = json.loads(render(blocks, already_sent, "json"))
    assert [file["content"] for file in whole["files"]] == contents
    output = visible("".join(already_sent))
    assert visible(output) == output


def _check_markdown(text: str, contents: list[str]) -> None:
    """Read as CommonMark reads it: a block ends at a fence at least as long as its first."""
    actual, fence, inside = [], "", list[str]()
    for line in text.split("\n"):
        if fence and re.fullmatch(rf" {{0,3}}`{{{len(fence)},}}[ \t]*", line):
            actual.append("\n".join(inside))
            fence, inside = "", []
        elif fence:
            inside.append(line)
        elif opened := re.fullmatch(r" {0,3}(`{3,}|~{3,})([^`]*)", line):
            assert opened[2] == "python", line
            fence = opened[1]
        else:
            assert not line or HEADING.fullmatch(line) or line.startswith("Sent before"), line
    assert not fence and actual == contents


def _check_xml(text: str, contents: list[str]) -> None:
    """Each block is one run between its tags, which nothing in it can write."""
    tag = re.match(r"<(code-[0-9a-f]+) ", text)[1]
    blocks = re.findall(rf"<{tag} ([^\n]*)>\n(.*?)\n</{tag}>\n", text, re.DOTALL)
    assert [content for head, content in blocks if "note=" not in head] == contents
    assert "".join(f"<{tag} {head}>\n{content}\n</{tag}>\n" for head, content in blocks) == text
    for head, _ in blocks:
        ElementTree.fromstring(f"<{tag} {head}/>")
