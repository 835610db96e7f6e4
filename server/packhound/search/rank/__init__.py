"""Signals to scores, and the optional stages that rescore hits: reranker and personalization.

`weights.json` holds the fitted weights of the linear ranker.
"""
