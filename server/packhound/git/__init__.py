"""Git as a source of facts: history, uncommitted lines and hunks, asked for so that nothing else runs."""
