"""Text models in ONNX folders: embedders for nodes and queries, and cross-encoders for reranking.

Nothing is downloaded and nothing is sent; a folder that cannot be used is a ModelError.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
