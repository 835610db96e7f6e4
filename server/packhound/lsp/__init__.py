"""Language server: documents, settings and requests of one LSP client over the shared engine.

The only package that speaks LSP; inside it a position may be counted in UTF-16 units, elsewhere it
is a UTF-8 byte offset. `handlers` has one module per message; `rpc` is the transport below them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
