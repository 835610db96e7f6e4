"""`shutdown`."""

from __future__ import annotations

from packhound.lsp.language_server import PackhoundServer


def shutdown(ls: PackhoundServer, params: object) -> None:
    """Begin to close the indexes; `exit` waits for them."""
    ls.session.close(timeout_s=0)
