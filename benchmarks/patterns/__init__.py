"""Patterns with holes against ast-grep."""
