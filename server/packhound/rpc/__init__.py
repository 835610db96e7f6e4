"""JSON-RPC 2.0 for editors, agents and the command line: framings, sessions, their threads.

`relay` has how a session reaches the process that serves it; it is apart, since a relay loads
nothing but the standard library's smallest modules.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
