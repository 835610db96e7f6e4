"""Evaluation: suites of queries with known answers, and figures of rankings and packs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
