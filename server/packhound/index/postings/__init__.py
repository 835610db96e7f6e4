"""Inverted index: immutable segments of postings, built, merged by a tiered policy, and read."""
