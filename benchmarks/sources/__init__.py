"""Figures of sources beside code: retrieval of notes, and times."""
