"""What tools print, as diagnostics: each form, hostile lines, and what is new of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from packhound.git import PatchedFile
from packhound.runs.diagnostics import Diagnostic, Outcome, Reader, compare
from packhound.runs.packhound_report import MARK
from packhound.runs.runners import read_table

ROOT = Path("/projects/post")
CARGO = {
    "reason": "compiler-message",
    "message": {
        "level": "error",
        "message": "mismatched types",
        "code": {"code": "E0308"},
        "spans": [
            {"is_primary": False, "file_name": "src/other.rs", "line_start": 1, "column_start": 1},
            {"is_primary": True, "file_name": "src/lib.rs", "line_start": 2, "column_start": 5},
        ],
    },
}
ESLINT = [
    {
        "filePath": "/projects/post/src/a.js",
        "messages": [
            {"ruleId": "no-undef", "severity": 2, "message": "'x' is not", "line": 3, "column": 1}
        ],
    }
]
RUFF = {
    "code": "F401",
    "filename": "/projects/post/a.py",
    "location": {"row": 1, "column": 8},
    "message": "`os` imported but unused",
}
PYTEST = {"test": "t.py::test_a", "outcome": "FAILED", "path": "t.py", "line": 4, "message": "no"}


def read(runner: str, *lines: object, module: str = "") -> list[Diagnostic | Outcome]:
    reader = Reader(runner, read_table().runners[runner], [Path("/private/copy"), ROOT], module)
    texts = [line if isinstance(line, bytes | str) else json.dumps(line) for line in lines]
    data = [text if isinstance(text, bytes) else text.encode() for text in texts]
    return [*(each for line in data for each in reader.read(line)), *reader.rest()]


def at(said: list[Diagnostic | Outcome]) -> list[tuple[str, int, str, str]]:
    found = [each for each in said if isinstance(each, Diagnostic)]
    return [(each.path, each.line + 1, each.code, each.message) for each in found]


@pytest.mark.parametrize(
    ("runner", "line", "expected"),
    [
        ("ruff", RUFF, ("a.py", 1, "F401", "`os` imported but unused")),
        (
            "mypy",
            'src/post/a.py:2:12: error: Incompatible (got "str")  [return-value]',
            ("src/post/a.py", 2, "return-value", 'Incompatible (got "str")'),
        ),
        ("mypy", "/private/copy/a.py:7: error: Bad", ("a.py", 7, "", "Bad")),
        (
            "pyright",
            "  /projects/post/a.py:3:5 - error: Bad type (reportCallIssue)",
            ("a.py", 3, "reportCallIssue", "Bad type"),
        ),
        ("cargo check", CARGO, ("src/lib.rs", 2, "E0308", "mismatched types")),
        ("cargo clippy", CARGO, ("src/lib.rs", 2, "E0308", "mismatched types")),
        ("go vet", "./a.go:9:2: unreachable code", ("a.go", 9, "", "unreachable code")),
        ("go vet", "vet: ./b/a.go:9:2: undefined: x", None),
        (
            "tsc",
            "src/a.ts(4,7): error TS2322: Type 'string' is not assignable",
            ("src/a.ts", 4, "TS2322", "Type 'string' is not assignable"),
        ),
        ("eslint", ESLINT, ("src/a.js", 3, "no-undef", "'x' is not")),
        ("pytest", MARK + json.dumps(PYTEST), ("t.py", 5, "", "no")),
    ],
)
def test_forms(runner: str, line: object, expected: tuple[str, int, str, str] | None) -> None:
    assert at(read(runner, line)) == ([expected] if expected else [])


def test_tests_of_go_and_cargo() -> None:
    said = read(
        "go test",
        {"Action": "output", "Package": "m/b", "Test": "TestA", "Output": "    b_test.go:5: no\n"},
        {"Action": "fail", "Package": "m/b", "Test": "TestA"},
        {"Action": "pass", "Package": "m/b", "Test": "TestB"},
        {"Action": "fail", "Package": "m/b"},
        module="m",
    )
    assert said[1:] == [Outcome("m/b.TestB")]
    assert at(said[:1]) == [("b/b_test.go", 5, "", "no")]
    said = read(
        "cargo test", "test it::works ... ok", "test it::fails ... FAILED", "test x ... ignored"
    )
    assert [each.test for each in said] == ["it::works", "it::fails"]
    assert isinstance(said[0], Outcome)


CARGO_TEST = """
test tests::calm - should panic ... FAILED
test tests::errs ... FAILED
test tests::fails ... FAILED
test tests::works ... ok

failures:

---- tests::calm stdout ----
note: test did not panic as expected at src/lib.rs:29:8
---- tests::errs stdout ----
Error: "bad"

---- tests::fails stdout ----
printed by the test

thread 'tests::fails' (20533) panicked at src/lib.rs:16:9:
assertion `left == right` failed
  left: 4
 right: 5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

failures:
    tests::fails

test result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out
test src/lib.rs - add (line 2) ... FAILED
---- src/lib.rs - add (line 2) stdout ----
thread 'main' panicked at src/lib.rs:5:1:
it is not so
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
test killed ... FAILED
"""
TAP = """TAP version 13
# Subtest: fails
not ok 1 - fails
  ---
  duration_ms: 16.3
  location: '/projects/post/test/a.test.js:4:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    2 !== 3

  code: 'ERR_ASSERTION'
  stack: |-
    node:internal/deps/cjs:1:1
    TestContext.<anonymous> (file:///projects/post/test/a.test.js:6:10)
  ...
# Subtest: suite
    # Subtest: inner
    not ok 1 - inner
      ---
      location: '/projects/post/test/a.test.js:9:3'
      failureType: 'testCodeFailure'
      error: "'a' == 'b'"
      stack: |-
        Object.help (/projects/post/node_modules/help/index.js:9:41)
      ...
    # Subtest: later
    not ok 2 - later # TODO
      ---
      error: 'x'
      ...
not ok 2 - suite
  ---
  location: '/projects/post/test/a.test.js:8:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
not ok 3 - /projects/post/test/b.test.js
  ---
  location: '/projects/post/test/b.test.js:1:1'
  error: 'test failed'
  ...
"""
SPEC = """✖ fails (7.4ms)
  AssertionError [ERR_ASSERTION]: 2 !== 3
      at TestContext.<anonymous> (/projects/post/test/a.test.js:6:10)

✖ failing tests:

test at test/a.test.js:4:1
✖ fails (7.4ms)
  AssertionError [ERR_ASSERTION]: 2 !== 3
      at TestContext.<anonymous> (/projects/post/test/a.test.js:6:10) {
    code: 'ERR_ASSERTION'
  }

test at test/a.test.js:11:3
✖ later (0.2ms) # TODO
  Error: x
      at TestContext.<anonymous> (/projects/post/test/a.test.js:11:44)
"""
JEST = """FAIL test/a.test.js (5.2 s)
  ● Console

    console.log
      x

      at Object.log (test/a.test.js:2:31)

  ● suite › fails

    expect(received).toBe(expected) // Object.is equality

    - Expected  - 1
    + Received  + 1

      1 | describe('suite', () => {
    > 2 |   it('fails', () => { expect(1 + 1).toBe(3); });
        |                                     ^

      at Object.toBe (test/a.test.js:2:37)

FAIL test/b.test.js
  ● Test suite failed to run

    Cannot find module './nothing' from 'test/b.test.js'

      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)
      at Object.<anonymous> (test/b.test.js:1:21)
"""
VITEST = """ ❯ test/a.test.ts (3 tests | 1 failed) 49ms
   × suite > fails 35ms
     → expected 2 to be 3

 FAIL  test/b.test.ts [ test/b.test.ts ]
Error: Failed to load url ./nothing
 ❯ load node_modules/vite/dist/dep.js:51969:17

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

 FAIL  test/a.test.ts > suite > fails
AssertionError: expected 2 to be 3

- Expected
+ Received

- 3
+ 2

 ❯ help test/a.test.ts:3:37
      3|   it('fails', () => { expect(1 + 1).toBe(3); });
       |                                     ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯
"""


@pytest.mark.parametrize(
    ("runner", "output", "expected"),
    [
        (
            "cargo test",
            CARGO_TEST,
            [
                ("tests::calm", "src/lib.rs", 29, "test did not panic as expected"),
                ("tests::errs", "", 0, 'Error: "bad"'),
                (
                    "tests::fails",
                    "src/lib.rs",
                    16,
                    "assertion `left == right` failed left: 4 right: 5",
                ),
                ("src/lib.rs - add (line 2)", "src/lib.rs", 2, "it is not so"),
                ("killed", "", 0, "failed"),
            ],
        ),
        (
            "npm test",
            TAP,
            [
                ("fails", "test/a.test.js", 6, "Expected values to be strictly equal: 2 !== 3"),
                ("suite > inner", "test/a.test.js", 9, "'a' == 'b'"),
                ("test/b.test.js", "test/b.test.js", 1, "test failed"),
            ],
        ),
        (
            "npm test",
            SPEC,
            [
                (
                    "test/a.test.js > fails",
                    "test/a.test.js",
                    6,
                    "AssertionError [ERR_ASSERTION]: 2 !== 3",
                )
            ],
        ),
        (
            "npm test",
            JEST,
            [
                (
                    "test/a.test.js > suite › fails",
                    "test/a.test.js",
                    2,
                    "expect(received).toBe(expected) // Object.is equality",
                ),
                (
                    "test/b.test.js > Test suite failed to run",
                    "test/b.test.js",
                    1,
                    "Cannot find module './nothing' from 'test/b.test.js'",
                ),
            ],
        ),
        (
            "npm test",
            VITEST,
            [
                ("test/b.test.ts", "test/b.test.ts", 0, "Error: Failed to load url ./nothing"),
                (
                    "test/a.test.ts > suite > fails",
                    "test/a.test.ts",
                    3,
                    "AssertionError: expected 2 to be 3 - 3 + 2",
                ),
            ],
        ),
        ("npm test", "src/a.ts:3:5: error: unused", [("", "src/a.ts", 3, "unused")]),
    ],
    ids=["cargo", "tap", "spec", "jest", "vitest", "another tool"],
)
def test_a_failing_test_has_its_place_and_message(
    runner: str, output: str, expected: list[tuple[str, str, int, str]]
) -> None:
    failed = [each for each in read(runner, *output.split("\n")) if isinstance(each, Diagnostic)]
    assert [(each.test, each.path, each.line + 1, each.message) for each in failed] == expected


SEQUENCES = {
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07x",
    "title with ST": "\x1b]2;owned\x1b\\x",
    "link": "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\",
    "clear": "\x1b[2J\x1b[Hx",
    "device": "\x1bP+q544e\x1b\\x",
    "8 bit": "\x9b31mx",
    "unfinished": "x\x1b[",
    "bare": "x\x1b",
    "bell": "x\x07",
    "backspaces": "x\x08\x08\x08y",
    "return": "x\ry",
    "bidi": "x\u202ey",
    "zero width": "x\u200by",
    "nul": "x\x00y",
}
FORMS = {
    "ruff": lambda text: {**RUFF, "message": text, "code": text, "filename": "a.py"},
    "mypy": lambda text: f"a.py:1:1: error: {text}",
    "cargo check": lambda text: {**CARGO, "message": {**CARGO["message"], "message": text}},
    "eslint": lambda text: [{**ESLINT[0], "messages": [{"message": text, "line": 1}]}],
    "pytest": lambda text: MARK + json.dumps({**PYTEST, "message": text, "test": text}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_no_escape_sequence_gets_through(form: str, sequence: str) -> None:
    for each in read(form, FORMS[form](SEQUENCES[sequence])):
        assert isinstance(each, Diagnostic)
        text = each.message + each.code + each.test + each.path
        assert text.isprintable()
        assert "owned" not in text
        assert "evil" not in text


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../../x", "/projects/post/../x", "/", ".."]
)
@pytest.mark.parametrize("form", ["ruff", "cargo check", "eslint", "pytest"])
def test_a_place_outside_of_the_folder_is_none(form: str, path: str) -> None:
    rows = {
        "ruff": {**RUFF, "filename": path},
        "cargo check": {
            **CARGO,
            "message": {
                **CARGO["message"],
                "spans": [{"is_primary": True, "file_name": path, "line_start": 1}],
            },
        },
        "eslint": [{**ESLINT[0], "filePath": path}],
        "pytest": MARK + json.dumps({**PYTEST, "path": path}),
    }
    (each,) = read(form, rows[form])
    assert isinstance(each, Diagnostic)
    assert (each.path, each.line, each.column) == ("", -1, -1)


SHAPES = [
    "{",
    "[" * 100_000,
    "{}",
    "[]",
    "null",
    "[1, 2]",
    '{"location": []}',
    '{"location": {"row": "1"}, "filename": 7, "message": {"a": 1}}',
    '{"location": {"row": 1e999, "column": -5}, "filename": "a", "message": "m"}',
    '{"location": {"row": 99999999999999999999}, "filename": "a", "message": "m"}',
    '{"reason": "compiler-message", "message": []}',
    '{"reason": "compiler-message", "message": {"level": "error", "spans": [1]}}',
    '{"reason": "compiler-message", "message": {"level": "error", "spans": {"a": 1}}}',
    '[{"messages": {"a": 1}}]',
    '[{"messages": [1]}]',
    '{"Action": "output", "Package": [], "Output": 7}',
    '{"Action": "fail", "Package": {}, "Test": []}',
    MARK + "[]",
    MARK + '{"test": 7, "outcome": "ok"}',
    MARK + '{"test": "t", "outcome": "FAILED", "line": {}, "path": [1]}',
    MARK + '{"test": "t", "outcome": "FAILED", "runner": "other", "unknown": 1}',
    "a" * 5_000_000,
    "a.py:1:1: error: " + "b" * 5_000_000,
    "a.py:" + "9" * 5_000 + ":1: error: x",
    "test " + "x " * 100_000,
    b"\xff\xfe\x00a.py:1:1: error: \xff",
]


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("runner", ["ruff", "mypy", "pytest", "cargo check", "go test", "eslint"])
def test_whatever_is_printed_nothing_breaks(runner: str, shape: int) -> None:
    for each in read(runner, SHAPES[shape]):
        assert len(each.test) <= 1_000
        if isinstance(each, Diagnostic):
            assert len(each.message) <= 500
            assert each.runner == runner
            assert -1 <= each.line < 10**9


@pytest.mark.parametrize("runner", sorted(read_table().runners))
def test_no_line_takes_longer_than_its_length(runner: str) -> None:
    # Patterns that go back and forth take minutes for the first, and no other thread runs.
    for line in ("TOTAL " + "1" * 1_000_000, "TOTAL " * 100_000, "a:1:1: error: " * 100_000):
        reader = Reader(runner, read_table().runners[runner], [ROOT])
        assert all(isinstance(each, Diagnostic) for each in reader.read(line.encode()))
        assert not reader.coverage


def test_secrets_do_not_leave() -> None:
    key = "AKIA" + "Z7QK4M2N8P3R5T6V"
    (each,) = read("mypy", f"a.py:1:1: error: token = '{key}'")
    assert isinstance(each, Diagnostic)
    assert key not in each.message


def of(path: str, line: int, message: str = "m", test: str = "") -> Diagnostic:
    return Diagnostic(runner="r", path=path, line=line, message=message, test=test)


def test_new_gone_and_moved() -> None:
    # A line is added above line 5, line 8 is changed, lines 10 and 11 go.
    before, after = b"x\n" * 20, b"x\n" * 19
    edits = ((5, 5, 5, 6), (8, 9, 9, 10), (10, 12, 11, 11))
    files = {"a.py": PatchedFile("a.py", "a.py", before, after, edits)}
    base = [of("a.py", 3), of("a.py", 7), of("a.py", 8), of("a.py", 10), of("b.py", 1)]
    patched = [
        *(of("a.py", 3), of("a.py", 8), of("a.py", 9), of("a.py", 14)),
        *(of("b.py", 1), of("b.py", 1)),
    ]
    compared = compare(base, patched, files)
    assert [(each.path, each.line) for each in compared.new] == [("a.py", 14), ("b.py", 1)]
    assert [(each.path, each.line) for each in compared.gone] == [("a.py", 10)]
    assert len(compared.old) == 4


def test_in_a_renamed_file_old_problems_are_old() -> None:
    files = {
        "new.py": PatchedFile("new.py", "old.py", b"x\n", b"x\n"),
        "old.py": PatchedFile("old.py", "old.py", b"x\n", None),
    }
    compared = compare([of("old.py", 0)], [of("new.py", 0)], files)
    assert not compared.new
    assert not compared.gone


def test_a_failing_test_is_one_wherever_it_fails() -> None:
    compared = compare([of("t.py", 3, "a", "t::a")], [of("x.py", 9, "b", "t::a")], {})
    assert not compared.new
    assert len(compare([], [of("t.py", 3, "a", "t::a")], {}).new) == 1
