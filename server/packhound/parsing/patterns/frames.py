"""Texts around a pattern in which a grammar reads what cannot stand alone."""

from __future__ import annotations

import re

Frame = tuple[str, str]

_ALONE: tuple[Frame, ...] = (("", ""), ("", ";"), ("", " {}"))
_CLASS: tuple[Frame, ...] = (("class A { ", " }"), ("class A { ", "; }"), ("class A { ", " {} }"))
_END: tuple[Frame, ...] = (("", ""), ("", "\nend"))
_SCRIPT: tuple[Frame, ...] = (
    ("try {} ", ""),
    ("try {} ", " {}"),
    ("switch (a) { ", " }"),
    *_ALONE,
    ("async function f() { ", " }"),
    *_CLASS,
    ("a = ", ""),
)
_METHOD: tuple[Frame, ...] = (
    ("class A { void f() { try {} ", " } }"),
    ("class A { void f() { try {} ", " {} } }"),
    ("class A { void f() { switch (a) { ", " } } }"),
    *_ALONE,
    *_CLASS,
    ("class A { void f() { ", " } }"),
    ("class A { void f() { ", "; } }"),
)
_C: tuple[Frame, ...] = (
    ("void f() { switch (a) { ", " } }"),
    ("void f() { ", " }"),
    ("void f() { ", "; }"),
    *_ALONE,
)
_FRAMES: dict[str, tuple[Frame, ...]] = {
    "python": (
        ("try: pass\n", ""),
        ("try: pass\n", " pass"),
        ("try: pass\n", ": pass"),
        ("match a:\n ", " pass"),
        ("match a:\n ", ": pass"),
        ("", ""),
        ("", ": pass"),
        ("", " pass"),
        ("", "\n pass"),
    ),
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte"), _SCRIPT),
    **dict.fromkeys(("java", "csharp"), _METHOD),
    "c": _C,
    "cpp": (("void f() { try {} ", " }"), ("void f() { try {} ", " {} }"), *_C, *_CLASS),
    "go": (
        ("func f() { switch { ", " } }"),
        ("func f() { ", " }"),
        *_ALONE,
        ("func ", ""),
    ),
    "rust": (
        ("fn f() { match a { ", " } }"),
        *_ALONE,
        ("fn f() { ", " }"),
        ("fn f() { ", "; }"),
        ("impl A { ", " }"),
        ("impl A { ", " {} }"),
    ),
    "ruby": (("begin\n", "\nend"), *_END, ("case a\n", "\nend")),
    "php": tuple(
        ("<?php " + before, after)
        for before, after in (("try {} ", ""), ("try {} ", " {}"), *_ALONE, *_CLASS)
    ),
    "kotlin": (("fun f() { try {} ", " }"), *_ALONE, *_CLASS, ("fun f() { ", " }")),
    "swift": (("func f() { do {} ", " }"), *_ALONE, *_CLASS, ("func f() { ", " }")),
    "scala": (*_ALONE, *_CLASS, ("", " = a")),
    "dart": (*_ALONE, ("f() { ", " }"), ("f() { ", "; }"), *_CLASS),
    "zig": (*_ALONE, ("fn f() void { ", " }"), ("fn f() void { ", "; }")),
    "elixir": (*_END, ("", " do\nend")),
    "lua": (*_END, ("", " end")),
    "julia": _END,
    "haskell": (("", ""), ("f = ", ""), ("", " = a")),
    "ocaml": (("", ""), ("let f = ", ""), ("", " = a")),
    "bash": (("", ""), ("", "\nfi"), ("", "\ndone"), ("", " { :; }")),
}
_HEAD: tuple[Frame, ...] = (("", " {}"), ("class A { ", " {} }"))
_HEAD_LANGUAGES = frozenset({"c", "cpp", "csharp", "go", "java", "rust", "typescript", "tsx"})
"""Languages in which the head of a function without its body is a declaration."""
_LIKE_A_HEAD = re.compile(
    r"\s*(?!(?:await|case|for|if|match|new|return|switch|throw|while|yield|use|import|let|const)\b)"
    r"(?:[\w$]+[\s*&]+[\w$*&]|func \().*\)[^;{}]*$",
    re.DOTALL,
)


def frames_of(language: str, pattern: str) -> tuple[Frame, ...]:
    """Return the frames of a language, in the order in which they are tried for a pattern.

    Those of clauses come first, since what is none does not parse there; the head of a function is
    rather one with a body than a declaration.
    """
    frames = _FRAMES.get(language, _ALONE)
    is_head = language in _HEAD_LANGUAGES and _LIKE_A_HEAD.match(pattern)
    return (*_HEAD, *frames) if is_head else frames
