"""Secrets that the text around them gives away.

Every repetition is bounded, or begins where no other match of the same rule can, so that the time
of a rule grows with the length of the text and not with its square.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from packhound.redact.names import LONG, PASSWORD_NAME
from packhound.redact.values import (
    is_command_password,
    is_name,
    is_no_dummy,
    is_no_sample,
    is_random_user,
    is_sample,
)


class Rule(NamedTuple):
    """One way to find secrets: the first group of `pattern`, where `accepts` takes it.

    A text without any of `literals`, in lower case, is not searched.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]


def make_rule(
    kind: str, literals: tuple[str, ...], pattern: str, accepts: Callable[[str], bool]
) -> Rule:
    """Return a rule with its pattern compiled."""
    return Rule(kind, literals, re.compile(pattern), accepts)


def _line_rule(kind: str, literals: tuple[str, ...], pattern: str) -> Rule:
    """Return a rule of tokens, which are neither samples nor names."""
    return make_rule(kind, literals, pattern, _is_unnamed)


def _is_unnamed(value: str) -> bool:
    """Return True for what is neither a sample nor a name."""
    return not is_sample(value) and not is_name(value)


BARE = re.compile(
    rf"^[ \t]*(?:export[ \t]+|-[ \t]+)?[\w.-]{{0,80}}(?:{LONG})[\w-]{{0,60}}[ \t]{{0,2}}[:=]"
    r"[ \t]{0,2}(?P<value>[^\s'\"`#;,(){}\[\]<>$]{10,200})\s{0,80}$"
)
"""A value without quotes as the whole of a line. Like those below: of text in lower case."""

INLINE = re.compile(
    rf"(?:{LONG})s?['\"\])]{{0,2}}(?:[ \t]{{0,2}}(?:=>|=|:[=-]?|%3d)[ \t]{{0,2}}|[ \t]+)['\"]?"
    r"(?P<value>[a-z0-9][\w+/=.~-]{11,200})(?=['\"`\s,;&)}%<\\]|$)"
)
"""The same anywhere in a line: in prose, on a command line, in the query of a URL."""

SERVICE_VALUE = (
    r"[\w.\[\]'\"` \t-]{0,30}?(?:=>|\?=|:{0,3}=|:|,|\|\||>)[\s=('\"`]{0,6}"
    r"(?P<secret>[\w=/+.:%~-]{14,400})(?=['\"`\s;,)\\\]}]|$)"
)
"""What can be between the name of a service and its key."""

LINE_RULES: tuple[Rule, ...] = (
    _line_rule(
        "jwt", ("ey",), r"(ey(?<!\wey)[A-Za-z0-9]{17,}\.ey[\w/\\-]{17,}(?:\.[\w/\\-]{10,}={0,2})?)"
    ),
    _line_rule("jwt", ("zxlk",), r"\b(ZXlK[\w+/\\=-]{50,}={0,2})"),
    _line_rule(
        "authorization",
        ("authorization", "x-"),
        r"(?i)(?:authorization|x-[a-z-]{0,20}(?:key|token))['\"]?\s{0,2}[:=,]\s{0,2}['\"]?"
        r"(?:bearer|basic|token|apikey|ntlm|negotiate|bot)?[ \t]+['\"]?([\w=~@.+/-]{16,})"
        r"(?![\w.(])",
    ),
    _line_rule(
        "vault-token", ("s.",), r"(s\.(?<![\w.]s\.)(?=[A-Za-z]*\d)[A-Za-z0-9]{24})(?![\w.(])"
    ),
    _line_rule(
        "authress-key",
        (".acc",),
        r"\b([a-z]{2,8}_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120})",
    ),
    _line_rule("azure-secret", ("q~",), r"(?<![\w~.])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
    _line_rule("terraform-token", (".atlasv1.",), r"([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})"),
    _line_rule("maxmind-key", ("_mmk",), r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b"),
    _line_rule("facebook-token", ("|", "%"), r"\b(\d{15,16}[|%][\w-]{27,40})(?!\w)"),
    _line_rule("twitter-token", ("twitter",), r"(?<![\w-])(\d{15,25}-[A-Za-z0-9]{20,40})(?!\w)"),
    _line_rule("sumologic-id", ("sumo",), r"\b(su(?=[A-Za-z]*\d)[A-Za-z0-9]{12})\b"),
    _line_rule("mailchimp-key", ("-us",), r"\b([0-9a-f]{32}-us\d{1,2})\b"),
    _line_rule("mailgun-key", ("-",), r"\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b"),
    _line_rule("new-relic-key", ("nral",), r"\b([0-9a-fu]{4,6}[0-9a-fx]{30,34}NRAL)\b"),
    _line_rule("telegram-token", (":aa",), r"(?<!\w)(\d{8,10}:AA[\w-]{33})(?![\w-])"),
    _line_rule(
        "discord-token",
        (".",),
        r"(?<![\w-])([MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])",
    ),
    _line_rule("asana-token", (":",), r"(?<!\w)([12]/\d{12,}(?:/\d{12,})?:[0-9a-f]{32})\b"),
    _line_rule(
        "braintree-token",
        ("access_token$",),
        r"(access_token\$[a-z]+\$[0-9a-z]{10,}\$[0-9a-f]{32})",
    ),
    _line_rule("clickup-token", ("pk_",), r"\b(pk_\d{5,}_[A-Z0-9]{32})\b"),
    _line_rule("resend-key", ("re_",), r"\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})\b"),
    _line_rule("salesforce-token", ("00d",), r"\b(00D[A-Za-z0-9]{12,15}![\w.]{60,})"),
    _line_rule("backblaze-key", ("k00",), r"\b(K00\d[\w/+]{27})(?![\w/+])"),
    _line_rule("dynatrace-token", ("dt0",), r"\b(dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64})\b"),
    _line_rule(
        "azure-key",
        (
            *("azdo", "jqqj99", "apim", "acdb", "azfu", "azse", "azca"),
            *("+ast", "+aba", "+amc", "+arm", "aiot", "+acr"),
        ),
        r"(?<![\w+/-])([\w+/-]{70,80}(?:AZDO|JQQJ99|APIM|ACDb|AzFu|AzSe|AzCa|\+ASt|\+ABa|\+AMC"
        r"|\+ARm|AIoT|\+ACR)[\w+/-]{4,8}={0,2})",
    ),
    _line_rule(
        "azure-key",
        ("accountkey=", "sharedaccesskey=", "sharedsecret="),
        r"(?i)(?:accountkey|sharedaccesskey|sharedsecret)=([\w+/%-]{40,90}={0,2})",
    ),
    _line_rule("azure-signature", ("sig=",), r"[?&]sig=([\w%+/-]{40,}(?:%3D|=)*)"),
    _line_rule("firebase-key", ("aaaa",), r"\b(AAAA[\w-]{7}:[\w-]{130,})"),
    _line_rule("docker-auth", ('"auth"',), r"\"auth\"\s*:\s*\"([A-Za-z0-9+/]{20,}={0,2})\""),
    _line_rule("ntlm-token", ("tlrmtvntuaad",), r"\b(TlRMTVNTUAAD[A-Za-z0-9+/]{20,}={0,2})"),
    _line_rule("nkey-seed", ("sn", "sc", "so", "sa", "su", "sx"), r"\b(S[NCOAUX][A-Z2-7]{56})\b"),
    _line_rule(
        "freemius-key", ("secret_key",), r"(?i)secret_key['\"]\s*=>\s*['\"](sk_\S{29})['\"]"
    ),
)
"""Searched for in suspicious lines only."""

TEXT_RULES: tuple[Rule, ...] = (
    make_rule(
        "url-password", ("://",), r"://[^\s/:@'\"<>]{0,80}:([^\s/:@'\"<>{}$%]{3,120})@", is_no_dummy
    ),
    make_rule(
        "url-token",
        ("://",),
        r"://([^\s/:@'\"<>{}$%?&=,;()]{16,200})(?::x-oauth-basic)?@",
        is_random_user,
    ),
    make_rule(
        "password",
        ("--password-stdin", "--with-token"),
        r"\b(?:echo|printf)[ \t][^\n|]{0,40}?['\"]?([^\s'\"|]{6,200})['\"]?[ \t]{0,4}\|"
        r"[^\n|]{1,200}?--(?:password-stdin|with-token)",
        is_command_password,
    ),
    make_rule(
        "pgpass-password",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?m)^[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s:'\"]{6,100})$",
        is_command_password,
    ),
    make_rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{40,})",
        is_no_sample,
    ),
    make_rule(
        "teams-webhook",
        ("webhook.office.com",),
        r"webhook\.office\.com/webhookb2/([\w@-]{70,}/\w+/[\w]{20,}/[\w-]+)",
        is_no_sample,
    ),
    make_rule(
        "discord-webhook",
        ("/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/\d{15,}/([\w-]{60,})",
        is_no_sample,
    ),
    make_rule(
        "netrc-password",
        ("machine ",),
        r"machine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}"
        r"([^\s'\"\\]{3,})",
        is_no_dummy,
    ),
    make_rule(
        "password",
        ("ecurestring",),
        r"ConvertTo-SecureString\b[^\n'\"]{0,40}?['\" ]([^\s'\"\\-][^\s'\"\\]{5,})",
        is_no_dummy,
    ),
    make_rule(
        "contribsys-secret",
        ("contribsys",),
        r"CONTRIBSYS__COM[^\n]{1,12}?\b([0-9a-f]{8}:[0-9a-f]{8})\b",
        is_no_sample,
    ),
    make_rule(
        "contribsys-secret",
        ("contribsys.com",),
        r"://([0-9a-f]{8}:[0-9a-f]{8})@[\w.-]{0,40}contribsys\.com",
        is_no_sample,
    ),
    make_rule(
        "nuget-password",
        ('assword"',),
        r"(?i)key=\"(?:cleartext)?password\"\s{0,20}value=\"([^\"\s%$]{8,})\"",
        is_no_dummy,
    ),
    make_rule("huggingface-token", ("hf_",), r"(?<!\w)(hf_[A-Za-z]{30,})", is_no_sample),
    make_rule("huggingface-token", ("api_org_",), r"(?<!\w)(api_org_[A-Za-z]{30,})", is_no_sample),
)
"""These need no digit, so they are searched for in the whole text."""

CURL_RULES = (
    make_rule(
        "curl-password",
        ("curl",),
        r"\s(?:-u|--user)[= \t]{0,5}['\"]?[^\s:'\"]{1,60}['\"]?:['\"]?([^\s'\"]{3,})",
        is_no_dummy,
    ),
    make_rule(
        "curl-authorization",
        ("curl",),
        r"\s(?:-H|--header)[= \t]{0,5}['\"]{1,2}[\w-]{0,40}(?i:auth|token|key|secret)"
        r"[\w-]{0,20}:\s{0,3}(?:\w{1,40}[ \t])?"
        r"([\w=~@.+/-]{16,}|(?=[a-zA-Z_=~@.+/-]{0,15}\d)[\w=~@.+/-]{8,15})['\"]",
        is_no_sample,
    ),
)
"""Options of a command that begins on their line or some lines before."""

PASSWORDS: tuple[re.Pattern[str], ...] = (
    # In prose, on a command line, in a connection string.
    re.compile(
        rf"{PASSWORD_NAME}(?:[ \t]{{0,2}}(?:=>|:=|=|:)[ \t]{{0,2}}|[ \t]+)['\"]?"
        r"(?P<value>[^\s'\"`(){}\[\]<>,;|&\\]{6,64})(?=['\"`\s,;)\]}<&|]|$)"
    ),
    # In SQL.
    re.compile(
        r"\b(?:identified(?:\s{1,20}with\s{1,20}\w{1,60})?\s{1,20}by|password)"
        r"(?:\s{0,20}=|\s{1,20}values?)?\s{0,20}(?:\(\s{0,20})?['\"]"
        r"(?P<value>[^\s'\"]{6,64})['\"]"
    ),
)
"""Values that people choose, recognised by their name and their mix of characters."""
