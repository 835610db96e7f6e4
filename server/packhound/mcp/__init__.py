"""MCP server on standard input and output, and its entry in the files of coding agents."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
