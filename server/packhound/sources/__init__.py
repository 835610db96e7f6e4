"""Sources beside code: their protocol, an index of their records, and one search over all.

A source yields records and tells when they changed. Its index is built when it is first asked,
brought up to date before each answer, and costs nothing while the source is switched off.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
