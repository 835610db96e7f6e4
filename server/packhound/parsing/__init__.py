"""Documents to nodes, and nodes to runs and digests.

Parsing is done by tree-sitter, in processes that the pool starts and kills; text without a grammar,
or with one that fails, is cut into windows. `analyse` turns nodes into what the index takes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
