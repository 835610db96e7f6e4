"""Definitions that a grammar sees only without the macros and conditions around them."""

from __future__ import annotations

import pytest

from packhound.core.types import Document
from packhound.parsing.parse import parse
from packhound.parsing.tree_cache import TreeCache
from tests.support.syntax_check import parsed

RUST = """\
cfg_rt! {
    /// Owned permission to join.
    pub struct Handle<T> {
        raw: T,
    }

    cfg_io! {
        #[inline]
        fn nested() {}
    }
}
impl<T> Handle<T> {
    cfg_time! { pub fn abort(&self) {} }
}
cfg_if! { if #[cfg(unix)] { struct Unix; } else { struct Windows; } }
mod inner { pin_project! { enum State { Idle, Busy } } }
"""


def lines(path: str, source: str) -> dict[str, tuple[int, int]]:
    """First and last line of each node but that of the file, by qualified name."""
    nodes = [node for node in parsed(path, source).nodes if node.kind not in ("file", "window")]
    return {node.qualname: (node.span.start_line + 1, node.span.end_line + 1) for node in nodes}


def test_items_in_macros_are_nodes() -> None:
    assert lines("a.rs", RUST) == {
        "Handle": (2, 5),
        "nested": (8, 9),
        "Handle::abort": (13, 13),
        "Unix": (15, 15),
        "Windows": (15, 15),
        "inner::State": (16, 16),
    }
    handle = next(node for node in parsed("a.rs", RUST).nodes if node.name == "Handle")
    assert (handle.kind, handle.doc) == ("struct", "Owned permission to join.")


@pytest.mark.parametrize(
    "source",
    [
        "foo! { let x = 3; fn f() {} }\n",
        "foo! { a: b, c }\n",
        "bitflags! { struct Flags: u32 { const A = 1; } }\n",
        "fn f() { quote! { fn g() {} } }\n",
        "foo! {}\n",
    ],
)
def test_what_is_no_item_stays_text(source: str) -> None:
    assert set(lines("a.rs", source)) <= {"f"}


def test_items_in_macros_are_the_same_after_edits() -> None:
    trees = TreeCache()
    for end in range(len(RUST), 0, -7):
        source = (RUST[:end] + RUST[end + 3 :]).encode()
        document = Document("a.rs", source)
        assert parse(document, trees) == parse(document)


BRANCHES = """\
#if defined(WIDE)
int first(int a) {
  return a;
}
#else
int second(void) { return 0; }
#endif

#ifdef WIDE
int split(int a) {
  if (a) {
#else
int split(void) {
  {
#endif
    return 1;
  }
}

struct Limit {
  Limit(int most)
      :
#if !defined(NDEBUG)
        most_(most),
#endif
        left_(most) {
  }
  alignas(8) char storage[8];
};

int early(int a) {
  if (a)
#ifdef WIDE
    return 1;
#else
    return 2;
#endif
  return 3;
}

#ifdef WIDE
void opened(void) {
#endif
#ifndef WIDE
void closed(void) {
#endif
}

int last(void) { return 0; }
"""


def test_conditions_that_split_statements_cost_no_definition() -> None:
    assert lines("a.cc", BRANCHES) == {
        "first": (2, 4),
        "second": (6, 6),
        "split": (10, 18),
        "Limit": (20, 29),
        "Limit::Limit": (21, 27),
        "early": (31, 39),
        "opened": (42, 47),
        "last": (49, 49),
    }


def test_the_text_of_a_branch_that_is_not_parsed_is_that_of_the_node() -> None:
    (split,) = (node for node in parsed("a.cc", BRANCHES).nodes if node.name == "split")
    text = BRANCHES.encode()
    assert b"int split(void)" in b"".join(text[low:high] for low, high in split.own_ranges)


@pytest.mark.parametrize("path", ["a.c", "a.cc"])
def test_typedefs_are_nodes(path: str) -> None:
    source = """\
typedef unsigned long size;
typedef struct buffer *buffer_ref;
typedef struct buffer buffer;
typedef int on_read(struct buffer *from);
typedef void *(*allocate)(size n);
"""
    assert set(lines(path, source)) == {"size", "buffer_ref", "on_read", "allocate"}


def test_an_impl_is_called_what_it_is() -> None:
    source = """\
impl<T> Ring<T> { const A: u8 = 1; const B: u8 = 2; }
unsafe impl<T: Send> Send for Ring<T> {}
mod inner { impl From<u8> for Ring { fn from() {} } }
"""
    nodes = [node for node in parsed("a.rs", source).nodes if node.kind != "file"]
    assert [(node.name, node.qualname) for node in nodes] == [
        ("Ring", "impl<T> Ring<T>"),
        ("Ring", "impl Send for Ring"),
        ("Ring", "impl From<u8> for inner::Ring"),
        ("from", "inner::Ring::from"),
    ]
