"""Vectors of eight bits: quantization, exact scans, an HNSW graph, and the queue of the encoder."""
