"""Published forms of credentials: prefixes of tokens, and names of their services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_suffix(".txt")
_NAMES = """
adafruit adobe airtable algolia alibaba asana atlassian aws azure beamer bintray bitbucket bitly
bittrex circleci cloudflare cloudinary codecov cohere co_api_key coinbase confluence confluent
contentful databricks datadog discord droneci dropbox etsy facebook fastly finicity finnhub firebase
flickr freshbooks gitter gocardless heroku hubspot intercom jfrog artifactory jira kraken kucoin
launchdarkly linear linkedin linked-in linked_in lob looker mailchimp mailgun mapbox mattermost
meraki messagebird message-bird message_bird netlify new-relic newrelic new_relic newyorktimes
new-york-times nytimes okta openai pagerduty paypal plaid privateai private_ai private-ai rapidapi
rollbar sendbird sendgrid sentry shopify slack snyk sonar squarespace stripe sumo telegr travis
trello twilio twitch twitter vercel xray yandex zendesk contribsys
"""


class Prefixed(NamedTuple):
    """A kind of token, the text that it begins with, and which characters follow at least."""

    kind: str
    prefix: str
    min_length: int
    tail: str


def _read_table() -> Iterator[Prefixed]:
    for line in _TABLE.read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            kind, min_length, tail, *prefixes = line.split()
            for prefix in prefixes:
                yield Prefixed(kind, prefix, int(min_length), tail)


PREFIXED = tuple(_read_table())
SERVICES = tuple(_NAMES.split())
"""A random-looking value assigned to a name with one of these is that service's secret."""


def service_kind(name: str) -> str:
    """Return the kind of a key of a service."""
    return f"{name.replace('_', '-')}-secret"
