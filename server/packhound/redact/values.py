"""What a value looks like: drawn at random, chosen by someone, or none that anyone would hide."""

from __future__ import annotations

import re
from itertools import pairwise

from packhound.redact.entropy import entropy, is_placeholder, is_random


def is_drawn(value: str) -> bool:
    """After a prefix that gives it away a value need only not be a written name."""
    mixed = not value.islower() and any(map(str.islower, value))
    plain = not any(separator in value[4:] for separator in "_-.")
    return entropy(value) >= 2.5 and (mixed or plain or any(map(str.isdigit, value)))


def is_password(name: str, value: str, *, quoted: bool) -> bool:
    """Random enough for what its name asks for."""
    if is_placeholder(value) or is_name(value) or is_location(value):
        return False
    if is_random(value, 2.6 if quoted and "pass" in name.lower() else 3.2):
        return quoted or len(value) >= 16
    return False


def is_chosen(value: str, *, bare: bool) -> bool:
    """A password that someone made up: letters, digits, and where it has no quotes a sign too."""
    if (
        is_placeholder(value)
        or is_name(value)
        or is_location(value)
        or not value[0].isalnum() | (value[0] in "!@#")
    ):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    n_kinds = sum(any(map(kind, value)) for kind in kinds)
    signs = {character for character in value if not character.isalnum() and character != "_"}
    if bare and not (signs <= _SIGNS and (signs or _changes(value) >= 2)):
        return False
    return any(map(str.isdigit, value)) and n_kinds + bool(signs) >= 3


def is_mixed(value: str) -> bool:
    """Random beyond what a name, a version or a path can be: no quotes say that it is a value."""
    if is_location(value) or value.count(".") > 1 or value.count("-") + value.count("_") > 4:
        return False
    cases = any(map(str.islower, value)) and any(map(str.isupper, value))
    return _changes(value) >= (3 if cases else 6) and is_random(value, 3.2)


_SIGNS = frozenset("!@#^~?*+-%$")


def _changes(value: str) -> int:
    """How often a letter follows a digit or the other way round."""
    return sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))


def is_base64(body: str) -> bool:
    """Whether most of a text is in runs that only encoded bytes have."""
    encoded = sum(len(run) for run in re.findall(r"[A-Za-z0-9+/=_-]{20,}", body))
    return encoded >= 40 and encoded >= 0.6 * len("".join(body.split()))


def is_sample(value: str) -> bool:
    """Made up for documentation."""
    lowered = value.lower()
    return "example" in lowered or "xxxxxx" in lowered or len(set(lowered)) <= 6


def is_dull(value: str) -> bool:
    """Passwords in URLs and commands that everyone writes in documentation."""
    return is_placeholder(value) or (is_name(value) and len(value) < 12) or value.isdigit()


def is_name(value: str) -> bool:
    """A word, a path of names, a call or a variable: not the value of a secret."""
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z_.:>-]*(?:\(.*)?|\$.*|%.*|&.*|@.*|\*+", value))


def is_location(value: str) -> bool:
    """A path or an address."""
    return "://" in value or value.startswith(("./", "../", "/", "~/", "http"))
