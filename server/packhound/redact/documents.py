"""Secrets that the format of a document gives away: key files, manifests and configurations.

Bounded as the rules of `patterns` are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packhound.redact.entropy import is_random
from packhound.redact.names import NAME
from packhound.redact.patterns import Rule, make_rule
from packhound.redact.values import (
    has_special_characters,
    is_configured_password,
    is_encoded_credential,
    is_key_material,
    is_mostly_base64,
    is_no_sample,
)

_PAIR_NAME = rf"['\"]?[ \t]{{0,4}}[:=][ \t]{{0,4}}['\"]?[\w.:/-]{{0,60}}?{NAME}[\w.-]{{0,30}}['\"]?"
_PAIR_VALUE = (
    r"value['\"]?[ \t]{0,4}[:=][ \t]{0,4}(?P<quote>['\"]?)(?P<secret>[^\s'\"]{6,200})(?P=quote)"
)

DOCUMENT_RULES: tuple[Rule, ...] = (
    make_rule(
        "private-key",
        ("private-lines:",),
        r"private-lines: \d{1,4}\r?\n((?:[a-z0-9+/=]{1,80}\r?\n?)+)",
        is_mostly_base64,
    ),
    make_rule(
        "private-key",
        ("client-key-data",),
        r"client-key-data['\"]?:[ \t]{0,8}['\"]?([a-z0-9+/=]{40,})",
        is_key_material,
    ),
    make_rule(
        "npm-token",
        ("_auth", "_password"),
        r"(?m)^[ \t]{0,8}(?://[^\s=]{1,200}:)?_(?:auth|password|authtoken)[ \t]{0,4}="
        r"[ \t]{0,4}['\"]?([a-z0-9+/=_-]{8,400})['\"]?[ \t]{0,80}\r?$",
        is_encoded_credential,
    ),
    *(
        # Environments of Kubernetes and ECS, parameters of CloudFormation, settings in XML.
        make_rule(
            "secret",
            (literal,),
            rf"{literal}{_PAIR_NAME},?\s{{1,80}}['\"]?[\w:]{{0,16}}?{_PAIR_VALUE}",
            is_configured_password,
        )
        for literal in ("name", "key")
    ),
    make_rule(
        "secret",
        ("value",),
        rf"{_PAIR_VALUE},?\s{{1,80}}['\"]?\w{{0,12}}?(?:name|key){_PAIR_NAME}",
        is_configured_password,
    ),
    *(
        # Android's resources, settings and properties in XML, property lists.
        make_rule(
            "secret",
            (literal,),
            rf"{literal}[\w.:/-]{{0,60}}?{NAME}[\w.-]{{0,30}}(?:\"[^<>]{{0,100}}>|</key>)\s{{0,80}}"
            r"(?:<(?:string|value)>)?\s{0,20}([^<>\s]{6,400})\s{0,20}</",
            is_configured_password,
        )
        for literal in ('name="', "<key>")
    ),
    *(
        make_rule(
            "mnemonic",
            (word,),
            rf"{word}(?:[ _-]?(?:phrase|words))?[^\na-z]{{1,8}}"
            r"((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])",
            is_no_sample,
        )
        for word in ("mnemonic", "seed", "recovery")
    ),
    make_rule(
        "password",
        ("password>", "passwd>", "passphrase>", "pwd>", "secret>", "token>", "key>"),
        rf"<[\w.:-]{{0,40}}{NAME}[\w-]{{0,20}}(?:\s[^<>]{{0,200}})?>\s{{0,20}}"
        r"(?:<!\[cdata\[)?([^<>\s]{6,200}?)(?:\]\]>)?\s{0,20}</",
        is_configured_password,
    ),
    make_rule(
        "secret",
        ('variable "',),
        rf"variable[ \t]{{1,5}}\"[\w-]{{0,60}}{NAME}[\w-]{{0,30}}\"\s{{0,5}}\{{"
        r"[^{}]{0,600}?\bdefault[ \t]{0,40}=[ \t]{0,8}\"([^\"\s]{6,200})\"",
        is_configured_password,
    ),
    make_rule(
        "laravel-key",
        ("base64:",),
        r"key['\"]?\s{0,4}(?:=>?|:|,)\s{0,4}['\"]?base64:([a-z0-9+/]{22,100}={0,2})",
        is_key_material,
    ),
    make_rule(
        "wireguard-key",
        ("presharedkey", "privatekey"),
        r"(?:private|preshared)key\s{0,4}[=:]\s{0,4}['\"]?([a-z0-9+/]{43}=)",
        is_key_material,
    ),
    make_rule(
        "machine-key",
        ("validationkey", "decryptionkey"),
        r"(?:validation|decryption)key\s{0,4}=\s{0,4}['\"]([0-9a-f]{32,256})",
        is_key_material,
    ),
    make_rule(
        "json-web-key",
        ('kty"', "kty'", "kty:"),
        r"(?<![\w.])['\"]?(?:d|p|q|dp|dq|qi|k)['\"]?\s{0,4}:\s{0,4}['\"]"
        r"([a-z0-9_-]{16,2000})={0,2}['\"]",
        is_random,
    ),
    make_rule(
        "sentry-dsn",
        ("://",),
        r"://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,100}(?::\d{1,5})?/[\w/-]{1,60}",
        is_no_sample,
    ),
    *(
        make_rule(
            "password",
            (word,),
            rf"(?m){word}[\w-]{{0,30}}['\"]?(?::[ \t]{{1,8}}|=)(?P<quote>['\"]?)"
            r"(?P<secret>\S{8,200}?)(?P=quote),?(?:[ \t]{1,80}#[^\n]{0,300})?[ \t\r]{0,80}$",
            has_special_characters,
        )
        for word in ("password", "passwd", "passphrase", "pwd", "secret")
    ),
)
"""Searched for in the whole text, in lower case."""

_PRIVATE_KEYS = (
    re.compile(
        r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<body>(?:(?!-----BEGIN)[\s\S]){40,20000}?)"
        r"-----END[ A-Z0-9_-]{0,60}KEY(?: BLOCK)?-----"
    ),
    re.compile(
        r"PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[\s\"'+,;]|\\n|\\r)*"
        r"(?:[A-Za-z0-9+/=]{40,}(?:[\s\"'+,;]|\\n|\\r)*)+)"
    ),
)

_DATA, _VALUE_LINE = r"^(?:string)?data:[^\n]*\n", r"[ \t][^\n]*"
_KIND = r"^kind:[ \t]*[\"']?secret\b"
_MANIFESTS = (
    re.compile(rf"(?im){_KIND}(?:.*\n){{0,40}}?{_DATA}(?P<body>(?:{_VALUE_LINE}(?:\n|\Z))+)"),
    # As `kubectl get -o yaml` prints it, by the names of the keys.
    re.compile(
        rf"(?im){_DATA}(?P<body>(?:{_VALUE_LINE}\n)+)(?![ \t])(?:(?!---).*\n){{0,40}}?{_KIND}"
    ),
)
_MANIFEST_VALUE = re.compile(r":[ \t]*['\"]?([\w+/]{10,}={0,3})")

BLOCK_LITERALS = ("private key", "secret", "data:")


def private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the bodies of private keys in PEM."""
    for pattern in _PRIVATE_KEYS:
        for match in pattern.finditer(text):
            if is_mostly_base64(match["body"]):
                yield *match.span("body"), "private-key"


def manifest_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the values of Kubernetes secrets."""
    for pattern in _MANIFESTS:
        for match in pattern.finditer(text):
            base = match.start("body")
            for value in _MANIFEST_VALUE.finditer(match["body"]):
                yield base + value.start(1), base + value.end(1), "kubernetes-secret"
