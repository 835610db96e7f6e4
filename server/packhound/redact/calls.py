"""Secrets by their place in a call or a command: the rows of `secret_calls.txt` as rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from packhound.redact.patterns import Rule
from packhound.redact.values import is_command_password, is_configured_password

_ARGUMENT = r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^,()\"';]|\([^()]{0,100}\)){1,200},\s{0,80}"
_LITERAL = r"(?:[bfr@$]|\[\]byte\(|Some\()?['\"`](?P<secret>[^\s'\"`]{6,200})['\"`]"
_WORD = r"['\"]?(?P<secret>[^\s'\"]{4,200})"


def _read_rules() -> Iterator[Rule]:
    for line in Path(__file__).with_name("secret_calls.txt").read_text("ascii").splitlines():
        if not line or line.startswith("#"):
            continue
        place, name, *rest = line.split(maxsplit=2)
        name = name.replace("+", " ")
        # The name first, since `re` looks for a literal beginning much faster.
        begin = rf"{re.escape(name)}(?<![A-Za-z0-9_]{re.escape(name)})"
        if place == "option":
            pattern = rf"{begin}\w{{0,8}}[ \t]{{0,3}}{rest[0]}{_WORD}"
            yield Rule("password", (name.lower(),), re.compile(pattern), is_command_password)
        else:
            call = rf"{begin}(?:\.new|::new)?[ \t]{{0,3}}[( \t]\s{{0,80}}"
            pattern = f"{call}(?:{_ARGUMENT}){{{place}}}{_LITERAL}"
            yield Rule("credential", (name.lower(),), re.compile(pattern), is_configured_password)


CALL_RULES = tuple(_read_rules())
"""Searched for in the whole text."""
