"""API for all clients: request schema, JSON codec, the six tools, and their local socket."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
