from .edges import EdgeKind as EdgeKind
from .graph import Graph as Graph
