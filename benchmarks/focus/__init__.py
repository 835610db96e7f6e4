"""What a focus is worth, measured by a replay of edits from git's history."""
