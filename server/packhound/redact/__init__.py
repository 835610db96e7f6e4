"""Secrets and hidden characters in text that leaves the machine.

`redact.redact` replaces credentials by their kind, line for line; `control_characters` shows
characters that hide or reorder text.
"""
