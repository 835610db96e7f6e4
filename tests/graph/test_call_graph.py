"""Uses of definitions: what scopes, imports and stated types say, and what only a name says."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.errors import Cancelled
from packhound.core.types import Document
from packhound.graph.call_graph import CallGraph
from packhound.graph.graph import Graph
from packhound.graph.meanings import Grade
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
        record, n = encode_nodes(parsed.nodes, parsed.captured), n + len(ids)
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
    return {names[use.node_id]: use.grade != Grade.RESOLVED for use in graph.uses(node_ids[node])}


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


SOLE = {
    "py": ("class A:\n    def steal_work(self, n): pass\n",
           "from p.a import A\n\n\ndef run(a):\n    a.steal_work(<>)\n"),
    "rs": ("impl A { fn steal_work(&self, n: u8) {} }\n",
           "fn run(a: Vec<A>) { a[0].steal_work(<>); }\n"),
    "go": ("package p\nfunc (a *A) StealWork(n int) {}\n",
           "package q\nfunc run() { x().StealWork(<>) }\n"),
    "ts": ("export class A { stealWork(n: number) {} }\n",
           "import { A } from '../p/a';\nfunction run(a: any) { a[0].stealWork(<>) }\n"),
    "java": ("class A { void stealWork(int n) {} }\n",
             "class B { void run() { x()[0].stealWork(<>); } }\n"),
}  # fmt: skip


def grade_of_sole(suffix: str, arguments: str, name: str = "") -> Grade | None:
    """Return the grade of the use of a member that nothing but its name leads to."""
    texts = [text.replace("<>", arguments) for text in SOLE[suffix]]
    for own in ("stealWork", "StealWork", "steal_work"):
        texts = [text.replace(own, name or own) for text in texts]
    graph, node_ids = graph_of({f"p/a.{suffix}": texts[0], f"q/b.{suffix}": texts[1]})
    run = next(i for node, i in node_ids.items() if node.endswith(("run", "run()")))
    member = [i for node, i in node_ids.items() if f"p/a.{suffix}#A" in node]
    return next((use.grade for use in graph.uses(run) if use.node_id in member), None)


@pytest.mark.parametrize("suffix", SOLE)
def test_the_only_definition_of_a_name_is_meant_if_its_language_has_no_such_name(suffix):
    assert grade_of_sole(suffix, "1") == Grade.ONLY_CANDIDATE
    common = {"py": "append", "rs": "push", "go": "Read", "ts": "push", "java": "append"}
    assert grade_of_sole(suffix, "1", common[suffix]) == Grade.POSSIBLE


@pytest.mark.parametrize(
    ("head", "grade"),
    [
        ("", Grade.POSSIBLE),
        ("from pandas import DataFrame\nfrom p import paint\n", Grade.POSSIBLE),
        ("from p.plot import draw\n", Grade.ONLY_CANDIDATE),
        ("import p\n", Grade.ONLY_CANDIDATE),  # It passes the type on.
    ],
)
def test_the_only_definition_is_possible_where_nothing_of_its_file_is_imported(head, grade):
    sources = {
        "p/__init__.py": "from p.plot import Plotter\n",
        "p/plot.py": "class Plotter:\n    def drop_rows(self): pass\n\n\ndef draw(): pass\n",
        "p/paint.py": "def paint(): pass\n",
        "q/app.py": f"{head}\n\ndef run(frame):\n    frame.drop_rows()\n",
    }
    graph, node_ids = graph_of(sources)
    (use,) = [u for u in graph.uses(node_ids["q/app.py#run"])]
    assert (use.node_id, use.grade) == (node_ids["p/plot.py#Plotter.drop_rows"], grade)


@pytest.mark.parametrize(
    "call", ["$this->join($a)", "'(' . $this->join($a) . ')'", "$a . $this->join(1)"]
)
def test_a_dot_of_php_joins_texts_and_leads_to_no_member(call):
    sources = {
        "Base.php": "<?php\nabstract class Base {\n    function join($a) { return $a; }\n}\n",
        "Fine.php": f"<?php\nclass Fine extends Base {{ function run($a) {{ return {call}; }} }}",
        "Other.php": "<?php\nclass Other {\n    function join($a) { return 1; }\n}\n",
    }
    uses = uses_of(sources, "Fine.php#Fine.run")
    assert uses["Base.php#Base.join"] is False and "Other.php#Other.join" not in uses


@pytest.mark.parametrize("suffix", SOLE)
def test_what_takes_another_number_of_arguments_is_not_meant(suffix):
    assert grade_of_sole(suffix, "1, 2") is None
    assert grade_of_sole(suffix, "") is None


@pytest.mark.parametrize(
    ("definition", "arguments", "fits"),
    [
        ("def get(self, a, b=1): pass", "1", True),
        ("def get(self, a, b=1): pass", "1, 2", True),
        ("def get(self, a, b=1): pass", "1, 2, 3", False),
        ("def get(self, *a): pass", "1, 2, 3", True),
        ("def get(self, a): pass", "*xs", True),
        ("def get(self, a): pass", "'x'", True),
        ("def get(self, a): pass", "'x', 'y'", False),
    ],
)
def test_a_possible_use_fits_defaults_and_variable_arguments(definition, arguments, fits):
    sources = {
        "a.py": f"class A:\n    {definition}\n",
        "b.py": f"def run(a):\n    a.get({arguments})\n",
    }
    assert uses_of(sources, "b.py#run") == ({"a.py#A.get": True} if fits else {})


@pytest.mark.parametrize(
    "body",
    [
        "fn run(n: Box<Net>) { n.up(); }",
        "fn run(n: &mut Option<Arc<Net>>) { n.as_mut().unwrap().up(); }",
        "fn make() -> Result<Net> { todo!() }\nfn run() { let n = make()?; n.up(); }",
        "struct Of { net: Pin<Box<Net>> }\nimpl Of { fn run(&self) { self.net.up(); } }",
    ],
)
def test_what_wraps_a_type_in_rust_has_its_members(body):
    sources = {
        "src/net.rs": "pub struct Net;\nimpl Net { pub fn up(&self) {} }\n",
        "src/other.rs": "pub struct Other;\nimpl Other { pub fn up(&self) {} }\n",
        "src/main.rs": f"use crate::net::Net;\n{body}\n",
    }
    graph, node_ids = graph_of(sources)
    run = next(i for node, i in node_ids.items() if node.endswith("run"))
    (use,) = [u for u in graph.uses(run) if u.node_id == node_ids["src/net.rs#Net::up"]]
    assert use.grade == Grade.RESOLVED


@pytest.mark.parametrize(
    "text",
    [
        "use std::time::Duration;",
        "fn run() { tokio::time::pause(); }",
        "fn run(a: A) { a.time; }",
        "fn run() { std::mem::time(); }",
        "fn run() { time!(); }",
    ],
)
def test_modules_fields_and_the_standard_library_are_no_members_of_rust(text):
    sources = {"a.rs": "impl Handle { fn time(&self) {} }\n", "b.rs": f"{text}\n"}
    graph, node_ids = graph_of(sources)
    assert graph.users(node_ids["a.rs#Handle::time"]) == ()


def test_a_call_of_what_a_member_overrides_possibly_means_it():
    sources = {
        "a.java": "interface Shape {\n  int area(int n);\n}\n"
        "class Disc implements Shape {\n  public int area(int n) { return n; }\n}\n"
        "class Draw {\n  int run(Shape s) { return s.area(1); }\n}\n",
    }
    graph, node_ids = graph_of(sources)
    run = node_ids["a.java#Draw.run"]
    grades = [
        [(use.node_id, use.grade) for use in graph.users(node_ids[f"a.java#{name}.area"])]
        for name in ("Shape", "Disc")
    ]
    assert grades == [[(run, Grade.RESOLVED)], [(run, Grade.POSSIBLE)]]


@pytest.mark.parametrize(
    ("suffix", "types", "run"),
    [
        ("ts", "interface Shape { area(n: number): number }\nclass A implements Shape {\n"
         "  area(n: number) { return n; }\n}\n", "function run(s: Shape) { return s.area(1); }\n"),
        ("go", "package p\ntype Shape interface {\n\tarea(n int) int\n\tname() string\n}\n"
         "type A struct{}\nfunc (a *A) area(n int) int { return n }\n"
         "func (a *A) name() string { return n }\n"
         "type B struct{}\nfunc (b *B) area(n int) int { return n }\n",
         "func run(s Shape) int { return s.area(1) }\n"),
    ],
)  # fmt: skip
def test_a_call_through_an_interface_leads_to_what_implements_it(suffix, types, run):
    graph, node_ids = graph_of({f"a.{suffix}": types + run})
    area = node_ids[f"a.{suffix}#A.area"]
    uses = graph.uses(node_ids[f"a.{suffix}#run"])
    assert [u.grade for u in uses if u.node_id == area] == [Grade.ONLY_CANDIDATE]
    assert node_ids.get(f"a.{suffix}#B.area") not in [use.node_id for use in uses]
    assert [u.node_id for u in graph.users(area)] == [node_ids[f"a.{suffix}#run"]]
    second = types.replace("A", "C").partition("\n")[2] if suffix == "ts" else ""
    graph, node_ids = graph_of({f"a.{suffix}": types + second + run})
    if second:
        assert [u.grade for u in graph.users(node_ids["a.ts#A.area"])] == [Grade.POSSIBLE]


@pytest.mark.parametrize(
    ("suffix", "import_line"),
    [("py", "from disk import save as keep\n"), ("ts", "import { save as keep } from './disk';\n")],
)
def test_what_is_imported_under_another_name_is_used(suffix, import_line):
    run = "def run(save):\n    keep()\n" if suffix == "py" else "function run(save) { keep(); }\n"
    own = "def save(): pass\n" if suffix == "py" else "function save() {}\n"
    disk = own if suffix == "py" else "export " + own
    graph, node_ids = graph_of({f"disk.{suffix}": disk, f"app.{suffix}": import_line + own + run})
    save = node_ids[f"disk.{suffix}#save"]
    assert [use.node_id for use in graph.uses(node_ids[f"app.{suffix}#run"])] == [save]
    users = {use.node_id for use in graph.users(save)}
    assert users == {node_ids[f"app.{suffix}#app"], node_ids[f"app.{suffix}#run"]}


def test_possible_uses_come_in_one_order_whenever_their_files_were_read():
    files = {f"{name}.py": f"class {name}:\n    def save(self): pass\n" for name in "AB"}
    files["run.py"] = "def run(unknown):\n    unknown.save()\n"
    orders = []
    for paths in (sorted(files), sorted(files, reverse=True)):
        graph, node_ids = graph_of({path: files[path] for path in paths})
        names = {node_id: name for name, node_id in node_ids.items()}
        orders.append([names[use.node_id] for use in graph.uses(node_ids["run.py#run"])])
    assert orders[0] == orders[1] == ["A.py#A.save", "B.py#B.save"]


def test_a_quote_in_a_regular_expression_ends_nothing():
    source = "function load() {}\nfunction run(a) { const q = /['\"]/; load(); return /'/; }\n"
    assert uses_of({"a.js": source}, "a.js#run") == {"a.js#load": False}


def test_lines_that_use_the_name_of_a_definition():
    sources = {
        "a.py": "class A:\n    def get(self, a): return a.get()\n",
        "b.py": "def run(a):\n    # get\n    a.get(1, 2); a.get()\n    a.get()\n",
        "c.py": "class C:\n    def get(self): pass\n",
        "d.rs": "fn run(a: A) { a.get(); }\n",
    }
    graph, node_ids = graph_of(sources)
    lines = [(m.node_id, m.line, m.text) for m in graph.mentions(node_ids["a.py#A.get"])]
    run = node_ids["b.py#run"]
    assert lines == [(run, 2, "a.get(1, 2); a.get()"), (run, 3, "a.get()")]


@pytest.mark.parametrize(
    "call",
    ["super.reset()", "this.inner.reset()", "other.reset()", "reset()", "[...reset()]"],
)
def test_what_a_member_calls_by_its_own_name_is_used(call):
    sources = {
        "base.ts": "export class Base { reset() {} }\nexport function reset() {}\n",
        "app.ts": "import { Base, reset } from './base';\nimport * as other from './base';\n"
        f"class App extends Base {{\n  inner: Base;\n  reset() {{ {call}; }}\n}}\n",
    }
    is_function = call.startswith(("other", "reset", "["))
    target = "base.ts#reset" if is_function else "base.ts#Base.reset"
    assert uses_of(sources, "app.ts#App.reset") == {target: False}
    graph, node_ids = graph_of(sources)
    assert node_ids["app.ts#App.reset"] in [use.node_id for use in graph.users(node_ids[target])]


@pytest.mark.parametrize("name", ["#send", "$send", "get", "delete", "from"])
def test_names_with_marks_and_names_that_are_keywords_elsewhere_are_used(name):
    sources = {"a.ts": f"class A {{\n  {name}(n) {{}}\n  run() {{ this.{name}(1); }}\n}}\n"}
    assert uses_of(sources, "a.ts#A.run") == {f"a.ts#A.{name}": False}
    graph, node_ids = graph_of(sources)
    users = [use.node_id for use in graph.users(node_ids[f"a.ts#A.{name}"])]
    assert users == [node_ids["a.ts#A.run"]]


TYPED = {
    "net.ts": "export class Net { up() {} get peer(): Net { return this; } }\n"
    "export class Other { up() {} }\nexport const shared: Net | null = null;\n"
    "export function make() { return new Net(); }\n",
    "net.py": "class Net:\n    def up(self): pass\n    @property\n"
    "    def peer(self) -> 'Net': ...\n"
    "class Other:\n    def up(self): pass\nshared: Net = None\ndef make():\n    return Net()\n",
}


@pytest.mark.parametrize(
    "body",
    [
        "function run(n: Net | null) { n?.up(); }",
        "function run() { const f = (n: Net, a: Other) => n.up(); }",
        "function run() { shared.up(); }",
        "function run() { make().up(); }",
        "function run(n: Net) { n.peer.up(); }",
        "async function run(n: Promise<Net>) { (await n); const m = await n; m.up(); }",
        "class A { net: Net | null = f(); end() { this.net = null; } run() { this.net.up(); } }",
        "class A { #net = new Net(); run() { const { peer: p } = this.#net; p.up(); } }",
        "class A { constructor(private net: Net) {} run() { const n = this.net; n.up(); } }",
        "class A { net: Net; run() { const a = { f: () => { this.net.up(); } }; } }",
        "class A { net: Net; run() { const f = () => {\n\n\n\n\n\n\n\n this.net.up();\n }; } }",
        "function run(a: any) { const n = a.b as Net; n.up(); }",
        "class A { net = new Net(); run() { const { net: n = f(), x: { Other: Net } } = this; } "
        "end() { const { net, up } = this; net.up(); } }",
        "function run({ up }: any, n: Net) { n.up(); }",
    ],
)  # fmt: skip
def test_types_of_receivers_in_typescript(body):
    imports = "import { Net, Other, shared, make } from './net';\n"
    graph, node_ids = graph_of({**TYPED, "app.ts": imports + body + "\n"})
    used = [u for i in node_ids.values() for u in graph.uses(i)]
    assert {u.grade for u in used if u.node_id == node_ids["net.ts#Net.up"]} == {Grade.RESOLVED}
    assert node_ids["net.ts#Other.up"] not in [u.node_id for u in used]


@pytest.mark.parametrize(
    "body",
    [
        "def run(): shared.up()",
        "def run(): make().up()",
        "def run(n: Net): n.peer.up()",
        "@shared.up()\ndef run(): pass",
        "def run(n: Net):\n    m = n.peer\n    m.up()",
        "def run(n: Net):\n    up(1, n=2)\n    n.up()",
        "class A:\n    def __init__(self, n: Net): self.n = n\n    def run(self): self.n.up()",
        "class A:\n    n = Net()\n    def run(self): self.n.up()",
        "def run(a=(1, 2), *, n: Net = (), **up): n.up()",
        "def run():\n    n: Net\n    n.up()",
    ],
)
def test_types_of_receivers_in_python(body):
    source = f"from net import Net, Other, shared, make\n{body}\n"
    graph, node_ids = graph_of({**TYPED, "app.py": source})
    used = [u for i in node_ids.values() for u in graph.uses(i)]
    assert {u.grade for u in used if u.node_id == node_ids["net.py#Net.up"]} == {Grade.RESOLVED}
    assert node_ids["net.py#Other.up"] not in [u.node_id for u in used]


@pytest.mark.parametrize(
    "body",
    [
        "func run(a, n *net.Net) { n.Up() }",
        "func run() { n, err := net.Open(); n.Up() }",
        "func run(ns []*net.Net) { for _, n := range ns {\n n.Up()\n } }",
        "func run(ns []*net.Net) { ns[0].Up() }",
        "func run(a any) { n, ok := a.(*net.Net); n.Up() }",
        "func run(a []net.Other, n *net.Net) { for n := range a {}; n.Up() }",
    ],
)
def test_types_of_receivers_in_go(body):
    sources = {
        "net.go": "package net\ntype Net struct{}\nfunc (n *Net) Up() {}\ntype Other struct{}\n"
        "func (o *Other) Up() {}\nfunc Open() (*Net, error) { return nil, nil }\n",
        "cmd/app.go": f'package cmd\nimport "x.org/y/net/v2"\n{body}\n',
    }
    uses = uses_of(sources, "cmd/app.go#run")
    assert uses["net.go#Net.Up"] is False and "net.go#Other.Up" not in uses


STATED = {
    "py": "class Net:\n    def up(self): pass\nclass Other:\n    def up(self): pass\n"
    "class App(Net):\n    net: 'Net'\n    def by_base(self): self.up()\n"
    "    def by_field(self): self.net.up()\n    def open(self) -> 'Net': ...\n"
    "    def by_result(self): self.open().up()\n",
    "ts": "class Net { up() {} }\nclass Other { up() {} }\nclass App extends Net {\n"
    "  private net?: Net;\n  by_base() { this.up(); }\n  by_field() { this.net.up(); }\n"
    "  open(): Net { return f(); }\n  by_result() { this.open().up(); }\n}\n",
    "js": "class Net { up() {} }\nclass Other { up() {} }\nclass App extends Net {\n"
    "  net = new Net();\n  by_base() { this.up(); }\n  by_field() { this.net.up(); }\n"
    "  open() { return new Net(); }\n  by_result() { this.open().up(); }\n}\n",
    "go": "package p\ntype Net struct{}\nfunc (n *Net) up() {}\ntype Other struct{}\n"
    "func (o *Other) up() {}\ntype App struct {\n\t*Net\n\tnet *Net\n}\n"
    "func (a *App) by_base() { a.up() }\nfunc (a *App) by_field() { a.Net.up(); a.net.up() }\n"
    "func (a *App) open() (n *Net, err error) { return }\n"
    "func (a *App) by_result() { n, err := a.open(); n.up() }\n",
    "rs": "struct Net;\nstruct Other;\nimpl Other { fn up(&self) {} }\n"
    "trait Rise { fn up(&self) {} }\nimpl Rise for Net {}\nstruct App { net: Option<Net> }\n"
    "impl Rise for App {}\nimpl App { fn by_base(&self) { self.up(); }\n"
    "fn by_field(&self) { self.net.up(); }\nfn open() -> Result<Net, E> { f() }\n"
    "fn by_result(&self) { Self::open().unwrap().up(); } }\n",
    "java": "class Net { void up() {} }\nclass Other { void up() {} }\nclass App extends Net {\n"
    "  private @Nullable Net net = f();\n  void by_base() { up(); }\n"
    "  void by_field() { net.up(); }\n  Net open() { return f(); }\n"
    "  void by_result() { open().up(); }\n}\n",
    "cs": "class Net { void up() {} }\nclass Other { void up() {} }\nclass App : Net {\n"
    "  Net net { get; set; }\n  void by_base() { up(); }\n  void by_field() { net.up(); }\n"
    "  Net open() { return f(); }\n  void by_result() { open().up(); }\n}\n",
    "cpp": "class Net { public: void up() {} };\nclass Other { public: void up() {} };\n"
    "class App : public Net {\n  std::unique_ptr<Net> net;\n  void by_base() { up(); }\n"
    "  void by_field() { net->up(); }\n  Net &open() { return f(); }\n"
    "  void by_result() { open().up(); }\n};\n",
    "kt": "class Net { fun up() {} }\nclass Other { fun up() {} }\nclass App : Net() {\n"
    "  private val net: Net? = f()\n  fun by_base() { up() }\n  fun by_field() { net.up() }\n"
    "  fun open(): Net = f()\n  fun by_result() { open().up() }\n}\n",
    "swift": "class Net { func up() {} }\nclass Other { func up() {} }\nclass App: Net {\n"
    "  var net: Net?\n  func by_base() { up() }\n  func by_field() { net.up() }\n"
    "  func open() -> Net { return f() }\n  func by_result() { open().up() }\n}\n",
    "scala": "class Net { def up() = 1 }\nclass Other { def up() = 1 }\n"
    "class App(net: Net) extends Net {\n  def by_base() = { up() }\n"
    "  def by_field() = { net.up() }\n  def open(): Net = f()\n"
    "  def by_result() = { open().up() }\n}\n",
    "rb": "class Net\n  def up\n  end\nend\nclass Other\n  def up\n  end\nend\n"
    "class App < Net\n  def initialize\n    @net = Net.new\n  end\n"
    "  def by_base\n    up\n  end\nend\n",
    "php": "<?php\nclass Net { function up() {} }\nclass Other { function up() {} }\n"
    "class App extends Net {\n  private ?Net $net;\n  function by_base() { $this->up(); }\n"
    "  function by_field() { $this->net->up(); }\n  function open(): ?Net { return f(); }\n"
    "  function by_result() { $this->open()->up(); }\n}\n",
    "dart": "class Net { void up() {} }\nclass Other { void up() {} }\nclass App extends Net {\n"
    "  final Net net;\n  void by_base() { up(); }\n  void by_field() { net.up(); }\n"
    "  Net open() { return f(); }\n  void by_result() { open().up(); }\n}\n",
}
"""Types that bases, fields and results of functions state."""


@pytest.mark.parametrize("suffix", STATED)
def test_bases_fields_and_results_state_types_in_each_language(suffix):
    graph, node_ids = graph_of({f"a.{suffix}": STATED[suffix]})
    names = {
        node_id: name.partition("#")[2].replace("::", ".") for name, node_id in node_ids.items()
    }
    runs = {i: name.partition(".")[2] for i, name in names.items() if ".by_" in name}
    assert runs
    for i, run in runs.items():
        uses = {names[use.node_id]: use.grade for use in graph.uses(i)}
        up = uses.get("Net.up", uses.get("Rise.up"))
        assert (run, up) == (run, Grade.RESOLVED)
        assert "Other.up" not in uses


@pytest.mark.parametrize(
    ("suffix", "source"),
    [
        ("go", "package p\ntype T struct { load u }\nfunc run() { T{load: 1}.f([]T{{load: 2}}) }"),
        ("ts", "function run() { f({ load: 1 }); }\ninterface A { load: number }"),
        ("rb", "def run\n  f(load: 1)\nend"),
        ("rs", "struct S { load: u8 }\nfn run() { f(S { load: 1 }); }"),
        ("cs", "class A { int load; void run() { f(load: 1); } }"),
        ("kt", "fun run() { f(load = 1) }"),
        ("swift", "func run() { f(load: 1) }"),
        ("scala", "object A { def run() = { f(load = 1) } }"),
        ("php", "<?php\nfunction run() { f(load: 1); }"),
        ("ex", "defmodule A do\n  def run(), do: f(load: x())\nend"),
        ("lua", "function run() f({ load = 1 }) end"),
    ],
)  # fmt: skip
def test_names_of_arguments_and_entries_are_no_uses(suffix, source):
    own = {
        "go": "package p\nfunc load() {}\n", "ts": "function load() {}\n",
        "php": "<?php\nfunction load() {}\n", "rb": "def load\nend\n", "rs": "fn load() {}\n",
        "cs": "class L { void load() {} }\n", "kt": "fun load() {}\n", "swift": "func load() {}\n",
        "scala": "def load() = 1\n",
        "ex": "defmodule L do\n  def load(), do: 1\nend\n", "lua": "function load() end\n",
    }[suffix]  # fmt: skip
    graph, node_ids = graph_of({f"p/own.{suffix}": own, f"p/use.{suffix}": f"{source}\n"})
    (load,) = [i for name, i in node_ids.items() if name.endswith("load")]
    assert graph.users(load) == ()


@pytest.mark.parametrize(
    ("suffix", "source"),
    [
        ("go", "package p\nfunc load() {}\nfunc run(a any) { switch a {\ncase load: f() } }\n"),
        ("go", "package p\nfunc load() {}\nfunc run() { f(map[any]int{load: 1}) }\n"),
        ("ts", "function load() {}\nfunction run(a) { switch (a) { case load: f(); } }\n"),
        ("ts", "function load() {}\nfunction run(a) { return a ? !load : 1; }\n"),
        ("ex", "defmodule A do\n  @compile {:inline, load: 0}\n  def load(), do: 1\nend\n"),
    ],
)  # fmt: skip
def test_a_colon_behind_a_name_does_not_make_it_a_key(suffix, source):
    graph, node_ids = graph_of({f"a.{suffix}": source})
    (load,) = [i for name, i in node_ids.items() if name.endswith("load")]
    assert [use.grade for use in graph.users(load)] == [Grade.RESOLVED]


def test_the_surest_of_several_uses_of_a_definition_counts():
    source = "class A:\n    def get(self, a): pass\ndef run(a, b: A):\n    a.get(1)\n    b.get(2)\n"
    graph, node_ids = graph_of({"a.py": source})
    (use,) = graph.uses(node_ids["a.py#run"])[-1:]
    assert (use.node_id, use.grade, use.line) == (node_ids["a.py#A.get"], Grade.RESOLVED, 4)


def test_a_call_with_a_keyword_gives_no_name():
    source = "def load(a, b): pass\ndef run():\n    load('x', b=1)\n"
    assert uses_of({"a.py": source}, "a.py#run") == {"a.py#load": False}


def test_what_only_states_types_of_a_call_is_not_what_is_called():
    source = (
        "from typing import overload\n@overload\ndef get(a: int) -> int: ...\n@overload\n"
        "def get(a: str) -> str: ...\ndef get(a):\n    return a\ndef run():\n    get(1)\n"
    )
    graph, node_ids = graph_of({"a.py": source})
    (use,) = graph.uses(node_ids["a.py#run"])
    assert use.node_id == node_ids["a.py#get"]  # The last of this name.


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


JAVA = {
    "p/Net.java": "package p;\npublic class Net {\n  public void up(int a) {}\n"
    "  public static Net make() { return f(); }\n}\n",
    "p/Base.java": "package p;\npublic class Base { Net size(int a) { return f(); } }\n",
}


@pytest.mark.parametrize(
    ("line", "body", "target"),
    [
        ("", "class App { Net n; class In { T n; void run() { App.this.n.up(1); } } }", "Net.up"),
        ("", "class App { void up(int a) {} class In { void up(int a) {} "
         "void run() { App.this.up(1); } } }", "App.up"),
        ("", "class App { void run() { Net.<String>make().up(1); } }", "Net.up"),
        ("", "class App { void up(int a) {} void run() { int up = 1; up(1); } }", "App.up"),
        ("", "class App extends Other { void run(Net parent, Net base) { parent.up(base); } }",
         "Net.up"),
        ("", "class App { Net size(int a) { return f(); } class In extends Base { "
         "void run() { size(1); } } }", "Base.size"),
        ("import static p.Net.make;", "class App { void run() { make().up(1); } }", "Net.up"),
        ("import static p.Net.*;", "class App { void run() { make().up(1); } }", "Net.up"),
    ],
)  # fmt: skip
def test_members_in_java(line, body, target):
    source = f"package q;\nimport p.Net;\nimport p.Base;\n{line}\n{body}\n"
    graph, node_ids = graph_of({**JAVA, "q/App.java": source})
    names = {node_id: name.partition("#")[2] for name, node_id in node_ids.items()}
    (run,) = [i for i, name in names.items() if name.endswith("run")]
    uses = {names[use.node_id]: use.grade for use in graph.uses(run)}
    assert uses.pop(target) == Grade.RESOLVED
    assert not uses.keys() & {"Net.up", "App.up", "App.In.up", "App.size", "Base.size"}


@pytest.mark.parametrize(
    ("argument", "parameter"),
    [
        ('"a, b"', "String s"),
        ("'a'", "char c"),
        ("1", "int i"),
        ("2L", "long l"),
        ("true", "boolean b"),
        ("new Net(1)", "p.Net n"),
        ("net", "p.Net n"),
        ("this.net", "p.Net n"),
        ("open()", "p.Net n"),
        ("(String) x", "String s"),
        ("list", "List<Net> xs"),
        ("nets[i]", "p.Net n"),
        ("t", "T t"),
        ("file()", "File f"),
        ("x", None),
        ("f(y)", None),
    ],
)
def test_the_types_of_arguments_choose_among_overloads(argument, parameter):
    parameters = (
        "int i",
        "long l",
        "char c",
        "boolean b",
        "String s",
        "p.Net n",
        "List<Net> xs",
        "T t",
        "File f",
    )
    overloads = "".join(f"  void put({each}) {{}}\n" for each in parameters)
    source = (
        f"package p;\nclass Net {{}}\nclass App {{\n  Net net;\n  Net open() {{ return f(); }}\n"
        f"{overloads}  File file() {{ return f(); }}\n"
        f"  <T> void run(List<Net> list, Net[] nets, T t) {{ put({argument}); }}\n}}\n"
    )
    graph, node_ids = graph_of({"App.java": source})
    nodes = parse(Document("App.java", source.encode())).nodes  # Their positions are their ids.
    uses = [nodes[use.node_id] for use in graph.uses(node_ids["App.java#App.run"])]
    found = [node.signature for node in uses if node.name == "put"]
    assert found == [f"void put({each})" for each in parameters if parameter in (each, None)]


@pytest.mark.parametrize("line", ["import a.*;", "import a.Store;", "import static a.Store.save;"])
def test_an_import_of_java_binds_names_that_it_does_not_pass_on(line):
    sources = {
        "a/Store.java": "package a;\nclass Store {\n static void save() {}\n}\n",
        "b/App.java": f"package b;\n{line}\nclass App {{\n void run() {{ Store.save(); }}\n}}\n",
        "c/Far.java": "package c;\nimport b.*;\nclass Far {\n void run() { Store.save(); }\n}\n",
    }
    target = "a/Store.java#Store.save"
    is_of_type = "static" not in line
    assert (uses_of(sources, "b/App.java#App.run").get(target) is False) is is_of_type
    assert uses_of(sources, "c/Far.java#Far.run").get(target) is not False


@pytest.mark.parametrize(
    ("suffix", "line", "call"),
    [
        ("kt", "import p.save as keep\n", "fun run() { keep(1) }"),
        ("php", "use p\\{save as keep};\n", "function run() { keep(1); }"),
        ("rs", "use crate::p::{self, save as keep};\n", "fn run() { keep(1); }"),
        ("js", "const { save: keep } = require('../p');\n", "function run() { keep(1); }"),
    ],
)
def test_names_that_imports_bind_in_each_language(suffix, line, call):
    own = {
        "kt": "package p\nfun save(a: Int) {}\n",
        "php": "<?php\nfunction save($a) {}\n",
        "rs": "pub fn save(a: u8) {}\n",
        "js": "function save(a) {}\n",
    }[suffix]
    head = "<?php\n" if suffix == "php" else ""
    body = f"{head}{line}{call}\n"
    graph, node_ids = graph_of({f"p.{suffix}": own, f"q/app.{suffix}": body})
    (run,) = [i for node, i in node_ids.items() if node.endswith("run")]
    (save,) = [i for node, i in node_ids.items() if node.endswith("save")]
    assert [use.node_id for use in graph.uses(run) if use.grade == Grade.RESOLVED] == [save]


def test_users_are_the_reverse_of_uses_and_have_the_line():
    sources = {**STORE, "app.py": "from store import Storage\n\ndef run():\n    Storage().save()\n"}
    graph, node_ids = graph_of(sources)
    (user,) = graph.users(node_ids["store/disk.py#Disk.save"])
    assert (user.node_id, user.line, user.grade) == (node_ids["app.py#run"], 3, Grade.RESOLVED)


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


def test_a_caller_is_as_sure_as_the_least_sure_call_of_the_surest_way():
    sources = {
        "store.py": "class Disk:\n    def drop(self): pass\n\n\n"
        "def sure(disk: Disk): disk.drop()\n",
        "app.py": "from store import sure\n\n\ndef guess(thing): thing.drop()\n\n\n"
        "def by_guess(): guess(1)\n\n\ndef by_both():\n    guess(1)\n    sure(2)\n",
    }
    graph, node_ids = graph_of(sources)
    callers = graph.callers([node_ids["store.py#Disk.drop"]], 2)
    assert {name: callers[i].grade for name, i in node_ids.items() if i in callers} == {
        "store.py#sure": Grade.RESOLVED,
        "app.py#guess": Grade.ONLY_CANDIDATE,
        "app.py#by_guess": Grade.ONLY_CANDIDATE,
        "app.py#by_both": Grade.RESOLVED,
        "app.py#app": Grade.RESOLVED,  # Its import.
    }


@pytest.mark.parametrize("n_others", [1, 30])
def test_implementations_are_derived_types_and_overriding_members(n_others):
    source = (
        "class Shape:\n    def area(self): ...\n\n\nclass Round(Shape):\n    pass\n\n\n"
        "class Disc(Round):\n    def area(self): return 1\n"
    )
    other = "from shape import Shape\nclass Other(Base):\n    def area(self): return Shape\n"
    others = {f"other_{i}.py": other for i in range(n_others)}
    graph, node_ids = graph_of({"shape.py": source, **others})
    implementations = graph.implementations(node_ids["shape.py#Shape"])
    assert {*implementations} == {node_ids["shape.py#Round"], node_ids["shape.py#Disc"]}
    assert graph.implementations(node_ids["shape.py#Shape.area"]) == (
        node_ids["shape.py#Disc.area"],
    )


def test_an_implementation_can_stand_in_another_file_than_its_type():
    sources = {
        "src/lib.rs": "pub mod disc;\npub mod area;\npub trait Shape { fn area(&self) -> i32; }\n",
        "src/disc.rs": "pub struct Disc;\n",
        "src/area.rs": "use crate::disc::Disc;\nuse crate::Shape;\n"
        "impl Shape for Disc { fn area(&self) -> i32 { 1 } }\n",
    }
    graph, node_ids = graph_of(sources)
    found = graph.implementations(node_ids["src/lib.rs#Shape::area"])
    assert found == (node_ids["src/area.rs#Disc::area"],)


WORDS = ("self", "x", "a", "B", "f", "(", ")", ".", "=", ":", "\n    ", "\n", "def ", "class ")
MORE_WORDS = ("return ", "import ", "from ", ",", "[", "]", "->", "::", '"', "#", "{", "}", " ")


@settings(max_examples=150)
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


def test_headers_that_all_include_each_other_are_read_once():
    headers = [f"part{i}.h" for i in range(40)]
    includes = "".join(f'#include "{header}"\n' for header in headers)
    sources = dict.fromkeys(headers, includes)
    sources |= {"lost.h": "inline int lost() { return 1; }\n"}
    sources |= {"main.cpp": includes + "int run() { return lost(); }\n"}
    assert uses_of(sources, "main.cpp#run") == {"lost.h#lost": False}


def test_the_search_for_callers_can_be_cancelled():
    graph, cancel = Graph(), threading.Event()
    _, ids = graph_of({"a.py": "def save():\n    pass\n\ndef run():\n    save()\n"}, graph)
    calls = CallGraph(graph, {"a.py": b""}.get, cancel)
    assert calls.callers([ids["a.py#run"]], 1) == {}
    cancel.set()
    with pytest.raises(Cancelled):
        calls.callers([ids["a.py#save"]], 1)


def test_a_conversion_is_no_use_of_its_type_and_a_macro_behind_a_name_is_used():
    source = """\
#define MY_FINAL final
class Flag MY_FINAL {
  MY_EXPLICIT operator bool() const MY_NOEXCEPT { return on_; }
  bool on_;
};
bool run(bool on) { return on; }
"""
    graph, ids = graph_of({"a.cpp": source})
    assert graph.users(ids["a.cpp#Flag::operator bool"]) == ()
    users = [use.node_id for use in graph.users(ids["a.cpp#MY_FINAL"])]
    assert users == [ids["a.cpp#Flag"]]


@pytest.mark.parametrize(
    ("suffix", "package", "store", "run"),
    [
        ("php", "<?php\nnamespace Shop\\Cart;", "class Store { function save() {} }",
         "class Run { function run() { $s = new Store(); $s->save(); } }"),
        ("java", "package shop.cart;", "class Store { void save() {} }",
         "class Run { void run() { Store s = new Store(); s.save(); } }"),
        ("kt", "package shop.cart", "class Store { fun save() {} }",
         "class Run { fun run() { val s = Store(); s.save() } }"),
        ("scala", "package shop.cart", "class Store { def save() = 1 }",
         "class Run { def run() = { val s = new Store(); s.save() } }"),
    ],
)  # fmt: skip
def test_files_of_one_package_in_other_folders_need_no_import(suffix, package, store, run):
    other = package.replace("hop", "tock")
    sources = {
        f"main/store.{suffix}": f"{package}\n{store}\n",
        f"other/store.{suffix}": f"{other}\n{store}\n",
        f"test/run.{suffix}": f"{package}\n{run}\n",
    }
    uses = {f"main/store.{suffix}#Store": False, f"main/store.{suffix}#Store.save": False}
    used = uses_of(sources, f"test/run.{suffix}#Run.run")
    assert {name.replace("::", "."): by_name for name, by_name in used.items()} == uses


VALUES = {
    "swift": "class Store { func save() {} }\nfunc make(a: Int) throws -> Store { Store() }\n"
    "func run() {\n let s = $\n s.save()\n}\n",
    "dart": "class Store { void save() {} }\nStore make(int a) => Store();\n"
    "void run() async { final s = $; s.save(); }\n",
    "rb": "class Store\n  def save\n  end\nend\ndef run\n  s = $\n  s.save\nend\n",
}


@pytest.mark.parametrize(
    ("suffix", "value"),
    [
        ("swift", "make(a: 1)"),
        ("swift", "try make(a: 1)"),
        ("swift", "try? await make(a: 1)"),
        ("dart", "make(1)"),
        ("dart", "await make(1)"),
        ("rb", "Store.new"),
    ],
)
def test_a_local_has_the_type_of_its_value(suffix, value):
    other = VALUES[suffix].replace("Store", "Other").replace("make", "build")
    sources = {f"a.{suffix}": VALUES[suffix].replace("$", value), f"b.{suffix}": other}
    saves = {
        n: by_name for n, by_name in uses_of(sources, f"a.{suffix}#run").items() if "save" in n
    }
    assert list(saves.values()) == [False]
