"""Patterns of code with holes, matched on syntax trees. For parser processes alone."""
