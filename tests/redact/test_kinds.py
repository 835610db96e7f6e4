"""Secrets that the format of a document gives away, ten generated samples a kind."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

import pytest

from packhound.redact.redact import redact

Draw = random.Random
SAMPLES, MIN_REDACTED = 10, 9
SIGNS = "!@#$%^&*+?~=|;:<>{}[]()"


def b64(draw: Draw, n_bytes: int) -> str:
    return base64.b64encode(draw.randbytes(n_bytes)).decode()


def b64url(draw: Draw, n_bytes: int) -> str:
    return base64.urlsafe_b64encode(draw.randbytes(n_bytes)).decode().rstrip("=")


def word(draw: Draw, n: int = 16) -> str:
    """Letters and digits, as generators of passwords make them."""
    return "".join(draw.choices(string.ascii_letters + string.digits, k=n))


def chosen(draw: Draw) -> str:
    """As people choose them: `Harbor-lantern42!`."""
    words = draw.sample(["harbor", "lantern", "velvet", "copper", "thunder", "maple"], 2)
    return f"{words[0].title()}{draw.choice('-_.')}{words[1]}{draw.randrange(10, 99)}!"


def signs(draw: Draw, n: int = 14) -> str:
    rest = draw.choices(string.ascii_letters + string.digits + SIGNS, k=n - 4)
    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits, SIGNS)
    rest += [draw.choice(kind) for kind in kinds]
    draw.shuffle(rest)
    return "".join(rest)


def lines(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def putty(draw: Draw) -> tuple[str, str]:
    body = lines(b64(draw, draw.choice([36, 600, 1_200])), 64)
    n = body.count("\n") + 1
    text = (
        f"PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAB3\n"
        f"Private-Lines: {n}\n{body}\nPrivate-MAC: 9c3ced6fed60d2670bb36ab7e8bed8bc\n"
    )
    return text, body.split("\n")[0]


def kubeconfig(draw: Draw) -> tuple[str, str]:
    key = b64(draw, 900)
    return f"users:\n- name: me\n  user:\n    client-key-data: {key}\n", key


def npmrc(draw: Draw) -> tuple[str, str]:
    secret = base64.b64encode(f"deploy:{word(draw, 12)}".encode()).decode()
    key = draw.choice(["_auth", "//npm.shop.internal/:_auth", "//npm.shop.internal/:_password"])
    return f"registry=https://npm.shop.internal/\n{key}={secret}\nalways-auth=true\n", secret


def kubernetes_env(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen])(draw)
    name = draw.choice(["DB_PASSWORD", "SESSION_SECRET", "API_KEY", "GITHUB_TOKEN"])
    quote = draw.choice(['"', "'", ""])
    return f"env:\n- name: {name}\n  value: {quote}{secret}{quote}\n- name: PORT\n", secret


def ecs(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen])(draw)
    pair = {"name": draw.choice(["DB_PASSWORD", "JWT_SECRET"]), "value": secret}
    return json.dumps({"environment": [pair]}, indent=draw.choice([None, 2, 4])), secret


def xml(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen])(draw)
    tag = draw.choice(["password", "Password", "dbPassword", "ftp.password", "client-secret"])
    return f"<server>\n  <id>x</id>\n  <{tag}>{secret}</{tag}>\n</server>\n", secret


def terraform(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen])(draw)
    name = draw.choice(["db_password", "master_secret", "api_key"])
    kind = draw.choice(["  type    = string\n", '  description = "Of the shop"\n  type = string\n'])
    return f'variable "{name}" {{\n{kind}  default = "{secret}"\n}}\n', secret


def laravel(draw: Draw) -> tuple[str, str]:
    key = b64(draw, 32)
    return draw.choice([f"APP_KEY=base64:{key}\n", f"'key' => 'base64:{key}',\n"]), key


def wireguard(draw: Draw) -> tuple[str, str]:
    key = b64(draw, 32)
    name = draw.choice(["PrivateKey", "PresharedKey"])
    return f"[Peer]\n{name} = {key}\nAllowedIPs = 10.0.0.0/24\n", key


def mysql(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen])(draw)
    command = draw.choice(["mysql -u root", "mysqldump -h db -u app", "mysqladmin -uroot"])
    quote = draw.choice(["", "'", '"'])
    return f"{command} -p{quote}{secret}{quote} shop < x.sql\n", secret


def sshpass(draw: Draw) -> tuple[str, str]:
    secret = draw.choice([word, chosen, signs])(draw).replace("'", "")
    option = draw.choice([f"-p '{secret}'", f"-p'{secret}'", f'-p "{secret}"'])
    return f"sshpass {option} ssh deploy@internal\n", secret


def machine_key(draw: Draw) -> tuple[str, str]:
    secret = draw.randbytes(64).hex().upper()
    other = draw.randbytes(24).hex().upper()
    return f'<machineKey validationKey="{secret}" decryptionKey="{other}" />\n', secret


def jwk(draw: Draw) -> tuple[str, str]:
    member = draw.choice(["d", "p", "q", "dp", "dq", "qi", "k"])
    secret = b64url(draw, draw.choice([32, 128]))
    key = {"kty": "RSA", "e": "AQAB", member: secret}
    return json.dumps(key, indent=draw.choice([None, 2])), secret


def yaml_signs(draw: Draw) -> tuple[str, str]:
    secret = signs(draw)
    name = draw.choice(["password", "db_password", "client_secret"])
    quote = draw.choice(["", '"', "'"])
    return f"database:\n  user: app\n  {name}: {quote}{secret}{quote}\n  port: 5432\n", secret


def sentry(draw: Draw) -> tuple[str, str]:
    secret = draw.randbytes(16).hex()
    host = draw.choice(["o4501.ingest.sentry.io", "sentry.io", "sentry.shop.internal"])
    return f'dsn: "https://{secret}@{host}/{draw.randrange(1, 10**7)}"\n', secret


KINDS: tuple[Callable[[Draw], tuple[str, str]], ...] = (
    *(putty, kubeconfig, npmrc, kubernetes_env, ecs, xml, terraform, laravel, wireguard, mysql),
    *(sshpass, machine_key, jwk, yaml_signs, sentry),
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nine_of_ten_samples_of_a_kind_are_taken_out(kind, seed):
    draw = Draw(seed)
    samples = [kind(draw) for _ in range(SAMPLES)]
    missed = [text for text, secret in samples if secret in redact(text).text]
    assert len(missed) <= SAMPLES - MIN_REDACTED, missed


REFERENCES = """
- name: DB_PASSWORD\\n  value: $(DB_PASSWORD)
- name: DB_PASSWORD_FILE\\n  value: /run/secrets/db
- name: PASSWORD_MIN_LENGTH\\n  value: 12
{"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"}
{"name": "token", "value": "example-token-1"}
<password>${env.NEXUS_PASSWORD}</password>
<password>your-password-1</password>
<password>required</password>
variable "db_password" {\\n  type = string\\n  default = ""\\n}
variable "db_password" {\\n  default = "changeme"\\n}
APP_KEY=
mysql -u root -p shop
mysql -u root -p$MYSQL_PWD shop
docker run --name mysql -p3306:3306 mysql:8
sshpass -p "$SSH_PASSWORD" ssh root@host
sshpass -p password ssh root@host
<machineKey validationKey="AutoGenerate,IsolateApps" />
{"kty": "RSA", "e": "AQAB", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78L"}
const password = await hash(Secret1, { cost: 12 })
    password: Hash2(user.x!),
password: string | undefined1
  password: !vault |
  _password = compute_hash
https://sentry.io/organizations/shop/issues/4501
self._auth = load_auth_2(x)
"""


@pytest.mark.parametrize("text", REFERENCES.strip().splitlines())
def test_references_and_samples_stay(text):
    text = text.replace("\\n", "\n")
    assert redact(text + "\n").text == text + "\n"
