"""API for all clients: request schema, JSON codec, the six tools, and their local socket."""
