"""Secrets in text that leaves the machine, replaced by what they were."""
