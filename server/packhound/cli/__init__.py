"""The command line: reads arguments, asks the engine, prints. An error is one line, exit code 2."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
