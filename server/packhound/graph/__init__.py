"""How nodes hang together: containment, imports, and references in both directions."""
