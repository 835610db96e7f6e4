"""Worth of a focus, measured by a replay of edits from git's history."""
