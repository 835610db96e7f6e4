"""Git as a source of facts: history, uncommitted lines and hunks, without running anything else."""
