"""Secrets leave no text: tokens made from the rules are taken out, code is left as it is."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.redact.redact import redact, without
from packhound.redact.token_prefixes import PREFIXED, SERVICES

DRAW = random.Random(7)


def drawn(alphabet: str, length: int) -> str:
    letters = [c for c in "0123456789abcdefghkmABCDEFGHKM" if re.match(f"[{alphabet}]", c)]
    letters = letters or list("234567ABCDEFGHKM")
    return "".join(DRAW.choice(letters) for _ in range(length))


@pytest.mark.parametrize("row", PREFIXED, ids=lambda row: f"{row[0]}:{row[1]}")
def test_published_forms_are_taken_out(row):
    kind, prefix, least, alphabet = row
    for _ in range(5):
        token = prefix + drawn(alphabet, max(least, 24))
        clean = redact(f'connect(key="{token}")  # see docs\n')
        assert clean.text == f'connect(key="[REDACTED:{clean.findings[0].kind}]")  # see docs\n'
        assert token not in clean.text, kind


def test_a_hundred_and_fifty_types_are_known():
    assert len({prefix for _, prefix, _, _ in PREFIXED} | set(SERVICES)) >= 150


@pytest.mark.parametrize("service", SERVICES)
def test_a_random_value_named_after_a_service_is_taken_out(service):
    value = drawn("0-9a-f", 32)
    for line in (f'{service}_key = "{value}"', f"{service.upper()}_TOKEN={value}"):
        assert value not in redact(line).text


SECRETS = """
password = "hT7#kq92Lw"
DB_PASSWORD=hT7kq92LwzP04vbn
"api_key": "9c3ced6fed60d2670bb36ab7e8bed8bc",
postgres://app:s3cr3tPw9@db.internal/app
curl -u admin:hunter22x https://internal
Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36P
aws_secret_access_key = "wJalrXUtnFEMI7K7MDENG3bPxRfiCYzz9kkkkk2Q"
id: master, pw:hT7kq92Lw
login as root with password hT7#kq92!
mysqldump --user=app --password=hT7kq9#2Lw shop
def connect(passwd: str = "x6Kq7djtEa"):
if password != "q4Wc1a2oPd":
Server=db;Database=shop;User Id=sa;Password=Pa55w0rd!x;Encrypt=True
ALTER USER shop IDENTIFIED BY 'hT7kq92Lw';
CREATE ROLE shop WITH LOGIN PASSWORD 'hT7kq92Lw';
deploy --token hT7kq92LwzP04vbn --now
https://internal/api?token=hT7kq92LwzP04vbnQ8&page=2
machine git.internal login build password hT7kq92Lw
AccountName=shop;AccountKey=hT7kq92LwzP04vbnhT7kq92LwzP04vbnhT7kq92LwzP04vbnhT7kq92LwzP04vbnhT7kq92LwzP04v==
access_key = "QmFzZVNpeHRlRm91ckhhc05vRGlnaXRz"
bot = "8461927305:AAhT7kq92LwzP04vbnhT7kq92LwzP04vbnX"
https://discord.com/api/webhooks/148392840000482200/hT7kq92LwzP04vbnhT7kq92LwzP04vbnhT7kq92LwzP04vbnhT7kq92LwzP04vbn
MAILCHIMP = "8f14e45fceea167a5a36dedd4bea2543-us14"
{"auths": {"registry.internal": {"auth": "Ym90OmhUN2txOTJMd3pQMDR2Ym4="}}}
AKIAQGRFQXWQJDKPAZSW
glpat-hTzkqLwzPvbnQwErTyUi
<add key="ClearTextPassword"value="hTzkqLwzPvbnQwErTyUi" />
BUNDLE_ENTERPRISE__CONTRIBSYS__COM: 8f14e45f:ceea167a
source "https://8f14e45f:ceea167a@gems.contribsys.com/"
twitter_access_token ||= "8430021743820031245-hT7kqLwzP04vbnhT7kqLwzP04vbn"
sumologic id: suhT7kqLwzP04v
lob_key ?= 'test_8f14e45fceea167a5a36dedd4bea25438f1'
CO_API_KEY="hT7kqLwzP04vbnhT7kqLwzP04vbnhT7kqLwzP04v"
finnhub_id ?= `"hT7kqLwzP04vbnhT7kqL"`
curl -u	admin:"hunter22x" https://internal
curl -uadmin:Gq3M8z https://internal
curl --header	"X-Token: xB0.rcX0.5s4" https://internal
password_prod = "9c3ced6fed60d2"
DB_PASSWORD ?= "hT7kq92Lwz"
const password = process.env.PASSWORD || 'hT7kq92Lwz'
xapp-7-H-8-d-4W
bundle config BUNDLE_GEMS__CONTRIBSYS__COM="'8f14e45f:ceea167a'
"""

CODE = """
password = getpass.getpass("Password for user: ")
token = "your_token_here"
api_key = os.environ["API_KEY"]
secret = config.get("client_secret_name_v2")
url = f"https://{user}:{password}@{host}/"
commit = "7bfed2d0b1c94c0d9c1f1c7e3a1d2b3c4d5e6f70"
uuid = "123e4567-e89b-12d3-a456-426614174000"
self.assertEqual(parse_iso8601_timestamp("2024-01-02T03:04:05Z"), expected_value_2)
integrity sha512-abc
AKIAIOSFODNN7EXAMPLE
git clone https://github.com/psf/requests@v2.31.0
password: "{{ vault_password }}"
password = form.cleaned_data["password1"]
token = tokens[index + 1]
def login(password: str, token: str = "") -> Session1:
curl -u user:password https://example.org/
curl -H "Accept: application/vnd.github.v3+json" https://api.github.com/
req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString(pair))
machine example.com login username password pass
the key: v1.2.3-alpha4 of the release
secret = sha256(utf8_decode_2(payload))
self.passwordResetTokenGenerator2 = makeTokenGenerator()
cache-key: setup-node-v20-linux-x64-2f4a
public_key = "XmlHttpRequestEventTargetFactory"
curl -u user: https://example.org/
curl --header "Authorization: Bearer $TOKEN1" https://example.org/
password_label = "your-password-2"
tokenizer = "cl100k_base"
"""


@pytest.mark.parametrize("line", SECRETS.strip().splitlines())
def test_secrets_without_a_published_form(line):
    assert "[REDACTED:" in redact(line).text


@pytest.mark.parametrize("line", CODE.strip().splitlines())
def test_code_and_samples_stay(line):
    assert redact(line).text == line


def test_a_private_key_keeps_its_lines():
    body = "\n".join(drawn("0-9a-f", 64) for _ in range(4))
    text = f"x = 1\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\ny = 2\n"
    clean = redact(text)
    assert clean.text.count("\n") == text.count("\n")
    assert clean.text.splitlines()[-1] == "y = 2"
    assert not any(line in clean.text for line in body.splitlines())


def test_a_key_header_in_code_takes_nothing_else():
    text = 'assert_file("-----BEGIN PRIVATE KEY-----")\nrun()\nprint("-----END PRIVATE KEY-----")\n'
    assert redact(text).text == text


def test_values_of_a_kubernetes_secret():
    text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  pw: aGVsbG8gd29ybGQ=\n"
    assert "aGVsbG8gd29ybGQ" not in redact(text).text


def test_values_of_a_kubernetes_secret_in_the_order_of_its_keys():
    text = "apiVersion: v1\ndata:\n  pw: aGVsbG8gd29ybGQ=\n  x: y\nkind: {}\nmetadata: {{}}\n"
    assert "aGVsbG8gd29ybGQ" not in redact(text.format("Secret")).text
    assert redact(text.format("ConfigMap")).text == text.format("ConfigMap")
    other = text.format("ConfigMap") + "---\nkind: Secret\n"
    assert redact(other).text == other


def test_a_command_on_several_lines():
    command = "curl https://internal \\\n  -X POST \\\n  -u 'admin:hT7kq92Lw' \\\n  -d @file\n"
    assert "hT7kq92Lw" not in redact(command).text


@pytest.mark.parametrize(
    "text",
    [
        "curl " * 20_000,
        "curl\n" * 60_000,
        "data:\n" + " a b c d e f\n" * 60_000,
        "data:\n" * 60_000,
    ],
    ids=["commands", "lines", "values", "keys"],
)
def test_what_only_begins_like_a_secret_is_read_at_once(text):
    assert redact(f"{text}\nkind: secre").text == f"{text}\nkind: secre"


@given(st.text(max_size=400))
def test_any_text_keeps_its_lines(text):
    assert redact(text).text.count("\n") == text.count("\n")


@given(st.text(alphabet="AKIAghp_=-.:'\" \nSG0123456789abcdefpasword", max_size=300))
def test_redacting_twice_is_redacting_once_or_more(text):
    once = redact(text).text
    assert redact(once).text.count("\n") == once.count("\n")


@given(
    st.text(alphabet="ab\n", max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from("xyz")), max_size=5),
)
def test_nothing_of_overlapping_secrets_is_left(text, runs):
    inside = {i for start, end, _ in runs for i in range(start, end)}
    rest = "".join(c for i, c in enumerate(text) if i not in inside or c == "\n")
    runs = [(start, min(end, len(text)), kind) for start, end, kind in runs if start < len(text)]
    clean = without(text, runs).text
    assert re.sub(r"\[REDACTED:.\]", "", clean) == rest
