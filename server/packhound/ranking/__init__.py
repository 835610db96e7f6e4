"""Candidates in, one explained order out. Every weight lives here."""
