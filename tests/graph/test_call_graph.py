"""Uses of definitions: what scopes, imports and stated types say, and what only a name says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import Document
from packhound.graph.call_graph import CallGraph
from packhound.graph.graph import Graph
from packhound.index.file_entry import FileEntry
from packhound.parsing.node_codec import encode_nodes
from packhound.parsing.parse import parse

Sources: TypeAlias = Mapping[str, str]


def graph_of(
    sources: Sources, graph: Graph | None = None, n: int = 0
) -> tuple[CallGraph, dict[str, int]]:
    """Return the call graph of some files, and their node ids by `path#Qual.name`, from `n` on."""
    files, node_ids = {}, {}
    for path, source in sources.items():
        parsed = parse(Document(path, source.encode()))
        ids = np.arange(n, n + len(parsed.nodes), dtype=np.int32)
        node_ids |= {f"{path}#{node.qualname}": n + i for i, node in enumerate(parsed.nodes)}
        record, n = encode_nodes(parsed.nodes), n + len(ids)
        files[path] = FileEntry(
            path, parsed.language, source.encode(), None, 0, ids, parsed.imports, None, b"", record
        )
    graph = graph or Graph()
    graph.update(files)
    texts = {path: source.encode() for path, source in sources.items()}
    return CallGraph(graph, texts.get), node_ids


def uses_of(sources: Sources, node: str) -> dict[str, bool]:
    """Return what a node uses: True for what only shares the name."""
    graph, node_ids = graph_of(sources)
    names = {node_id: name for name, node_id in node_ids.items()}
    return {names[use.node_id]: use.by_name for use in graph.uses(node_ids[node])}


STORE = {
    "store/__init__.py": "from .disk import Disk as Storage\n",
    "store/disk.py": "class Base:\n    def load(self): pass\n\n\n"
    "class Disk(Base):\n    def save(self): return self.load()\n",
    "other/disk.py": "class Disk:\n    def save(self): pass\n    def load(self): pass\n",
}


@pytest.mark.parametrize(
    ("source", "target", "by_name"),
    [
        ("from store import Storage\ndef run():\n    Storage().save()\n", "Disk.save", False),
        ("from store import Storage\ndef run():\n    s = Storage()\n    s.load()\n",
         "Base.load", False),
        ("import store.disk\ndef run(d: store.disk.Disk):\n    d.save()\n", "Disk.save", False),
        ("import store.disk as sd\ndef run():\n    x: sd.Disk = f()\n    x.save()\n",
         "Disk.save", False),
        ("from store.disk import Disk\ndef make() -> Disk: ...\ndef run():\n    make().save()\n",
         "Disk.save", False),
        ("def run(unknown):\n    unknown.save()\n", "Disk.save", True),
    ],
)  # fmt: skip
def test_a_member_belongs_to_the_type_of_its_receiver(source, target, by_name):
    uses = uses_of({**STORE, "app.py": source}, "app.py#run")
    assert uses[f"store/disk.py#{target}"] is by_name
    assert ("other/disk.py#Disk.save" in uses) is by_name


def test_self_reaches_members_of_bases():
    assert uses_of(STORE, "store/disk.py#Disk.save") == {"store/disk.py#Base.load": False}


@pytest.mark.parametrize(
    "source",
    [
        "def run(load):\n    load()\n",
        "def run():\n    for load in ():\n        load()\n",
        "def run(f):\n    f(load=1)\n",
        "from elsewhere import load\ndef run():\n    load()\n",
        "import elsewhere\ndef run():\n    elsewhere.load()\n",
        "def run():\n    'load' # load\n",
        "def run():\n    load()\n",
    ],
)
def test_local_names_keys_and_foreign_imports_are_no_uses(source):
    sources = {"tool.py": "def load(): pass\n", "app.py": source}
    assert uses_of(sources, "app.py#run") == {}


def test_a_name_alone_never_leads_from_source_into_tests():
    sources = {
        "tests/test_app.py": "class Fake:\n    def send(self): pass\n",
        "app.py": "def run(thing):\n    thing.send()\n",
        "tests/test_run.py": "def test_run(thing):\n    thing.send()\n",
    }
    assert uses_of(sources, "app.py#run") == {}
    assert uses_of(sources, "tests/test_run.py#test_run") == {"tests/test_app.py#Fake.send": True}


@pytest.mark.parametrize(
    ("sources", "node", "target"),
    [
        ({"a/a.go": "package a\ntype Tool struct{}\nfunc (t *Tool) Go() {}\n",
          "b/b.go": 'package b\nimport "x.org/y/a"\nfunc Run(t *a.Tool) { t.Go() }\n'},
         "b/b.go#Run", "a/a.go#Tool.Go"),
        ({"src/net.rs": "pub struct Net;\n"
          "impl Net { pub fn open() -> Net { Net } fn up(&self) {} }\n",
          "src/main.rs": "use crate::net::Net;\nfn run() { let n = Net::open(); n.up(); }\n"},
         "src/main.rs#run", "src/net.rs#Net::up"),
        ({"p/Store.java": "package p;\nclass Store {\n void save(int a) {}\n}\n",
          "p/App.java": "package p;\nclass App {\n Store s;\n void run() { s.save(1); }\n}\n"},
         "p/App.java#App.run", "p/Store.java#Store.save"),
        ({"lib/store.ts": "export class Store { save() {} }\nexport default Store;\n",
          "lib/index.ts": "export { Store as Disk } from './store';\n",
          "app.ts": "import { Disk } from './lib';\nexport function run(s: Disk) { s.save(); }\n"},
         "app.ts#run", "lib/store.ts#Store.save"),
        ({"store.rb": "class Store\n  def save\n  end\nend\n",
          "app.rb": "def run\n  s = Store\n  Store.save\nend\n"},
         "app.rb#run", "store.rb#Store::save"),
        ({"A.cs": "class A { public void Go() {} }\n",
          "B.cs": "class B { void Run(A a) { a.Go(); } }\n"}, "B.cs#B.Run", "A.cs#A.Go"),
    ],
    ids=["go", "rust", "java", "typescript", "ruby", "csharp"],
)  # fmt: skip
def test_each_language_has_its_scopes(sources, node, target):
    assert uses_of(sources, node)[target] is False


def test_users_are_the_reverse_of_uses_and_have_the_line():
    sources = {**STORE, "app.py": "from store import Storage\n\ndef run():\n    Storage().save()\n"}
    graph, node_ids = graph_of(sources)
    (user,) = graph.users(node_ids["store/disk.py#Disk.save"])
    assert (user.node_id, user.line, user.by_name) == (node_ids["app.py#run"], 3, False)


def test_callers_have_the_number_of_calls_between():
    chain = "def aa(): pass\ndef bb(): aa()\ndef cc(): bb()\ndef dd(): cc()\ndef ee(): dd()\n"
    graph, node_ids = graph_of({"chain.py": chain})
    names = {node_id: name.partition("#")[2] for name, node_id in node_ids.items()}
    callers = graph.callers([node_ids["chain.py#aa"]], 3).values()
    assert [(names[use.node_id], use.distance) for use in callers] == [
        ("bb", 1),
        ("cc", 2),
        ("dd", 3),
    ]


def test_implementations_are_derived_types_and_overriding_members():
    source = (
        "class Shape:\n    def area(self): ...\n\n\nclass Round(Shape):\n    pass\n\n\n"
        "class Disc(Round):\n    def area(self): return 1\n"
    )
    graph, node_ids = graph_of({"shape.py": source})
    implementations = graph.implementations(node_ids["shape.py#Shape"])
    assert {*implementations} == {node_ids["shape.py#Round"], node_ids["shape.py#Disc"]}
    assert graph.implementations(node_ids["shape.py#Shape.area"]) == (
        node_ids["shape.py#Disc.area"],
    )


WORDS = ("self", "x", "a", "B", "f", "(", ")", ".", "=", ":", "\n    ", "\n", "def ", "class ")
MORE_WORDS = ("return ", "import ", "from ", ",", "[", "]", "->", "::", '"', "#", "{", "}", " ")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS + MORE_WORDS), max_size=60), min_size=1, max_size=3),
    st.sampled_from(("py", "ts", "go", "rs", "java", "rb", "cpp", "cs", "kt", "php", "lua", "ex")),
)
def test_broken_source_has_uses_too(texts, suffix):
    head = {"py": "class B(B):\n    a = B()\n    def f(self, x=a): x = x.f(); self.a.f()\n"}
    sources = {
        f"m{i}.{suffix}": head.get(suffix, "") + "".join(words) for i, words in enumerate(texts)
    }
    graph, node_ids = graph_of(sources)
    for node_id in node_ids.values():
        assert all(use.node_id in node_ids.values() for use in graph.uses(node_id))
        graph.callers([node_id], 3)
        graph.implementations(node_id)


def test_a_graph_that_changes_between_two_questions_is_read_anew():
    graph, save = Graph(), "def save():\n    pass\n"
    user = "from disk import save\n\ndef first():\n    save()\n"
    calls, ids = graph_of({"app.py": user, "disk.py": f"def load():\n    pass\n\n{save}"}, graph)
    assert [use.node_id for use in calls.uses(ids["app.py#first"])] == [ids["disk.py#save"]]
    _, ids = graph_of({"app.py": user, "disk.py": save}, graph, n=100)
    assert [use.node_id for use in calls.uses(ids["app.py#first"])] == [ids["disk.py#save"]]
