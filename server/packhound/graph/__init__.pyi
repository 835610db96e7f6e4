from .call_graph import CallGraph as CallGraph
from .call_graph import Use as Use
from .graph import EdgeKind as EdgeKind
from .graph import Graph as Graph
from .imports import ImportResolver as ImportResolver
from .receivers import Grade as Grade
