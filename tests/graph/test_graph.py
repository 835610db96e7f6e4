"""The graph: what a name means in a file, and that edits leave what a rebuild would give."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import Kind, Node, Span
from packhound.graph.graph import Graph
from packhound.graph.imports import ImportResolver

DEFINITIONS = ("load", "save", "parse", "Config")


@dataclass(frozen=True)
class FakeFile:
    nodes: tuple[Node, ...]
    node_ids: np.ndarray
    language: str = "python"
    imports: tuple[str, ...] = ()
    digest: bytes = field(default=b"", compare=False)

    def position(self, node_id: int) -> int:
        return self.node_ids.tolist().index(node_id)

    def node(self, position: int) -> Node:
        return self.nodes[position]

    def name(self, position: int) -> str:
        return self.nodes[position].name

    def names(self) -> list[str]:
        return [node.name for node in self.nodes]

    def parents(self) -> list[int]:
        return [-1 if node.parent is None else node.parent for node in self.nodes]

    def references(self) -> list[str]:
        return [name for node in self.nodes for name in dict.fromkeys(node.references)]

    def users(self, name: str) -> list[int]:
        return [i for i, node in enumerate(self.nodes) if name in node.references]


def node(name: str, *references: str, kind: Kind = "function", parent: int | None = None) -> Node:
    return Node(kind, name, name, Span(0, 1, 0, 0), name, "", ((0, 1),), parent, references)


def file(first: int, *nodes: Node, imports: tuple[str, ...] = (), language="python") -> FakeFile:
    node_ids = np.arange(first, first + len(nodes), dtype=np.int32)
    return FakeFile(nodes, node_ids, language, imports, repr((nodes, imports)).encode())


def graph_of(files: dict[str, FakeFile]) -> Graph:
    graph = Graph()
    graph.update(files)
    return graph


def edges(graph: Graph, node_id: int) -> list[str]:
    return sorted(f"{edge.kind} {edge.node_id}" for edge in graph.neighbors(node_id))


def test_the_nearest_scope_gives_a_name_its_meaning():
    files = {
        "app/main.py": file(0, node("run", "load", "save"), imports=("store.disk",)),
        "store/disk.py": file(10, node("load")),
        "other/disk.py": file(20, node("load")),
        "app/own.py": file(30, node("save")),
        "deep/a.py": file(40, node("save")),
    }
    graph = graph_of(files)
    assert edges(graph, 0) == ["references 10", "references 30"]
    assert edges(graph, 10) == ["referenced-by 0"]
    assert graph.neighbors(20) == ()


@pytest.mark.parametrize("max_edges", [1, 2, 3, 9])
def test_the_surest_uses_are_found_though_not_all_are_sought(max_edges):
    imports = ("store.disk",)
    files = {
        "store/disk.py": file(0, node("load", "load"), node("open", "load")),
        "far/away.py": file(10, node("copy", "load"), node("move", "load")),
        "app/main.py": file(20, node("run", "load"), imports=imports),
        "store/near.py": file(30, node("walk", "load")),
    }
    graph = graph_of(files)
    every = [edge for edge in graph.neighbors(0) if edge.kind == "referenced-by"]
    assert [edge.node_id for edge in every] == [1, 20, 30, 10, 11]
    edges = [edge for edge in graph.neighbors(0, max_edges) if edge.kind == "referenced-by"]
    assert edges[:max_edges] == every[:max_edges] and edges == every[: len(edges)]


def test_equally_sure_neighbours_stand_in_the_order_of_their_places():
    nodes = {
        "a.py": (node("Box", kind="class"), node("open", "load", parent=0), node("shut", parent=0)),
        "b/one.py": (node("load"), node("save")),
        "b/two.py": (node("run", "load"), node("walk", "load")),
    }
    orders = []
    for paths in (sorted(nodes), sorted(nodes, reverse=True)):
        files, first = {}, 0
        for path in paths:
            node_ids = np.arange(first, first + len(nodes[path]), dtype=np.int32)
            node_ids = node_ids[::-1] if orders else node_ids
            files[path] = FakeFile(nodes[path], node_ids, digest=path.encode())
            first += len(node_ids)
        positions = {
            int(n): (path, i) for path in files for i, n in enumerate(files[path].node_ids)
        }
        graph, node_id_at = (
            graph_of(files),
            {position: node_id for node_id, position in positions.items()},
        )
        orders.append(
            {
                position: [
                    (e.kind, positions[e.node_id]) for e in graph.neighbors(node_id_at[position])
                ]
                for position in sorted(node_id_at)
            }
        )
    assert orders[0] == orders[1]
    assert [position for _, position in orders[0]["b/one.py", 0]][:2] == [
        ("b/two.py", 0),
        ("b/two.py", 1),
    ]


def test_names_never_cross_languages():
    graph = graph_of(
        {
            "a.py": file(0, node("run", "load")),
            "b.js": file(1, node("load"), language="javascript"),
        }
    )
    assert graph.neighbors(0) == ()


def test_members_and_their_class_are_neighbours():
    graph = graph_of({"a.py": file(0, node("Box", kind="class"), node("open", parent=0))})
    assert edges(graph, 0) == ["contains 1"]
    assert edges(graph, 1) == ["contained-in 0"]


def test_a_name_that_many_bear_means_nobody():
    files = {f"{i}/x.py": file(i, node("setup")) for i in range(9)}
    files["z/y.py"] = file(99, node("run", "setup"))
    assert graph_of(files).neighbors(99) == ()


def test_imports_of_many_languages_find_their_files():
    paths = (
        *("src/app/core.py", "src/app/util/__init__.py", "web/lib/button.tsx", "web/lib/index.ts"),
        *("src/main/java/org/x/Bar.java", "internal/store/disk.go", "src/net/mod.rs", "inc/foo.h"),
        *("src/net/http.rs", "lib/rack/request.rb", "os/path/win.py"),
    )
    resolver = ImportResolver(paths)
    assert resolver.resolve("src/app/x.py", ".core") == ("src/app/core.py",)
    assert resolver.resolve("src/app/x.py", "app.util.helper") == ("src/app/util/__init__.py",)
    assert resolver.resolve("src/app/util/y.py", "..core") == ("src/app/core.py",)
    assert resolver.resolve("web/page.ts", "./lib/button") == ("web/lib/button.tsx",)
    assert resolver.resolve("web/lib/button.tsx", ".") == ("web/lib/index.ts",)
    assert resolver.resolve("z.java", "org.x.Bar") == ("src/main/java/org/x/Bar.java",)
    go = "github.com/me/it/internal/store"
    assert resolver.resolve("main.go", go) == ("internal/store/disk.go",)
    assert resolver.resolve("src/a.rs", "crate::net::http::Client") == ("src/net/http.rs",)
    assert resolver.resolve("inc/bar.c", '"foo.h"') == ("inc/foo.h",)
    assert resolver.resolve("lib/rack.rb", "rack/request") == ("lib/rack/request.rb",)
    assert resolver.resolve("a/b/c.py", "numpy.linalg") == ()


@pytest.mark.parametrize("bit", range(14))
def test_a_graph_made_bit_by_bit_follows_what_comes_between(bit: int):
    files = {
        "app/main.py": file(0, node("run", "load"), imports=("store.disk",)),
        "store/disk.py": file(10, node("load")),
        "store/old.py": file(20, node("save", "load")),
    }
    newer = {**files, "app/main.py": file(30, node("run", "save"))}
    del newer["store/old.py"]
    graph, bits = Graph(), count()
    for _ in graph.prepare(files):
        if next(bits) == bit:
            graph.update(newer)
    graph.update(newer)
    expected = graph_of(newer)
    for node_id in (0, 10, 20, 30):
        assert graph.neighbors(node_id) == expected.neighbors(node_id)
        assert graph.n_users(node_id) == expected.n_users(node_id)


names = st.sampled_from(DEFINITIONS)
a_node = st.builds(lambda name, used: node(name, *used), names, st.lists(names, max_size=3))
a_path = st.sampled_from(["a/one.py", "a/two.py", "b/one.py", "b/three.py", "c.py"])
an_import = st.sampled_from(["a.one", ".two", "b.three", "c"])
edit = st.tuples(
    a_path, st.none() | st.tuples(st.lists(a_node, max_size=3), st.lists(an_import, max_size=2))
)


@settings(max_examples=150)
@given(st.lists(edit, max_size=12))
def test_edits_leave_the_graph_that_a_rebuild_gives(edits):
    live, files, first = Graph(), {}, 0
    for path, change in edits:
        if change is None:
            files.pop(path, None)
        else:
            nodes, imports = change
            files[path] = file(first, *nodes, imports=tuple(imports))
            first += len(nodes)
        live.update(dict(files))
        check_graph(live, files, first)


def check_graph(graph: Graph, files: dict[str, FakeFile], n_node_ids: int) -> None:
    rebuilt = graph_of(files)
    for node_id in range(n_node_ids):
        # Also the answers that are remembered from before the edit.
        assert graph.neighbors(node_id) == rebuilt.neighbors(node_id)
        assert graph.n_users(node_id) == rebuilt.n_users(node_id)
        assert graph.location(node_id) == rebuilt.location(node_id)


branch_edit = st.tuples(st.integers(0, 4), edit)


@settings(max_examples=150)
@given(st.lists(branch_edit, max_size=12))
def test_copies_that_share_their_content_stay_apart(edits):
    """Each edit is of one of the graphs so far; of an earlier graph a copy is made first."""
    graphs, files, first = [graph_of({})], [{}], 0
    for which, (path, change) in edits:
        graph, old = graphs[which % len(graphs)], files[which % len(graphs)]
        new = {name: content for name, content in old.items() if name != path}
        if change is not None:
            nodes, imports = change
            new[path] = file(first, *nodes, imports=tuple(imports))
            first += len(nodes)
        check_graph(graph, old, first)  # So that there are answers to remember.
        graphs.append(graph.copy(new))
        files.append(new)
    for graph, content in zip(graphs, files, strict=True):
        check_graph(graph, content, first)
