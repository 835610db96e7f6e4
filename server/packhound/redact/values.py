"""Tests of a value: drawn at random, chosen as a password, or none that anyone would hide."""

from __future__ import annotations

import base64
import binascii
import re
from itertools import pairwise

from packhound.redact.entropy import (
    entropy,
    has_mixed_letters,
    is_placeholder,
    is_random,
    is_template,
)

_BARE_SIGNS = frozenset("!@#^~?*+-%$")
_REFERENCE = re.compile(
    r"\$[({\w]|[*&]\w+$|!(?:ref|sub|vault|getatt|enc|env|secret)|%\w+%|\{\{|@microsoft"
    r"|(?:vault|ssm|arn|file|env|ref(?:\+\w+)?):",
    re.I,
)
"""Beginning of a value that stands somewhere else."""
_CODE = re.compile(r"[A-Za-z_][\w.]{2,}[(\[{]|[^\n]*(?:->|::|=>|&&|\|\||\$\{|\{\{|[;({]$)")
_TYPICAL_SIGNS = frozenset("_.,:/-'\"`")
"""Signs that names, numbers and paths have too."""


def is_published_token(value: str) -> bool:
    """Return True if a value in the form of a token is one: neither a sample nor a written name."""
    mixed = not value.islower() and any(map(str.islower, value))
    plain = not any(separator in value[4:] for separator in "_-.")
    return is_key_material(value) and (mixed or plain or any(map(str.isdigit, value)))


def is_named_secret(value: str, *, is_password: bool) -> bool:
    """Return True if a value in quotes is what its name asks for: random, or a chosen password."""
    if looks_like_password(value, bare=False) and (is_password or has_password_signs(value)):
        return True
    return not value.isdigit() and is_secret_value(value, quoted=True, is_password=is_password)


def is_secret_value(value: str, *, quoted: bool, is_password: bool = False) -> bool:
    """Return True if a value is random enough for a secret."""
    if is_placeholder(value) or is_name(value) or is_location(value):
        return False
    if len(value) >= 8 and is_random(value, 2.6 if is_password else 3.2):
        return quoted or len(value) >= 16
    return False


def looks_like_password(value: str, *, bare: bool) -> bool:
    """Return True for a password that someone made up: letters, digits, without quotes a sign."""
    if (
        is_placeholder(value)
        or is_name(value)
        or is_location(value)
        or not value[0].isalnum() | (value[0] in "!@#")
    ):
        return False
    signs = _signs(value)
    if bare and not (signs <= _BARE_SIGNS and (signs or _n_changes(value) >= 2)):
        return False
    return any(map(str.isdigit, value)) and _n_cases(value) + bool(signs) >= 3


def is_configured_password(value: str) -> bool:
    """Return True for what a document gives to a password: no reference, template or plain word."""
    if _REFERENCE.match(value) or is_template(value) or is_location(value):
        return False
    if is_name(value):
        return has_mixed_letters(value)
    signs = _signs(value) - _TYPICAL_SIGNS
    n_kinds = _n_cases(value) + bool(signs)
    return n_kinds >= 3 or (n_kinds == 2 and len(value) >= 8 and any(map(str.isdigit, value)))


def is_command_password(value: str) -> bool:
    """Return True for a password on a command line: not dull, no variable and no port."""
    if _REFERENCE.match(value) or not any(map(str.isalpha, value)):
        return False
    return not is_dummy_password(value) or is_configured_password(value)


def is_random_user(value: str) -> bool:
    """Return True for a token in the place of the user of a URL."""
    return is_secret_value(value, quoted=False) and not is_sample(value)


def has_password_signs(value: str) -> bool:
    """Return True if signs that passwords are given stand among ten characters or more."""
    return len(value) >= 10 and bool(_signs(value)) and _signs(value) <= _BARE_SIGNS


def has_special_characters(value: str) -> bool:
    """Return True for a password with signs that no word has, where it is no piece of code."""
    if _REFERENCE.match(value) or is_template(value):
        return False
    if is_location(value) or _CODE.match(value):
        return False
    signs = _signs(value) - _TYPICAL_SIGNS
    n_kinds = _n_cases(value) + bool(signs)
    return bool(signs) and (n_kinds == 4 or (n_kinds == 3 and len(signs) >= 2))


def is_high_entropy_bare(value: str) -> bool:
    """Return True if a value without quotes is more random than a name, a version or a path."""
    if (
        is_placeholder(value)
        or is_location(value)
        or value.count(".") > 1
        or value.count("-") + value.count("_") > 4
    ):
        return False
    both_cases = any(map(str.islower, value)) and any(map(str.isupper, value))
    return _n_changes(value) >= (3 if both_cases else 6) and is_random(value, 3.2)


def is_mostly_base64(body: str) -> bool:
    """Return True if most of a text is in runs that only encoded bytes have."""
    encoded = sum(len(run) for run in re.findall(r"[A-Za-z0-9+/=_-]{20,}", body))
    return encoded >= 40 and encoded >= 0.6 * len("".join(body.split()))


def is_encoded_credential(value: str) -> bool:
    """Return True for base64 of printable text, or a random value."""
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    printable = len(decoded) >= 4 and all(0x20 <= byte < 0x7F for byte in decoded)
    return printable or (is_random(value) and not is_sample(value))


def is_key_material(value: str) -> bool:
    """Return True if a value in the form of a key is no sample."""
    return entropy(value) >= 2.5 and not is_sample(value)


def is_sample(value: str) -> bool:
    """Return True for values made up for documentation."""
    lowered = value.lower()
    return "example" in lowered or "xxxxxx" in lowered or len(set(lowered)) <= 6


def is_no_sample(value: str) -> bool:
    """Return True unless `is_sample`, as the test of a rule."""
    return not is_sample(value)


def is_unnamed(value: str) -> bool:
    """Return True for what is neither a sample nor a name."""
    return not is_sample(value) and not is_name(value)


def is_no_dummy(value: str) -> bool:
    """Return True unless `is_dummy_password`, as the test of a rule."""
    return not is_dummy_password(value)


def is_dummy_password(value: str) -> bool:
    """Return True for passwords in URLs and commands that everyone writes in documentation."""
    return is_placeholder(value) or (is_name(value) and len(value) < 12) or value.isdigit()


def is_name(value: str) -> bool:
    """Return True for a word, a path of names, a call or a variable: not the value of a secret."""
    return bool(re.fullmatch(r"[A-Za-z_][A-Za-z_.:>-]*(?:\(.*)?|\$.*|%.*|&.*|@.*|\*+", value))


def is_location(value: str) -> bool:
    """Return True for a path or an address."""
    return "://" in value or value.startswith(("./", "../", "/", "~/", "http"))


def _n_cases(value: str) -> int:
    """Return how many of lower case, upper case and digits a value has."""
    return sum(any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit))


def _signs(value: str) -> set[str]:
    return {character for character in value if not character.isalnum() and character != "_"}


def _n_changes(value: str) -> int:
    """Return how often a letter follows a digit or the other way round."""
    return sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
