"""Uses in Rust, C and Java that judges of these languages showed to be missing or wrong."""

from __future__ import annotations

import pytest

from packhound.core.types import Document
from packhound.graph.meanings import Grade
from packhound.parsing.parse import parse
from tests.graph.test_call_graph import graph_of, uses_of

WORKSPACE = {
    "src/lib.rs": "pub mod error;\npub mod regex;\n",
    "src/error.rs": "pub struct Error { kind: u8 }\nimpl Error { pub fn kind(&self) {} }\n",
    "src/regex/mod.rs": "pub mod text;\npub mod error;\npub use self::text::Regex;\n"
    "pub fn start() {}\n",
    "src/regex/error.rs": "pub struct Deep { n: u8 }\n",
    "src/regex/text.rs": "pub struct Regex { n: u8 }\nimpl Regex { pub fn find(&self) {} }\n",
    "a-lite/src/lib.rs": "pub mod error;\npub use crate::error::Error;\nmod macros;\n",
    "a-lite/src/error.rs": "pub struct Error { n: u8 }\nimpl Error { pub fn text(&self) {} }\n",
    "a-lite/src/macros.rs": "macro_rules! trace { () => {} }\n",
}
"""Two crates, each with a module `error`, one of them with two."""


@pytest.mark.parametrize(
    ("path", "source", "target"),
    [
        ("src/a.rs", "use crate::error::Error;\nfn run(e: Error) {}\n", "src/error.rs#Error"),
        ("a-lite/src/a.rs", "use crate::error::Error;\nfn run(e: Error) {}\n",
         "a-lite/src/error.rs#Error"),
        ("a-lite/src/a.rs", "use crate::Error;\nfn run(e: &Error) { e.text() }\n",
         "a-lite/src/error.rs#Error::text"),
        ("src/a.rs", "use a_lite::Error;\nfn run(e: &Error) { e.text() }\n",
         "a-lite/src/error.rs#Error::text"),
        ("src/regex/a.rs", "use super::error::Deep;\nfn run(e: Deep) {}\n",
         "src/regex/error.rs#Deep"),
        ("src/regex/a.rs", "use super::start;\nfn run() { start() }\n", "src/regex/mod.rs#start"),
        ("src/a.rs", "use crate::regex::Regex;\nfn run(r: Regex) { r.find() }\n",
         "src/regex/text.rs#Regex::find"),
        ("src/a.rs", "use crate::regex::Regex;\nmod tests {\n    use crate::x::Regex;\n}\n"
         "fn run(r: Regex) { r.find() }\n", "src/regex/text.rs#Regex::find"),
        ("a-lite/src/a.rs", "fn run() { trace!() }\n", "a-lite/src/macros.rs#trace"),
    ],
)  # fmt: skip
def test_a_path_of_rust_leads_through_the_modules_of_its_crate(path, source, target):
    uses = uses_of({**WORKSPACE, path: source}, f"{path}#run")
    assert uses.pop(target) is False
    assert not [name for name in uses if name.rpartition("::")[2] == target.rpartition("#")[2]]


def test_a_macro_of_another_crate_or_a_function_of_its_name_is_not_called():
    source = "fn trace() {}\nfn run() { trace!() }\n"
    assert uses_of({**WORKSPACE, "src/a.rs": source}, "src/a.rs#run") == {}
    nested = "mod inner { macro_rules! held { () => {} } }\nfn run() { held!() }\n"
    assert uses_of({"src/a.rs": nested}, "src/a.rs#run") == {}


RUST = """
pub trait Search { fn scan(&self); }
pub struct Store { size: u8, names: Names }
pub struct Names { n: u8 }
impl Names { pub fn first(&self) -> Option<Name> { None } fn size(&self) {} }
pub struct Name { n: u8 }
pub struct Pair(u8, Mutex<Name>);
impl Name { pub fn text(&self) {} }
impl Store {
    pub fn names(&self) -> u8 { 1 }
    pub fn size(&self) -> u8 { 2 }
}
mod inner { pub fn hidden() {} pub fn scanned() {} }
"""


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("fn run(s: Store) { s.size; }", ["Store"]),
        ("fn run(s: Store) { s.size(); }", ["Store", "Store::size"]),
        ("fn run(s: Store) { s.names.first(); }", ["Store", "Names::first"]),
        ("fn run(n: Names) { if let Some(x) = n.first() { x.text() } }",
         ["Names", "Names::first", "Name::text"]),
        ("fn run(n: Names) { match n.first() { Some(ref x) => x.text(), None => {} } }",
         ["Names", "Names::first", "Name::text"]),
        ("fn run(p: Pair) { p.1.lock().unwrap().text() }", ["Pair", "Name::text"]),
        ("fn run<S: Search>(s: S) { S::scan(&s) }", ["Search", "Search::scan"]),
        ("fn run<S: Search + Sized>(s: &S) { s.scan() }", ["Search", "Search::scan"]),
        ("fn run<S>(s: &S) where S: Search { s.scan() }", ["Search", "Search::scan"]),
        ("use inner::scanned;\nfn run() { scanned() }", ["inner::scanned"]),
        ("use src::hidden;\nmod b {\n    pub fn hidden() {}\n    fn run() { hidden() }\n}\n",
         ["b::hidden"]),
    ],
)  # fmt: skip
def test_members_of_rust_are_fields_or_called(source, targets):
    run = "src/a.rs#b::run" if "mod b" in source else "src/a.rs#run"
    uses = uses_of({"src/a.rs": RUST + source}, run)
    assert [
        name.removeprefix("src/a.rs#") for name, by_name in uses.items() if not by_name
    ] == targets


def test_what_a_type_has_of_its_own_comes_before_what_it_implements():
    source = (
        "struct Day { n: u8 }\nimpl Dated for Day { fn year(&self) -> u8 { 2 } }\n"
        "impl Day { fn year(&self) -> u8 { 1 } }\nfn run(d: Day) { d.year(); }\n"
    )
    graph, node_ids = graph_of({"src/a.rs": source})
    nodes = parse(Document("src/a.rs", source.encode())).nodes  # Their positions are their ids.
    used = [nodes[use.node_id] for use in graph.uses(node_ids["src/a.rs#run"])]
    assert [node.span.start_line for node in used if node.name == "year"] == [2]


C = {
    "include/net.h": "int net_open(int port);\n#define NET_MAX(a) a\n",
    "src/unix/net.c": "int net_open(int port) { return 1; }\n#define check(a) a\n",
    "src/win/net.c": "int net_open(int port) { return 2; }\n",
    "src/near.c": "int near_open(int n) { return 0; }\n",
}


@pytest.mark.parametrize(
    ("path", "targets"),
    [
        ("src/unix/app.c", {"include/net.h#net_open", "src/unix/net.c#net_open"}),
        ("src/win/app.c", {"include/net.h#net_open", "src/win/net.c#net_open"}),
    ],
)
def test_a_function_that_a_header_declares_is_its_nearest_body_too(path, targets):
    source = (
        '#include "../../include/net.h"\nint run() { check(1); return net_open(NET_MAX(1)); }\n'
    )
    uses = uses_of({**C, path: source}, f"{path}#run")
    # A macro is seen where its file is included.
    assert uses == dict.fromkeys([*targets, "include/net.h#NET_MAX"], False)


@pytest.mark.parametrize(
    ("argument", "parameters"),
    [
        ("xs", ["int[] a"]),
        ("new int[3]", ["int[] a"]),
        ("(int[]) x", ["int[] a"]),
        ("null", ["int[] a", "String s", "Net n"]),
        ("xs[0]", ["int i"]),
        ("'a'", ["int i"]),
        ("1.5f", ["double d"]),
        ('"a" + x', ["String s"]),
        ("1 + xs[0]", ["int i"]),
        ("x.toString()", ["String s"]),
        ("!x", ["boolean b"]),
        ("1 > xs[0]", ["boolean b"]),
        ("sub", ["Net n"]),
        ("y -> y", ["Net n"]),
        ("file", ["Object o"]),
    ],
)
def test_arguments_are_converted_to_the_parameters_of_overloads(argument, parameters):
    listed = ["Object o", "int i", "int[] a", "double d", "boolean b", "String s", "Net n"]
    overloads = "".join(f"  void put({each}) {{}}\n" for each in listed)
    source = (
        "package p;\ninterface Net {}\ninterface Sub extends Net {}\nclass App {\n"
        f"{overloads}  void run(int[] xs, Sub sub, File file) {{ put({argument}); }}\n}}\n"
    )
    graph, node_ids = graph_of({"App.java": source})
    nodes = parse(Document("App.java", source.encode())).nodes  # Their positions are their ids.
    uses = [use for use in graph.uses(node_ids["App.java#App.run"])]
    found = [nodes[use.node_id].signature for use in uses if nodes[use.node_id].name == "put"]
    assert found == [f"void put({each})" for each in listed if each in parameters]


@pytest.mark.parametrize(
    ("call", "signature"),
    [
        ("put()", "void put(String... all)"),
        ('put("a")', "void put(String s)"),
        ('put("a", "b")', "void put(String... all)"),
        ("put(names)", "void put(String... all)"),
    ],
)
def test_a_list_of_parameters_is_written_out_or_given(call, signature):
    source = (
        "class App {\n  void put(String s) {}\n  void put(String... all) {}\n"
        f"  void run(String[] names) {{ {call}; }}\n}}\n"
    )
    graph, node_ids = graph_of({"App.java": source})
    nodes = parse(Document("App.java", source.encode())).nodes
    uses = graph.uses(node_ids["App.java#App.run"])
    assert [nodes[use.node_id].signature for use in uses] == [signature]


def test_overloads_that_nothing_tells_apart_are_possible():
    parameters = ["int i", "long n", "char c", "String s"]
    overloads = "".join(f"  void put({each}) {{}}\n" for each in parameters)
    source = f"class App {{\n{overloads}  void run() {{ put(unknown()); }}\n}}\n"
    graph, node_ids = graph_of({"App.java": source})
    uses = graph.uses(node_ids["App.java#App.run"])
    assert [use.grade for use in uses] == [Grade.POSSIBLE] * len(parameters)


def test_an_include_leads_to_the_file_with_its_suffix():
    sources = {
        "net.h": "int net_open(int port);\n",
        "net.c": "#define check(a) a\nstatic int held(int n) { return n; }\n",
        "app.c": '#include "net.h"\nint run() { return check(1); }\n',
    }
    assert uses_of(sources, "app.c#run") == {}


def test_a_relative_import_leads_to_no_file_of_another_folder():
    sources = {
        "utils.ts": "export function run2() {}\n",
        "deep/utils.ts": "export function run2() {}\n",
        "app.ts": 'import { run2 } from "./utils";\nfunction run() { run2() }\n',
    }
    assert uses_of(sources, "app.ts#run") == {"utils.ts#run2": False}
