"""The index on disk: a SQLite store of packed rows with checksums, one writer, atomic saves.

A save writes the dirty rows of a snapshot; a load accepts exactly what one save wrote, or nothing.
"""
