"""The tools of agents and other processes: one module each, listed in `registry`.

A tool is what clients see of it, a function from checked arguments to JSON, and a function from
that JSON to the text that a model reads.
"""
