"""Addresses as parts."""

from urllib.parse import urlencode, urljoin


def join_url(base: str, path: str, query: dict[str, str] | None = None) -> str:
    """A full address from a base, a path and the parameters of a query."""
    address = urljoin(base, path)
    return f"{address}?{urlencode(sorted(query.items()))}" if query else address


def mask_password(url: str) -> str:
    """The address without the secret in it, fit for a log file."""
    scheme, _, rest = url.partition("://")
    credentials, at, host = rest.rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}://{user}:***@{host}" if at else url
