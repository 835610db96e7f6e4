"""Hybrid code search over one snapshot of the index.

`pipeline.search` is the whole of it in the order of its data: the query is parsed, candidates are
retrieved by words, meaning and names, signals are computed and ranked, and optional stages rerank
and personalize the hits. Its state from search to search is the `SearchCache` of the caller.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
