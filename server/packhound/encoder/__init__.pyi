from .cross_encoder import CrossEncoder as CrossEncoder
from .deep_encoder import READ_CHARACTERS as READ_CHARACTERS
from .deep_encoder import DeepEncoder as DeepEncoder
from .deep_encoder import Interruption as Interruption
from .deep_encoder import node_text as node_text
from .embedder import Embedder as Embedder
