"""Language models: the tokens of a text, by an offline upper bound or exactly, and their price."""
