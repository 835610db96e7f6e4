"""JSON-RPC 2.0 over a byte stream: frames, pending requests, worker threads, and the pygls seam.

`protocol` reads messages on one thread and dispatches them; the rest are its parts.
"""
