"""Which licence a checkout stands under, told from the text of its licence file."""

from __future__ import annotations

from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "UNLICENSE", "LICENSE-MIT", "LICENSE-APACHE", "COPYRIGHT")

_RECIPROCAL = ("gnu general public", "gnu lesser general", "gnu affero", "mozilla public license")

_PERMISSIVE = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("MIT", ("permission is hereby granted, free of charge", "the software is provided")),
    ("ISC", ("permission to use, copy, modify, and",)),
    ("BSD", ("redistribution and use in source and binary forms",)),
    ("BSL-1.0", ("boost software license",)),
    ("Unlicense", ("free and unencumbered software",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("Zlib", ("this software is provided 'as-is'",)),
    ("PSF-2.0", ("python software foundation license",)),
    ("MIT", ("mit license",)),
)


def licence_of(tree: Path, licence_file: str | None) -> str | None:
    """The permissive licence of `tree` by name; None where it is another or cannot be told."""
    for path in _candidates(tree, licence_file):
        text = " ".join(path.read_text("utf-8", "replace").lower().split())
        name = _name(text)
        if name is not None:
            return name
    return None


def _candidates(tree: Path, licence_file: str | None) -> list[Path]:
    named = [tree / licence_file] if licence_file else []
    if not tree.is_dir():
        return []
    others = sorted(
        path for path in tree.iterdir() if path.name.upper().startswith(NAMES) and path.is_file()
    )
    return [path for path in (*named, *others) if path.is_file()]


def _name(text: str) -> str | None:
    for name, phrases in _PERMISSIVE:
        if all(phrase in text for phrase in phrases):
            starts = min(text.find(phrase) for phrase in phrases)
            reciprocal = [text.find(words) for words in _RECIPROCAL if words in text]
            if not reciprocal or starts < min(reciprocal):
                return name
    return None
