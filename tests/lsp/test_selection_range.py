"""A jump lands on the definition, not on the comment or the decorator above it."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.core.types import Document, Node, NodeId, NodeRef
from packhound.lsp.selection_range import name_span
from packhound.parsing.parse import parse

LANGUAGES = Path(__file__).parents[2] / "fixtures" / "languages"
SAMPLES = sorted(path for path in LANGUAGES.glob("*/*") if path.is_file())


def landing(path: str, source: bytes, node: Node) -> tuple[bytes, bytes]:
    """The text that is selected, and the line it is on."""
    ref = NodeRef(
        "/r", path, "x", node.kind, node.name, node.qualname, node.signature, node.doc,
        node.span, 1, NodeId(0),
    )  # fmt: skip
    start, end = name_span(ref, source)
    line = source[source.rfind(b"\n", 0, start) + 1 :].partition(b"\n")[0]
    return source[start:end], line


@pytest.mark.parametrize(
    ("path", "source", "name", "expected"),
    [
        ("a.py", "# load is\n# here\n@cached\n@other(load=1)\ndef load(x):\n  pass\n", "load",
         "def load(x):"),
        ("a.py", "@cached\nasync  def\tload(\n  x):\n  pass\n", "load", "async  def\tload("),
        ("a.py", '"""def load(x): quoted"""\n\n\ndef load(x):\n    pass\n', "load", "def load(x):"),
        ("a.rs", "/// Like `fn load(x: u8)`.\n#[inline]\npub fn load(x: u8) {}\n", "load",
         "pub fn load(x: u8) {}"),
        ("a.ts", "/** Loads. */\nexport const load = (x: number) => {\n  return 1;\n};\n", "load",
         "export const load = (x: number) => {"),
        ("A.java", "class A {\n  /** Loads. */\n  @Override\n  public int load() { return 1; }\n}",
         "load", "  public int load() { return 1; }"),
    ],
)  # fmt: skip
def test_where_a_jump_lands(path, source, name, expected):
    octets = source.encode()
    (node,) = [node for node in parse(Document(path, octets)).nodes if node.name == name]
    assert landing(path, octets, node) == (name.encode(), expected.encode())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_names_are_found_in_every_language(sample):
    source = sample.read_bytes()
    nodes = [node for node in parse(Document(sample.name, source)).nodes if node.signature]
    actual = [landing(sample.name, source, node)[0].decode() for node in nodes]
    named = [text == node.name for text, node in zip(actual, nodes, strict=True)]
    missed = [(n.kind, n.name, t) for n, t in zip(nodes, actual, strict=True) if t != n.name]
    assert all(text for text in actual), actual
    assert sum(named) >= 0.8 * len(named), missed
