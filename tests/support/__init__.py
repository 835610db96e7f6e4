"""Helpers that several test packages share; import them as `tests.support.x`."""
