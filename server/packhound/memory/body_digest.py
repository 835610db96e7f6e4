"""The digest of a definition's body that survives what does not change it: name, comments, layout.

A lexer for all languages: strings, comments by the language's family, words, and every other
character alone. What it gets wrong, such as a `#` in a regular expression, it gets wrong each time.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from packhound.core.types import Node

DIGEST_BYTES = 16
MAX_BODY_BYTES = 64 * 1024
"""Of a longer body what comes first decides."""
_HASH = frozenset({"python", "ruby", "bash", "r", "elixir", "julia"})
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_COMMENTS = {
    "lua": r"--\[\[.*?(?:\]\]|\Z)|--[^\n]*",
    "sql": rf"{_BLOCK}|--[^\n]*",
    "haskell": r"\{-.*?(?:-\}|\Z)|--[^\n]*",
    "ocaml": r"\(\*.*?(?:\*\)|\Z)",
    "ocaml_interface": r"\(\*.*?(?:\*\)|\Z)",
    "php": rf"{_BLOCK}|//[^\n]*|\#[^\n]*",
    "markdown": r"<!--.*?(?:-->|\Z)",
}
_STRING = r'"""(?:.*?)(?:"""|\Z)' r"|'''(?:.*?)(?:'''|\Z)" r'|"(?:\\.|[^"\\\n])*"?'
_SINGLE = r"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_TOKEN = r"|(?P<token>\w+|[^\w\s])"
_CONTAINERS = frozenset({"class", "struct", "interface", "trait", "impl", "module", "enum", "file"})


def body_of(source: bytes, nodes: tuple[Node, ...], position: int) -> str:
    """Return the text of a node without doc comments; of a type what is not in its members."""
    node = nodes[position]
    runs = list(node.own_ranges)
    if node.kind not in _CONTAINERS:
        inside = (n for n in nodes if node.span.start <= n.span.start < node.span.end)
        runs = sorted(run for n in inside if n.span.end <= node.span.end for run in n.own_ranges)
    text = b"".join(source[start:end] for start, end in runs)
    return text[:MAX_BODY_BYTES].decode("utf-8", "replace")


def body_tokens(body: str, name: str, language: str) -> list[str]:
    """Return the tokens of a body without comments, layout and the name of what it defines."""
    tokens = []
    lexer = f"{_comment_of(language)}|(?P<string>{_STRING}{_SINGLE}){_TOKEN}"
    for match in re.finditer(lexer, body, re.DOTALL):
        token = match["token"] or match["string"]
        if token and token != name:
            tokens.append(token)
    return tokens


def body_digest(body: str, name: str, language: str) -> str:
    """Return the digest of a body's tokens, in hexadecimal."""
    joined = "\0".join(body_tokens(body, name, language))
    octets = joined.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(octets, digest_size=DIGEST_BYTES).hexdigest()


def similarity(tokens: Counter[str], others: Counter[str]) -> float:
    """Return the share of tokens that two bodies have in common, each as often as both have it."""
    common = (tokens & others).total() if tokens and others else 0
    return common / max(1, (tokens | others).total())


def last_name(qualname: str) -> str:
    """Return the name of a definition, the last part of its qualified name."""
    return re.split(r"[^\w$]+", qualname)[-1]


def _comment_of(language: str) -> str:
    if language in _HASH:
        return r"#[^\n]*"
    return _COMMENTS.get(language, rf"{_BLOCK}|//[^\n]*")
