"""Reference graph: containment, imports, and references in both directions.

Edges are resolved by name and scope when someone asks, and kept up to date as files change.
"""
