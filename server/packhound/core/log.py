"""The logger of everything but the language server's own messages."""

from __future__ import annotations

import logging

log = logging.getLogger("packhound")
