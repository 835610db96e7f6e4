"""Secrets that the text around them gives away.

Every repetition is bounded, or begins where no other match of the same rule can, so that the time
of a rule grows with the length of the text and not with its square.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from packhound.redact.values import is_name, is_no_dummy, is_no_sample, is_sample


class Rule(NamedTuple):
    """One way to find secrets: the first group of `pattern`, where `accepts` takes it.

    A text without any of `literals`, in lower case, is not searched.
    """

    literals: tuple[str, ...]
    kind: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]


def _is_unnamed(value: str) -> bool:
    """Return True for what is neither a sample nor a name."""
    return not is_sample(value) and not is_name(value)


ASSIGNED = re.compile(
    r"(?P<name>(?:passw(?:or)?d[\w.-]{0,20}|passphrase|pwd|secret|token|credentials?"
    r"|(?:api|access|auth|private|secret|encryption|signing)[_-]?key)s?)['\"`\]]{0,3}"
    r"[ \t]{0,3}(?:=>|\?=|:{1,3}=|:|==?|\|\||,)[ \t]{0,3}"
    r"(?P<quote>['\"`])(?P<value>[^\s'\"`]{8,200})(?P=quote)"
)
"""A quoted value given to the name of a secret. Like those below: of text in lower case."""

BARE = re.compile(
    r"^[ \t]*(?:export[ \t]+|-[ \t]+)?(?P<name>[\w.-]{0,80}(?:passw(?:or)?d|passphrase|secret"
    r"|token|credential|api[_.-]?key|access[_.-]?key)[\w-]{0,60})[ \t]{0,2}[:=][ \t]{0,2}"
    r"(?P<value>[^\s'\"`#;,(){}\[\]<>$]{10,200})\s{0,80}$"
)
"""The same without quotes, as the whole of a line."""

INLINE = re.compile(
    r"(?:secret|token|credential|(?:api|access|auth\w{0,14}|private|secret|encryption|signing"
    r"|activation)[ _-]?key)s?['\"\])]{0,2}(?:[ \t]{0,2}(?:=>|=|:|%3d)[ \t]{0,2}|[ \t]+)['\"]?"
    r"(?P<value>[a-z0-9][\w+/=.~-]{11,200})(?=['\"\s,;&)%<\\]|$)"
)
"""The same anywhere in a line: in prose, on a command line, in the query of a URL."""

SERVICE_VALUE = (
    r"[\w.\[\]'\"` \t-]{0,30}?(?:=>|\?=|:{0,3}=|:|,|\|\||>)[\s=('\"`]{0,6}"
    r"(?P<secret>[\w=/+.:%~-]{14,400})(?=['\"`\s;,)\\\]}]|$)"
)
"""What can be between the name of a service and its key."""

LINE_RULES: tuple[Rule, ...] = tuple(
    Rule(literals, kind, pattern, _is_unnamed)
    for literals, kind, pattern in (
        (
            ("ey",),
            "jwt",
            re.compile(r"(ey(?<!\wey)[A-Za-z0-9]{17,}\.ey[\w/\\-]{17,}(?:\.[\w/\\-]{10,}={0,2})?)"),
        ),
        (("zxlk",), "jwt", re.compile(r"\b(ZXlK[\w+/\\=-]{50,}={0,2})")),
        (
            ("authorization", "x-"),
            "authorization",
            re.compile(
                r"(?i)(?:authorization|x-[a-z-]{0,20}(?:key|token))['\"]?\s{0,2}[:=,]\s{0,2}['\"]?"
                r"(?:bearer|basic|token|apikey|ntlm|negotiate|bot)?[ \t]+['\"]?([\w=~@.+/-]{16,})"
                r"(?![\w.(])"
            ),
        ),
        (
            ("s.",),
            "vault-token",
            re.compile(r"(s\.(?<![\w.]s\.)(?=[A-Za-z]*\d)[A-Za-z0-9]{24})(?![\w.(])"),
        ),
        (
            (".acc",),
            "authress-key",
            re.compile(r"\b([a-z]{2,8}_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120})"),
        ),
        (
            ("q~",),
            "azure-secret",
            re.compile(r"(?<![\w~.])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
        ),
        (
            (".atlasv1.",),
            "terraform-token",
            re.compile(r"([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})"),
        ),
        (("_mmk",), "maxmind-key", re.compile(r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b")),
        (("|", "%"), "facebook-token", re.compile(r"\b(\d{15,16}[|%][\w-]{27,40})(?!\w)")),
        (
            ("twitter",),
            "twitter-token",
            re.compile(r"(?<![\w-])(\d{15,25}-[A-Za-z0-9]{20,40})(?!\w)"),
        ),
        (("sumo",), "sumologic-id", re.compile(r"\b(su(?=[A-Za-z]*\d)[A-Za-z0-9]{12})\b")),
        (("-us",), "mailchimp-key", re.compile(r"\b([0-9a-f]{32}-us\d{1,2})\b")),
        (("-",), "mailgun-key", re.compile(r"\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b")),
        (("nral",), "new-relic-key", re.compile(r"\b([0-9a-fu]{4,6}[0-9a-fx]{30,34}NRAL)\b")),
        ((":aa",), "telegram-token", re.compile(r"(?<!\w)(\d{8,10}:AA[\w-]{33})(?![\w-])")),
        (
            (".",),
            "discord-token",
            re.compile(r"(?<![\w-])([MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])"),
        ),
        ((":",), "asana-token", re.compile(r"(?<!\w)([12]/\d{12,}(?:/\d{12,})?:[0-9a-f]{32})\b")),
        (
            ("access_token$",),
            "braintree-token",
            re.compile(r"(access_token\$[a-z]+\$[0-9a-z]{10,}\$[0-9a-f]{32})"),
        ),
        (("pk_",), "clickup-token", re.compile(r"\b(pk_\d{5,}_[A-Z0-9]{32})\b")),
        (("re_",), "resend-key", re.compile(r"\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})\b")),
        (("00d",), "salesforce-token", re.compile(r"\b(00D[A-Za-z0-9]{12,15}![\w.]{60,})")),
        (("k00",), "backblaze-key", re.compile(r"\b(K00\d[\w/+]{27})(?![\w/+])")),
        (
            ("dt0",),
            "dynatrace-token",
            re.compile(r"\b(dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64})\b"),
        ),
        (
            (
                "azdo",
                "jqqj99",
                "apim",
                "acdb",
                "azfu",
                "azse",
                "azca",
                "+ast",
                "+aba",
                "+amc",
                "+arm",
                "aiot",
                "+acr",
            ),
            "azure-key",
            re.compile(
                r"(?<![\w+/-])([\w+/-]{70,80}(?:AZDO|JQQJ99|APIM|ACDb|AzFu|AzSe|AzCa|\+ASt|\+ABa|\+AMC"
                r"|\+ARm|AIoT|\+ACR)[\w+/-]{4,8}={0,2})"
            ),
        ),
        (
            ("accountkey=", "sharedaccesskey=", "sharedsecret="),
            "azure-key",
            re.compile(r"(?i)(?:accountkey|sharedaccesskey|sharedsecret)=([\w+/%-]{40,90}={0,2})"),
        ),
        (("sig=",), "azure-signature", re.compile(r"[?&]sig=([\w%+/-]{40,}(?:%3D|=)*)")),
        (("aaaa",), "firebase-key", re.compile(r"\b(AAAA[\w-]{7}:[\w-]{130,})")),
        (('"auth"',), "docker-auth", re.compile(r"\"auth\"\s*:\s*\"([A-Za-z0-9+/]{20,}={0,2})\"")),
        (("tlrmtvntuaad",), "ntlm-token", re.compile(r"\b(TlRMTVNTUAAD[A-Za-z0-9+/]{20,}={0,2})")),
        (
            ("sn", "sc", "so", "sa", "su", "sx"),
            "nkey-seed",
            re.compile(r"\b(S[NCOAUX][A-Z2-7]{56})\b"),
        ),
        (
            ("secret_key",),
            "freemius-key",
            re.compile(r"(?i)secret_key['\"]\s*=>\s*['\"](sk_\S{29})['\"]"),
        ),
    )
)
"""Searched for in suspicious lines only."""

TEXT_RULES: tuple[Rule, ...] = (
    Rule(
        ("://",),
        "url-password",
        re.compile(r"://[^\s/:@'\"<>]{0,80}:([^\s/:@'\"<>{}$%]{3,120})@"),
        is_no_dummy,
    ),
    Rule(
        ("hooks.slack.com",),
        "slack-webhook",
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{40,})"),
        is_no_sample,
    ),
    Rule(
        ("webhook.office.com",),
        "teams-webhook",
        re.compile(r"webhook\.office\.com/webhookb2/([\w@-]{70,}/\w+/[\w]{20,}/[\w-]+)"),
        is_no_sample,
    ),
    Rule(
        ("/webhooks/",),
        "discord-webhook",
        re.compile(r"discord(?:app)?\.com/api/webhooks/\d{15,}/([\w-]{60,})"),
        is_no_sample,
    ),
    Rule(
        ("machine ",),
        "netrc-password",
        re.compile(
            r"machine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}"
            r"([^\s'\"\\]{3,})"
        ),
        is_no_dummy,
    ),
    Rule(
        ("ecurestring",),
        "password",
        re.compile(r"ConvertTo-SecureString\b[^\n'\"]{0,40}?['\" ]([^\s'\"\\-][^\s'\"\\]{5,})"),
        is_no_dummy,
    ),
    Rule(
        ("contribsys",),
        "contribsys-secret",
        re.compile(r"CONTRIBSYS__COM[^\n]{1,12}?\b([0-9a-f]{8}:[0-9a-f]{8})\b"),
        is_no_sample,
    ),
    Rule(
        ("contribsys.com",),
        "contribsys-secret",
        re.compile(r"://([0-9a-f]{8}:[0-9a-f]{8})@[\w.-]{0,40}contribsys\.com"),
        is_no_sample,
    ),
    Rule(
        ('assword"',),
        "nuget-password",
        re.compile(r"(?i)key=\"(?:cleartext)?password\"\s{0,20}value=\"([^\"\s%$]{8,})\""),
        is_no_dummy,
    ),
    Rule(
        ("hf_",),
        "huggingface-token",
        re.compile(r"(?<!\w)(hf_[A-Za-z]{30,})"),
        is_no_sample,
    ),
    Rule(
        ("api_org_",),
        "huggingface-token",
        re.compile(r"(?<!\w)(api_org_[A-Za-z]{30,})"),
        is_no_sample,
    ),
)
"""These need no digit, so they are searched for in the whole text."""

CURL_RULES = (
    Rule(
        ("curl",),
        "curl-password",
        re.compile(r"\s(?:-u|--user)[= \t]{0,5}['\"]?[^\s:'\"]{1,60}['\"]?:['\"]?([^\s'\"]{3,})"),
        is_no_dummy,
    ),
    Rule(
        ("curl",),
        "curl-authorization",
        re.compile(
            r"\s(?:-H|--header)[= \t]{0,5}['\"]{1,2}[\w-]{0,40}(?i:auth|token|key|secret)"
            r"[\w-]{0,20}:\s{0,3}(?:\w{1,40}[ \t])?"
            r"([\w=~@.+/-]{16,}|(?=[a-zA-Z_=~@.+/-]{0,15}\d)[\w=~@.+/-]{8,15})['\"]"
        ),
        is_no_sample,
    ),
)
"""Options of a command that begins on their line or some lines before."""

_PASSWORD = r"(?:pass(?:w(?:or)?d|phrase)s?|pa?s{1,2}wo?r?d|(?<![a-z])(?:pass|pwd|pw))"

PASSWORDS: tuple[re.Pattern[str], ...] = (
    # Quoted, after any sign that could be an assignment: `PASSWORD = get() or "..."` is one too.
    re.compile(
        rf"{_PASSWORD}['\"`\]]{{0,2}}(?:[ \t]{{0,2}}:[ \t]{{0,2}}[\w.]{{1,30}})?[ \t]{{0,3}}"
        r"(?:[!=]==?|=>|:=|:|=|,)[ \t]{0,3}(?:[\w.]{1,40}(?:\([^()]{0,60}\))?[ \t]+or[ \t]+)?"
        r"(?P<quote>['\"`])(?P<value>[^\s'\"`]{6,100})(?P=quote)"
    ),
    # In prose, on a command line, in a connection string.
    re.compile(
        rf"{_PASSWORD}(?:[ \t]{{0,2}}(?:=>|:=|=|:)[ \t]{{0,2}}|[ \t]+)['\"]?"
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
