"""Text without files: terms and stems, lines and offsets, an editor's edits, words of a path."""
