"""Times that a user of an editor sees, measured in the editor."""
