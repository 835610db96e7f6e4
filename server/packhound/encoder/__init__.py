"""Text models in ONNX folders: embedders for nodes and queries, and cross-encoders for reranking.

Nothing is downloaded and nothing is sent; a folder that cannot be used is a ModelError.
"""
