"""Rewriting of sources that grammars cannot parse as they are.

Identifiers keep their offsets, so offsets in the tree are offsets in the source.
"""

from __future__ import annotations

import re

from packhound.parsing.extract.c_macros import blank_macros
from packhound.parsing.source import ByteRange, Source, blank
from packhound.text import is_notebook

_SCRIPT = re.compile(rb"(<script\b[^>]*>)(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_BATS_TEST = re.compile(rb"^(@test[ \t]+[^\n]*?)([ \t]*\{[ \t]*)(?=\r?$)", re.MULTILINE)
_SETEXT = re.compile(
    rb"^(?<![^\r\n]\n)(?<![^\r\n]\r\n)(?![#>|\-*+`]|\d+[.)]\s)(\S[^\r\n]{3,120})(\r?\n)"
    rb"(={3,}|-{3,})([ \t]*)(?=\r?\n|\Z)",
    re.MULTILINE,
)
_MAGIC = re.compile(rb"^[ \t]*[%!?][^\r\n]*", re.MULTILINE)
"""Commands of IPython, which are no Python."""
_ATTRIBUTES_ONLY = re.compile(
    rb"^[ \t]*#[ \t]*if\b[^\n]*\n(?:\s*(?:\[(?:[^\[\]]|\[[^\[\]]*\]){1,2000}\]|//[^\n]*"
    rb"|#[ \t]*el[^\n]*))+\s*#[ \t]*endif\b[^\n]*\n",
    re.MULTILINE,
)
"""A condition of C# around attributes, which a grammar that takes it for a member cannot parse."""
_DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*\n", re.MULTILINE)


def preprocess(source: Source) -> tuple[bytes, list[ByteRange]]:
    """Rewrite a source for its grammar; return it and the ranges of attributes blanked in it."""
    if source.language.name in ("c", "cpp"):
        return blank_macros(source.octets)
    return _rewrite(source), []


def _rewrite(source: Source) -> bytes:
    if source.language.in_scripts:
        return _blank_outside_scripts(source.octets)
    if source.path.endswith(".bats"):
        return _BATS_TEST.sub(_replace_bats_test, source.octets)
    if source.language.name == "python" and is_notebook(source.path):
        return _MAGIC.sub(lambda magic: b" " * len(magic[0]), source.octets)
    if source.language.name == "csharp" and b"#endif" in source.octets:
        return _ATTRIBUTES_ONLY.sub(_blank_directives, source.octets)
    if source.language.name == "markdown":
        return _SETEXT.sub(_replace_setext_heading, source.octets)
    return source.octets


def _replace_bats_test(test: re.Match[bytes]) -> bytes:
    return b"t" * (len(test[1]) - 2) + b"()" + test[2]


def _blank_directives(attributes: re.Match[bytes]) -> bytes:
    """Blank directives with their line ends, so that what is around them stays together."""
    return _DIRECTIVE.sub(lambda directive: b" " * len(directive[0]), attributes[0])


def _replace_setext_heading(setext: re.Match[bytes]) -> bytes:
    """Replace an underlined heading, which the grammar does not take for a section."""
    title, line_end, underline, rest = setext.groups()
    marks = b"# " if underline.startswith(b"=") else b"## "
    return marks + b"x" * (len(title) - len(marks)) + line_end + b" " * len(underline) + rest


def _blank_outside_scripts(page: bytes) -> bytes:
    """Replace everything outside script elements by blanks."""
    parts, previous_end = [], 0
    for match in _SCRIPT.finditer(page):
        start, end = match.span(2)
        parts += [blank(page[previous_end:start]), page[start:end]]
        previous_end = end
    return b"".join([*parts, blank(page[previous_end:])])
