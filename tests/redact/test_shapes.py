"""Secrets of shapes that real code, configurations and commands have, at the figures promised."""

from __future__ import annotations

import random

import pytest

from benchmarks.packs.secrets_out import secrets_out
from packhound.redact.redact import redact
from tests.support.release import seed, size

PROMISED = {"published": 0.99, "named": 0.95, "config": 0.85}
V = "hT7kq92LwzP04vbnQ8rX"


@pytest.mark.parametrize("draw", range(size(2)))
def test_as_many_secrets_are_taken_out_as_promised(draw):
    shares = secrets_out(random.Random(1_000 * seed() + draw + 1))
    assert {
        group: shares[group]["all"] >= least for group, least in PROMISED.items()
    } == dict.fromkeys(PROMISED, True), shares
    languages = {name: share for name, share in shares["named"].items() if share < 0.8}
    assert len(shares["named"]) > 25 and not languages


@pytest.mark.parametrize(
    "text",
    [
        f'echo "{V}" | docker login -u deploy --password-stdin registry.shop.internal',
        f"printf '%s' '{V}' | helm registry login -u deploy --password-stdin shop.internal",
        f"echo {V} | gh auth login --with-token",
        f"git clone https://{V}@git.shop.internal/shop/orders.git",
        f"git clone https://{V}:x-oauth-basic@git.shop.internal/shop/orders.git",
        f"--extra-index-url https://{V}@packages.shop.internal/simple",
        f"db.shop.internal:5432:orders:deploy:{V}",
        f"localhost:5432:*:postgres:{V}",
    ],
)
def test_a_secret_is_taken_out_where_its_place_gives_it_away(text):
    assert V not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "https://john.smith@shop.internal/orders",
        "ssh://deployment-service-account@git.shop.internal/orders.git",
        "https://oauth2accesstoken@gcr.shop.internal/v2",
        "git+https://{token}@git.shop.internal/orders.git",
        'echo "$REGISTRY_PASSWORD1" | docker login -u deploy --password-stdin',
        "echo ${{ secrets.GITHUB_TOKEN }} | gh auth login --with-token",
        "cat token.txt | docker login -u deploy --password-stdin",
        "localhost:5432:orders:deploy:password",
        "host:5432:db:user:$PGPASSWORD",
        f'public_key = "{V}"',
        f'f(token, other, "{V}")',
        f'login(token=token, user="{V}")',
        f'if token == expected && name == "{V}":',
        f"Pass `{V}` as the first argument",
        f'compass: String = "{V}"',
        'token(\n    "65536655366553665536",\n)',
        'api_key: str = "your-api-key-123456"',
        'const token: string = "{{ deploy_token_2 }}";',
        'smtp.login("me@shop.internal", "password1")',
        'db = new PDO("mysql:host=a", "root", "changeme")',
        "docker login -u deploy -p $REGISTRY_PASSWORD1 registry.shop.internal",
        'integrity: "sha512-hT7kq92LwzP04vbnQ8rXhT7kq92LwzP04vbnQ8rX=="',
        "mnemonic: the seed phrase is made of words, and is shown once",
    ],
)
def test_what_is_given_to_another_name_stays(text):
    assert redact(text).text == text
