"""Handlers of LSP messages, one module per message, named as the protocol names it.

`registry` lists them with their scheduling: on the reading thread, or on a worker thread.
"""
