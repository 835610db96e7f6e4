"""Every published figure and the command that gives it."""
