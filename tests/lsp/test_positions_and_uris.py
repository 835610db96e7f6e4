"""URIs, ranges and kinds as pure functions, for both families of systems."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from packhound.core.types import Kind
from packhound.lsp.position import choose_encoding, range_of_span, symbol_kind
from packhound.lsp.uris import path_from_uri, uri_from_path
from packhound.text.line_index import LineIndex
from packhound.text.text_buffer import TextBuffer


@pytest.mark.parametrize(
    ("uri", "posix", "windows"),
    [
        ("file:///a/b.py", "/a/b.py", "\\a\\b.py"),
        ("file:///c%3A/a%20b/x.py", "/c:/a b/x.py", "C:\\a b\\x.py"),
        ("file:///C:/a/./b/../x.py", "/C:/a/x.py", "C:\\a\\x.py"),
        ("FILE:/a/b", "/a/b", "\\a\\b"),
        ("file://localhost/a", "/a", "\\a"),
        ("file://host/share/x", None, "\\\\host\\share\\x"),
        ("file:///a/../../etc/passwd", "/etc/passwd", "\\etc\\passwd"),
        ("file:///a%2F..%2F..%2Fetc", "/etc", "\\etc"),
        ("file:///a%00b", None, None),
        ("file:///a\ud800.py", "/a\ufffd.py", "\\a\ufffd.py"),
        ("file:///c:", "/c:", "C:\\"),
        ("file:///c%3a/X.py", "/c:/X.py", "C:\\X.py"),
        ("file:///c:/x/", "/c:/x", "C:\\x"),
        ("file:////host/share/x", "/host/share/x", "\\\\host\\share\\x"),
        ("file://HOST/Share/x", None, "\\\\HOST\\Share\\x"),
        ("file://wsl%24/Ubuntu/x", None, "\\\\wsl$\\Ubuntu\\x"),
        ("file:///C:/J%C3%BCrgen/a+b%20c.py", "/C:/Jürgen/a+b c.py", "C:\\Jürgen\\a+b c.py"),
        ("file:///c:/x.py?q#f", None, None),
        ("file:///%F0%9F%98%80", "/😀", "\\😀"),
        ("untitled:Untitled-1", None, None),
        ("git:/a/b.py", None, None),
        ("relative/path", None, None),
        ("", None, None),
    ],
)
def test_path_from_uri(uri, posix, windows):
    assert path_from_uri(uri, windows=False) == posix
    assert path_from_uri(uri, windows=True) == windows


@pytest.mark.parametrize(
    ("path", "windows", "uri"),
    [
        ("/a b/ü#?.py", False, "file:///a%20b/%C3%BC%23%3F.py"),
        ("/a/\udcff", False, "file:///a/%FF"),
        ("C:\\a b\\x.py", True, "file:///C%3A/a%20b/x.py"),
        ("\\\\host\\share\\x", True, "file://host/share/x"),
        ("\\\\wsl$\\Ubuntu\\x", True, "file://wsl%24/Ubuntu/x"),
        ("C:\\", True, "file:///C%3A/"),
    ],
)
def test_uri_from_path_and_back(path, windows, uri):
    assert uri_from_path(path, windows=windows) == uri
    assert path_from_uri(uri, windows=windows) == path


@pytest.mark.parametrize(
    ("long", "plain"),
    [("\\\\?\\C:\\a\\x.py", "C:\\a\\x.py"), ("\\\\?\\UNC\\h\\s\\x", "\\\\h\\s\\x")],
)
def test_long_windows_paths_are_called_by_their_short_name(long, plain):
    assert uri_from_path(long, windows=True) == uri_from_path(plain, windows=True)


NAMES = st.text(
    st.characters(exclude_characters="\0/\\:", exclude_categories=["Cs"]), min_size=1, max_size=9
).filter(lambda name: name not in (".", "..") and name[-1:] not in ". ")


@given(names=st.lists(NAMES, min_size=1, max_size=4), windows=st.booleans())
def test_any_path_comes_back_from_its_uri(names, windows):
    path = "C:\\" + "\\".join(names) if windows else "/" + "/".join(names)
    assert path_from_uri(uri_from_path(path, windows=windows), windows=windows) == path


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-32", "utf-8", "utf-16"], "utf-8"),
        (["utf-16", "utf-32"], "utf-32"),
        (["ebcdic", 7], "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_choose_encoding(offered, chosen):
    assert choose_encoding(offered) == chosen


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@given(text=st.text("ab\n\r\f\u2028é漢😀", max_size=30), cut=st.tuples(*[st.integers(0, 30)] * 2))
def test_a_range_selects_the_same_text_in_the_editor(encoding, text, cut):
    first, last = (len(text[:n].encode()) for n in sorted(min(c, len(text)) for c in cut))
    source = text.encode()
    if source[first - 1 : first + 1] == b"\r\n" or source[last - 1 : last + 1] == b"\r\n":
        return  # No position exists between the two.
    range_ = range_of_span(LineIndex(source).span(first, last), source, encoding)
    buffer = TextBuffer(text, encoding)
    edges = [buffer.offset((p.line, p.character)) for p in (range_.start, range_.end)]
    assert source[edges[0] : edges[1]] == source[first:last]


def test_a_range_without_its_text_is_whole_lines():
    span = LineIndex(b"a\nbc\nd").span(3, 4)
    whole = types.Range(types.Position(1, 0), types.Position(2, 0))
    assert range_of_span(span, None, "utf-16") == whole


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_symbol_kind(kind):
    assert 1 <= symbol_kind(kind, all_kinds=True) <= 26
    assert 1 <= symbol_kind(kind, all_kinds=False) <= 18
