"""Signals (features) of candidate files and nodes, and the context that they are computed from."""
