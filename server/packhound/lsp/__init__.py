"""Language server: documents, settings and requests of one LSP client over the shared engine.

The only package that speaks LSP; inside it a position may be counted in UTF-16 units, elsewhere it
is a UTF-8 byte offset. `handlers` has one module per message, `jsonrpc` the transport below them.
"""
