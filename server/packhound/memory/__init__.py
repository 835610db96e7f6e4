"""Notes: what a person or an agent wrote down about a workspace, with anchors to its code.

The one thing that Packhound keeps and cannot make again. The store is the truth: a write is on
disk when it returns, and waits for no encoder and no index.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
