"""Captures of a query over a syntax tree to the nodes of the document."""
