"""Signals to scores, and the optional stages that rescore hits: reranker and personalization.

`node_weights.json` and `file_weights.json` hold the fitted weights of the linear ranker.
"""
