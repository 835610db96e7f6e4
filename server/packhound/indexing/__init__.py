"""Keeping one index up to date: a work queue, and the one thread that takes its tasks.

Texts of open documents come first, then walks of the folder and passes over files that differ. The
other modules do one part each: scanning, parsing in bulk, saving, giving memory back.
"""
