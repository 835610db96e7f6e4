"""The background engine: a process without a terminal that has the folders of agents open."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
