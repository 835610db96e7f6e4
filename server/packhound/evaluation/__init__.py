"""Evaluation: suites of queries with known answers, and figures of rankings and packs."""
