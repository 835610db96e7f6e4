"""Nodes in, something that can be looked up out."""
