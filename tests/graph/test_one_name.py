"""Lines that use one of several definitions of a name."""

from __future__ import annotations

from packhound.graph.meanings import Grade
from tests.graph.test_call_graph import Sources, graph_of


def users_by_line(sources: Sources, node: str) -> list[tuple[str, int]]:
    """Return path and line of what surely uses a node."""
    graph, node_ids = graph_of(sources)
    names = {node_id: name.partition("#")[0] for name, node_id in node_ids.items()}
    uses = graph.using_lines(node_ids[node])
    return [(names[u.node_id], u.line) for u in uses if u.grade != Grade.POSSIBLE]


def test_what_is_static_in_a_file_of_c_is_not_meant_in_others():
    sources = {
        "a.c": "static int clamp(int x) {\n  return x;\n}\nint use_a(int x) {\n"
        "  x = clamp(x);\n  return clamp(1);\n}\n",
        "b.c": "static int clamp(int x) {\n  return -x;\n}\nint use_b(int x) {\n"
        "  return clamp(x);\n}\n",
        "c.c": "#include <clamp.h>\nint use_c(int x) {\n  return clamp(x);\n}\n",
    }
    assert users_by_line(sources, "a.c#clamp") == [("a.c", 4), ("a.c", 5)]
    assert users_by_line(sources, "b.c#clamp") == [("b.c", 4)]


def test_a_path_of_namespaces_tells_functions_of_one_name_apart():
    sources = {
        "a.cc": "namespace one {\nint fit(int x) {\n  return x;\n}\n}\n",
        "b.cc": "namespace two {\nint fit(int x) {\n  return -x;\n}\n}\n",
        "c.cc": "int c() {\n  return one::fit(1);\n}\nint d() {\n  return two::fit(1);\n}\n",
    }
    assert users_by_line(sources, "a.cc#one::fit") == [("c.cc", 1)]
    assert users_by_line(sources, "b.cc#two::fit") == [("c.cc", 4)]
