"""A team's store on Postgres: what parsing made of each file, so that nobody parses it again.

Nothing here is imported, and nothing is asked, unless a user's own setting or option names a store.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
