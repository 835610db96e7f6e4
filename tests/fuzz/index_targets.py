"""What reads folders, sources, queries and saved indexes: a value for everything, and no error."""

from __future__ import annotations

import atexit
import math
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from packhound.core.types import KINDS, MODES, Document, Focus, Query
from packhound.files.walk import WalkLimits, is_included, is_searchable, walk
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import search
from packhound.storage.dirty_rows import changed_rows
from packhound.storage.load import read_saved
from packhound.storage.row import MANIFEST, row_sum, seal
from packhound.storage.shared_rows import SharedRows
from packhound.storage.sqlite_store import UNREADABLE
from packhound.storage.stored_rows import DatabaseRow, read_rows
from tests.fuzz.draw import Draw
from tests.support.index_child import VERSIONS, filled
from tests.support.shop import snapshot
from tests.support.syntax_check import SOURCES, check_nodes

WORDS = (
    *("session", "Router.match", "load", "'exact", "^pre", "fix$", "!", '"add item"', "basket()"),
    *("kind:", "kind:class", "lang:", "lang:go", "path:", "path:*.py", "**/", "*", "?", "[a-z]"),
    *("[", "]", "!", "-", " ", "\n", "\n\n\n\n\n", ":12", "Traceback (most recent call last):\n"),
    *('  File "shop/session.py", line 4, in load\n', "    at x (web/src/basket.ts:3:1)\n", "`"),
    *("shop/session.py", "::", "->", "#", "\\", "/", "where is the ", "😀", "\u202e", "\0"),
)


def queries(data: bytes) -> None:
    """A search answers any query, the same each time, with scores that are sums of reasons."""
    draw = Draw(data)
    query = Query(
        text=draw.spliced(WORDS, 14),
        limit=1 + draw.number(20),
        mode=draw.of(MODES),
        kinds=tuple(draw.of(KINDS) for _ in range(draw.number(2))),
        languages=tuple(draw.text(8) for _ in range(draw.number(1))),
        paths=tuple(draw.spliced(WORDS[9:23], 8) for _ in range(draw.number(2))),
        focus=draw.of((None, Focus("shop/session.py", draw.number(30)))),
    )
    index = snapshot(vectors=False)
    actual = search(index, query, SearchEnvironment("/shop"))
    assert [hit.rank for hit in actual.hits] == list(range(1, len(actual.hits) + 1))
    assert len(actual.hits) <= query.limit
    for hit in actual.hits:
        total = sum(reason.contribution for reason in hit.why)
        assert math.isclose(hit.score, total, rel_tol=1e-4, abs_tol=1e-4), (hit.score, total)
        # A filter in the text adds kinds to those of the fields.
        assert not query.kinds or hit.node.kind in query.kinds or "kind:" in query.text
    again = search(index, query, SearchEnvironment("/shop"))
    assert again.hits == actual.hits and again.notes == actual.notes


NAMES = ("a.py", "b.log", "sub/a.py", "sub/deep/b.log", "sub/deep/é 😀.py", "build/x.py", "A.PY")
RULES = (
    *("a.py", "*.log", "*", "**", "**/", "/", "!", "#", "\\", "sub", "deep", "build/", "?"),
    *("[", "]", "[!a]", "[^a]", "[[:alpha:]]", "\n", " ", "\r\n", "\t", "\\ ", "é", "[a-c]"),
    *("[z-a]", "[]-]", "a*a*a*a*a*", "/**", "sub/**/b.log", "***", "\f", "\x85", "\\\n"),
    *("**a", "\ufeff", "\u2028"),
)


def ignore_files(data: bytes) -> None:
    """Any ignore files leave a folder that can be walked, and one file is judged as in the walk."""
    draw, root = Draw(data), _folder()
    written = {
        f"{folder}{name}": draw.spliced(RULES, 20).encode("utf-8", "surrogateescape")
        for folder in ("", "sub/", "sub/deep/")
        for name in (".gitignore", ".packhoundignore")
        if draw.flag()
    }
    for path, rules in written.items():
        (root / path).write_bytes(rules)
    limits = WalkLimits(exclude=tuple(draw.spliced(RULES, 4) for _ in range(draw.number(1))))
    try:
        actual = {path for path, _ in walk(root, limits)}
        for name in (*NAMES, *written):
            assert (
                is_included(root, name, limits) == is_searchable(root, name, limits)
                or name in written
            )
            assert is_searchable(root, name, limits) == (name in actual), name
        assert actual <= {*NAMES, *written}
    finally:
        for path in written:
            (root / path).unlink()


@lru_cache(maxsize=1)
def _folder() -> Path:
    root = Path(tempfile.mkdtemp(prefix="packhound-fuzz-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    return root


@lru_cache(maxsize=1)
def _rows() -> tuple[DatabaseRow, ...]:
    plan = changed_rows(filled(3).snapshot, None, VERSIONS, Path())
    return tuple((row.key, row.head, bytes(row.body), row.sum) for row in plan.rows)


NUMBERS = (b"\xff\xff\xff", b"\0\0\0\0", b"\x80", b"-1", b"1e9", b"null", b"[]", b"{}", b'"<f4"')


def saved_rows(data: bytes) -> None:
    """Rows that are not those of one save are refused; even with right sums they only refuse."""
    draw, rows = Draw(data), list(_rows())
    for _ in range(1 + draw.number(3)):
        at = draw.number(len(rows) - 1)
        key, head, body, actual = rows[at]
        part = draw.number(3)
        key = key + draw.number(2) if part == 0 else key
        head = draw.mutated(head, NUMBERS, 3) if part == 1 else head
        body = draw.mutated(body, NUMBERS, 3) if part == 2 else body
        rows[at] = (key, head, body, actual)
        if part == 3:
            del rows[at]
    honest = draw.flag()
    if not honest:
        rows = [(key, head, body, row_sum(key, head, body)) for key, head, body, _ in rows]
        sums = {key: actual for key, _, _, actual in rows}
        sealed = seal({key: actual for key, actual in sums.items() if key != MANIFEST})
        rows = [
            (key, head, sealed, row_sum(key, head, sealed)) if key == MANIFEST else row
            for row in rows
            for key, head in [row[:2]]
        ]
    try:
        stored = read_rows(rows, Path())
        saved = read_saved(stored, SharedRows())[0] if stored else None
    except UNREADABLE:
        return
    assert not honest or saved is None or tuple(rows) == _rows()


BREAKERS = (
    *(b'"', b"'", b"'''", b'"""', b"`", b"/*", b"*/", b"//", b"#", b"{", b"}", b"(", b")", b"["),
    *(b"\r", b"\n", b"\xff", b"\xef\xbb\xbf", b"\\", b"${", b"{{", b"<?", b"</script>"),
    *(b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"def ", b"class ", b"fn ", b"@", b"=>", b":", b";"),
)


def sources(data: bytes) -> None:
    """Any text in any language becomes nodes that keep the rules."""
    draw = Draw(data)
    names = sorted(SOURCES)
    path = draw.of(names)
    source = SOURCES[path] if draw.number(3) else SOURCES[draw.of(names)]
    low = draw.number(min(len(source), 65_535))
    source = draw.mutated(source[low : low + 1_500], BREAKERS, 8)
    document = Document(path, source)
    parsed = parse(document)
    check_nodes(source, parsed)
    analysed = analyse(document, parsed)
    assert analysed.nodes == parsed.nodes
