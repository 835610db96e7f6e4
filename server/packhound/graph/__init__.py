"""Reference graph: containment, imports, and references in both directions.

Edges are resolved by name and scope when someone asks, and kept up to date as files change.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
