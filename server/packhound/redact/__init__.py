"""Secrets and hidden characters in text that leaves the machine.

`redact.redact` replaces credentials by their kind, line for line; `control_characters` shows
characters that hide or reorder text.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
