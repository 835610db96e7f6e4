from __future__ import annotations

import re

import pytest

from packhound.core.types import Document, Node
from packhound.parsing.languages import language_of
from packhound.parsing.parse import parse
from packhound.parsing.version import grammar_version
from tests.support.syntax_check import parsed


def check_nodes_of(path: str, source: str, expected: list[str]) -> tuple[Node, ...]:
    nodes = parsed(path, source).nodes
    assert [f"{node.kind} {node.qualname}" for node in nodes] == expected
    return nodes


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a/b.py", b"", "python"),
        ("b.PY", b"", "python"),
        ("b.d.ts", b"", "typescript"),
        ("Rakefile", b"", "ruby"),
        ("bin/deploy", b"#!/usr/bin/env bash", "bash"),
        ("bin/deploy", b"#!/usr/bin/env -S python3.11 -u", "python"),
        ("bin/deploy", b"#! /usr/bin/ruby -w\r", "ruby"),
        ("bin/deploy", b"#!", None),
        ("notes.txt", b"#!/bin/sh", None),
        ("Makefile", b"", None),
        ("data.json", b"", None),
    ],
)
def test_language_of(path: str, first_line: bytes, language: str | None) -> None:
    assert language_of(path, first_line) == language


def test_a_path_decides_before_an_editor_does() -> None:
    assert parse(Document("a.py", b"x = 1", language="ruby")).language == "python"
    assert parse(Document("untitled-1", b"def f():\n    pass\n", "python")).language == "python"
    assert parse(Document("a.jinja", b"{{ x }}", "plaintext")).language == "text"


def test_headers_are_cpp_when_they_say_so() -> None:
    assert parsed("a.h", "int f(void);\n").language == "c"
    assert parsed("a.h", "namespace a { class B {}; }\n").language == "cpp"


def test_a_long_local_function_stands_alone_and_a_short_one_does_not() -> None:
    short = "def outer():\n    def short():\n        pass\n    def long():\n"
    nodes = check_nodes_of(
        "a.py", short + "        x = 1\n" * 8, ["function outer", "function outer.long"]
    )
    assert nodes[1].parent == 0


def test_licences_are_nobodys_text() -> None:
    source = (
        "# Copyright 2024 Somebody\n# MIT licence\n\n# Adds.\ndef add(a, b):\n    return a + b\n"
    )
    (node,) = check_nodes_of("a.py", source, ["function add"])
    assert node.doc == "Adds."


def test_a_doc_may_float_above_what_it_documents() -> None:
    source = "'use strict'\n\nvar x = 1\n\n/**\n * Adds.\n */\n\nexports.add = function () {}\n"
    nodes = check_nodes_of("a.js", source, ["file a", "function add"])
    assert nodes[1].doc == "Adds."


def test_a_comment_behind_code_documents_nothing() -> None:
    (_, node) = check_nodes_of(
        "a.c", "int count; /* all */\nint f(void) {\n}\n", ["file a", "function f"]
    )
    assert node.doc == ""


def test_references_are_identifiers_in_code() -> None:
    source = 'def f(key):\n    # no comment\n    return call(key.path, "no", f"{other}")\n'
    (node,) = check_nodes_of("a.py", source, ["function f"])
    assert node.references == ("key", "call", "path", "other")


@pytest.mark.parametrize(
    ("path", "source", "references"),
    [
        ("a.py", "def f(a):\n    match = a.end(1)\n    return a.print(match(a))\n",
         ("end", "match", "print")),
        ("a.ts", "function f(a) { return from(a.delete(b$), $c.get(this.#dd)); }\n",
         ("this", "dd", "#dd", "$c", "delete", "from", "get")),
        ("a.ts", "function get(a) { a.get(); }\n", ("get",)),
        ("a.ts", "function reset(a) { this.reset = a; }\n", ("this", "reset")),
        ("a.ts", "async function ff() { if (a) { for (const b of a) {} } }\n", ()),
    ],
)  # fmt: skip
def test_keywords_that_are_called_and_a_second_own_name_are_references(path, source, references):
    (node,) = parsed(path, source).nodes
    assert {*node.references} == {*references}


def test_an_impl_for_a_reference_is_named_like_the_type() -> None:
    code = "impl<'a> Find for &'a mut Place<'a> {\n    type Found = u8;\n}\n"
    (impl, _) = check_nodes_of("a.rs", code, ["impl impl Find for Place", "type Place::Found"])
    assert impl.name == "Place"


def test_long_scripts_are_cut_into_windows() -> None:
    source = "".join(f"step_{i} --with option_{i}\n" + "\n" * (i % 20 == 0) for i in range(400))
    nodes = parsed("deploy.sh", source).nodes
    assert [node.kind for node in nodes[:3]] == ["file", "window", "window"]
    assert all(sum(high - low for low, high in node.own_ranges) < 4_000 for node in nodes)
    assert {term for node in nodes for term in node.references} >= {"step_0", "step_399"}


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"x",
        b"\xef\xbb\xbfdef f(): pass\n",
        b"\xff\xfed\x00e\x00f\x00",
        b"def f():\x00\n pass",
        b"caf\xe9 = 1\ndef f():\n    pass\n",
        "def f():\n    '\ud800'\n".encode("utf-8", "surrogatepass"),
        b"def f():\r    pass\rdef g():\r    pass\r",
        b"def f():\n\x0c    pass\n",
        "x = '\u2028'\ndef f(): pass\n".encode(),
        b"(" * 5_000,
        b"[" * 5_000 + b"]" * 5_000,
        b"x = [" + b"1," * 100_000 + b"]",
        b"def f():\n" + b" " * 50_000 + b"pass",
    ],
    ids=range(14),
)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.rs", "a.txt", "a.md", "a.vue"])
def test_odd_sources(path: str, source: bytes) -> None:
    parsed(path, source)


def test_binary_content_has_no_nodes() -> None:
    result = parsed("a.py", b"\x7fELF\x00\x01")
    assert result.nodes == ()
    assert result.degraded == "binary content"


def test_what_is_too_large_is_cut_into_windows() -> None:
    result = parsed("a.py", b"def f():\n    pass\n\n" * 240_000)
    assert result.degraded == "larger than 4,000,000 bytes"
    assert {node.kind for node in result.nodes} == {"window"}
    assert result.nodes[1].name == "a:721"
    assert result.nodes[-1].span.end_line == 719_998


def test_broken_code_gives_what_is_left() -> None:
    nodes = parsed("a.js", "function broken( {\n\nfunction whole() {\n  return 1\n}\n").nodes
    assert "whole" in {node.name for node in nodes}


def test_deep_nesting_does_not_recurse() -> None:
    deep = b"".join(b" " * i + b"class C%d:\n" % i for i in range(400)) + b" " * 400 + b"pass\n"
    nodes = parsed("a.py", deep).nodes
    assert len(nodes) == 400
    assert len(nodes[-1].qualname) < 60


def test_the_version_names_queries_and_grammars() -> None:
    assert re.fullmatch(r"\d+-[0-9a-f]{16}", grammar_version())


def test_the_version_is_another_with_another_release(tmp_path, monkeypatch) -> None:
    installed = tmp_path / "tree_sitter" / "__init__.py"
    installed.parent.mkdir()
    installed.touch()
    monkeypatch.syspath_prepend(tmp_path)
    versions = {grammar_version.__wrapped__()}
    for release in ("1.0", "1.1"):
        folder = tmp_path / f"tree_sitter-{release}.dist-info"
        folder.mkdir()
        versions.add(grammar_version.__wrapped__())
        folder.rmdir()
    assert len(versions) == 3


@pytest.mark.parametrize(
    "typing", ["    total = add(", "    if (", "    x = [", '    print("', "    {"]
)
def test_a_line_that_is_being_typed_costs_no_definition(typing: str) -> None:
    functions = "".join(f"def f{i}(a):\n    b = a + {i}\n    return b\n\n" for i in range(9))
    source = functions.replace("    b = a + 3\n", f"    b = a + 3\n{typing}\n")
    names = [node.name for node in parsed("a.py", source).nodes]
    assert [name for name in names if name != "a"] == [f"f{i}" for i in range(9)]


def test_operators_have_their_names_and_signatures_no_comments() -> None:
    source = (
        b"class Row # of a table\n  def []=(key, value)\n    # Maybe new.\n    set key, value\n"
    )
    source += b"  end\n  def &(other) = self\n  def *(other) = self\nend\n"
    named = [(node.name, node.signature) for node in parse(Document("row.rb", source)).nodes]
    assert named == [
        ("Row", "class Row"),
        ("[]=", "def []=(key, value)"),
        ("&", "def &(other)"),
        ("*", "def *(other)"),
    ]
