"""Graded, node-level queries, and the commands that lay out their corpora and score tools."""
