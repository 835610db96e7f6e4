"""Packhound: hybrid code search that lives in the editor."""

__version__ = "0.1.0"
