from .call_graph import CallGraph as CallGraph
from .edges import EdgeKind as EdgeKind
from .graph import Graph as Graph
