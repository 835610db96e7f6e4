"""Secrets that are told by the text around them."""

from __future__ import annotations

import re

ASSIGNED = re.compile(
    r"(?i)(?P<name>(?:[\w-]{0,20}[_-])?(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?"
    r"|(?:api|access|auth|private|secret|encryption|signing)[_-]?key)s?)['\"`\]]{0,2}"
    r"[ \t]{0,3}(?:=>|:=|:|==?|,)[ \t]{0,3}(?P<quote>['\"`])(?P<value>[^\s'\"`]{8,200})(?P=quote)"
)
"""A quoted value given to a name that asks for a secret."""

BARE = re.compile(
    r"(?i)^[ \t]*(?:export[ \t]+|-[ \t]+)?(?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|secret|token"
    r"|credential|api[_.-]?key|access[_.-]?key)[\w-]*)[ \t]{0,2}[:=][ \t]{0,2}"
    r"(?P<value>[^\s'\"`#;,(){}\[\]<>$]{10,200})\s*$"
)
"""The same without quotes, as the whole of a line."""

SERVICE_VALUE = (
    r"[\w.\[\]'\"` \t-]{0,30}?(?:=>|:=|:|=|,|\|\||>)[\s=(]{0,4}['\"`]{0,3}"
    r"(?P<value>[\w=/+.:%~-]{14,400})(?=['\"`\s;,)\\\]}]|$)"
)
"""What may stand between the name of a service and its key."""

IN_LINE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("jwt", re.compile(r"\b(ey[A-Za-z0-9]{17,}\.ey[\w/\\-]{17,}(?:\.[\w/\\-]{10,}={0,2})?)")),
    ("jwt", re.compile(r"\b(ZXlK[\w+/=-]{50,}={0,2})")),
    (
        "authorization",
        re.compile(
            r"(?i)(?:authorization|x-[a-z-]{0,20}(?:key|token))['\"]?\s{0,2}[:=,]\s{0,2}['\"]?"
            r"(?:bearer|basic|token|apikey)?[ \t]+['\"]?([\w=~@.+/-]{16,})"
        ),
    ),
    ("vault-token", re.compile(r"(?<![\w.])(s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24})(?![\w.(])")),
    (
        "authress-key",
        re.compile(r"\b([a-z]{2,8}_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120})"),
    ),
    ("azure-secret", re.compile(r"(?<![\w~.])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])")),
    ("terraform-token", re.compile(r"([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})")),
    ("maxmind-key", re.compile(r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b")),
    ("facebook-token", re.compile(r"\b(\d{15,16}[|%][\w-]{27,40})(?!\w)")),
    ("nuget-password", re.compile(r"(?i)key=\"(?:cleartext)?password\"\s+value=\"([^\"]{8,})\"")),
    ("freemius-key", re.compile(r"(?i)secret_key['\"]\s*=>\s*['\"](sk_\S{29})['\"]")),
)
"""Sought in suspicious lines only."""

ANYWHERE: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("://", "url-password", re.compile(r"://[^\s/:@'\"<>]{0,80}:([^\s/:@'\"<>{}$%]{3,120})@")),
    (
        "curl",
        "curl-password",
        re.compile(r"\bcurl\b[^\n]*?\s(?:-u|--user)[= ]{1,3}['\"]?[^\s:'\"]{1,60}:([^\s'\"]{3,})"),
    ),
    (
        "curl",
        "curl-authorization",
        re.compile(
            r"(?i)\bcurl\b[^\n]*?\s(?:-H|--header)[= ]{0,3}['\"][\w-]{1,40}:\s{0,3}(?:\w+ )?"
            r"([\w=~@.+/-]{16,})['\"]"
        ),
    ),
    (
        "hooks.slack.com",
        "slack-webhook",
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{40,})"),
    ),
    (
        "webhook.office.com",
        "teams-webhook",
        re.compile(r"webhook\.office\.com/webhookb2/([\w@-]{70,}/\w+/[\w]{20,}/[\w-]+)"),
    ),
    ("hf_", "huggingface-token", re.compile(r"(?<!\w)(hf_[A-Za-z]{30,})")),
    ("api_org_", "huggingface-token", re.compile(r"(?<!\w)(api_org_[A-Za-z]{30,})")),
)
"""These need no digit, so they are sought wherever their first column occurs."""

PRIVATE_KEY = re.compile(
    r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<body>(?:(?!-----BEGIN)[\s\S]){40,20000}?)-----END[ A-Z0-9_-]{0,60}KEY(?: BLOCK)?-----"
)
PRIVATE_KEY_START = re.compile(
    r"PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[\s\"'+,;]|\\n|\\r)*"
    r"(?:[A-Za-z0-9+/=]{40,}(?:[\s\"'+,;]|\\n|\\r)*)+)"
)
KUBERNETES = re.compile(
    r"(?im)^kind:[ \t]*[\"']?secret\b(?:.*\n){0,40}?^(?:string)?data:[^\n]*\n"
    r"(?P<body>(?:[ \t]+[^\n]*\n?)+)"
)
KUBERNETES_VALUE = re.compile(r":[ \t]*['\"]?([\w+/]{10,}={0,3})")
