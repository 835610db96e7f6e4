from .cross_encoder import CrossEncoder as CrossEncoder
from .embedder import Embedder as Embedder
