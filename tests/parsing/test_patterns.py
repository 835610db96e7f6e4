"""Patterns with holes: what they match, what their holes are, and what is no pattern."""

from __future__ import annotations

import pytest

from packhound.core.types import Document
from packhound.parsing import (
    CodePattern,
    PatternProblem,
    find_pattern,
    open_example,
    read_pattern,
)

PYTHON = """
def load(ctx, path, *, strict=False):
    if strict is None:
        raise StoreError(path)  # not there
    try:
        return open(path, "rb").read()
    except OSError as error:
        raise StoreError(f"cannot read {path}") from error


@cached
async def save(ctx) -> None:
    a = a or load(ctx, "x")
    b = a or load(ctx, "y",)
    raise ValueError


class Store(Base):
    pass
"""
JAVASCRIPT = """
export async function send(order) {
  if (order == null) throw new TypeError("order");
  await fetch(url, { method: "POST", body: order });
  items.forEach((item) => log(item, item));
  x = x || {};
  y = x || [];
}
"""
GO = """
package store

func (s *Store) Get(key string) (string, error) {
	v, err := s.db.Get(key)
	if err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	return v, nil
}
"""
RUST = """
impl Store {
    pub fn get(&self, key: &str) -> Option<String> {
        self.map.get(key).unwrap();
        match key { "a" => None, _ => Some(key.into()) }
    }
}
"""
JAVA = """
class Store extends Base {
    private final Map map;
    public String get(String key) {
        try { return map.get(key); } catch (IOException error) { throw new StoreError(error); }
    }
}
"""
C = """
static int store_get(struct store *s, const char *key) {
    if (!key) return -1;
    free(s->buffer);
    for (int i = 0; i < n; i++) { memcpy(a, b, n); }
    return 0;
}
"""
RUBY = """
class Store < Base
  def get(key)
    @map.fetch(key) { raise KeyError, key }
  end
end
"""

METHODS = {
    "go": """
package store

func (s *Store) Get(key string, n int) *Row { return s.rows[key] }
func (s *Store) All(n int) []Row { return s.rows }
func (s *Store) put(key string) { s.n++ }
func New(size int) *Row { return nil }
var get = func(key string) *Row { return nil }
""",
    "java": """
class Store {
    Store(int size) { }
    public int get(int key, String name) { return rows(key); }
    @Test public void all() { }
}
record Row(int key, String name) { }
""",
    "csharp": """
class Store {
    public Store(int size) { }
    public int Get(int key, string name) { return rows; }
    public async Task<int> All(int n) { return 1; }
    void Go() { Log(1); Run(); Stop(); }
}
""",
    "cpp": """
class Store { int all(int n) const { return n; } };
int Store::get(int key, char *name) { return rows(key); }
Row *first(int n) { return 0; }
""",
    "kotlin": "class Store(val size: Int) {\n  fun get(key: Int, name: String): Int { return 1 }\n"
    "    fun all(n: Int) = n\n}\n",
    "swift": "class Store {\n    func get(key: Int, name: String) -> Int { return 1 }\n}\n"
    "func all(n: Int) { }\n",
    "scala": "class Store(size: Int) {\n  def get(key: Int, name: String): Int = { rows(key) }\n"
    "  def all(n: Int) = n\n}\n",
    "php": "<?php\nclass Store { public function get($key, $name): int { return 1; } }\n"
    "function all(int $n) { }\n",
    "dart": "class Store { int get(int key, String name) { return 1; } }\nvoid all(int n) { }\n",
    "python": "from __future__ import annotations, division\nfrom store import rows\n",
}

CASES = [
    *(
        (language, METHODS[language], pattern, starts)
        for language, pattern, starts in (
            ("go", "func ($R *Store) $F($$$) *Row { $$$ }", ["func (s *Store) Get"]),
            ("go", "func ($R *Store) $F($$$) *Row { return $X }", ["func (s *Store) Get"]),
            ("go", "func ($R $T) $F($$$) { $$$ }", ["func (s *Store) put"]),
            ("go", "func ($$$) *Row { $$$ }", ["func(key string) *Row"]),
            ("java", "public int $F($$$) { $$$ }", ["public int get"]),
            ("java", "public $T $F($$$)", ["public int get"]),
            ("java", "public int $F(int $A, $$$)", ["public int get"]),
            ("java", "public int $F($$$) { return rows($X); }", ["public int get"]),
            ("java", "@Test public void $F($$$)", ["@Test public void all"]),
            ("java", "$C($$$) { $$$ }", ["Store(int size)"]),
            ("java", "record $R($$$)", ["record Row"]),
            ("csharp", "public int $F($$$)", ["public int Get"]),
            ("csharp", "public async Task<$T> $F($$$) { $$$ }", ["public async Task<int> All"]),
            ("csharp", "void $F() { Log($A); $$$ }", ["void Go"]),
            ("csharp", "void $F($$$) { Run(); $$$REST }", []),
            ("csharp", "{ Log($A); $$$REST }", ["{ Log(1)"]),
            ("cpp", "int $C::$F($$$) { $$$ }", ["int Store::get"]),
            ("cpp", "int $F($$$) const { $$$ }", ["int all"]),
            ("cpp", "Row *$F($$$) { $$$ }", ["Row *first"]),
            ("kotlin", "fun $F($$$): $T { $$$ }", ["fun get"]),
            ("kotlin", "fun $F($$$)", ["fun get", "fun all"]),
            ("swift", "func $F($$$) -> $T { $$$ }", ["func get"]),
            ("swift", "func $F($$$)", ["func get", "func all"]),
            ("scala", "def $F($$$): $T = $X", ["def get"]),
            ("scala", "def $F($$$)", ["def get", "def all"]),
            ("php", "public function $F($$$) { $$$ }", ["public function get"]),
            ("dart", "int $F($$$) { $$$ }", ["int get"]),
            ("python", "from $M import $N", ["from __future__ import", "from store import"]),
            ("python", "from $M import $A, $B", ["from __future__ import"]),
        )
    ),
    ("python", PYTHON, "raise $E($$$)", ["raise StoreError(path)", "raise StoreError(f"]),
    ("python", PYTHON, "raise $E", ["raise StoreError", "raise StoreError", "raise ValueError"]),
    ("python", PYTHON, "def $F(ctx, $$$)", ["def load"]),
    ("python", PYTHON, "async def $F($$$)", ["async def save"]),
    ("python", PYTHON, "class $C", ["class Store"]),
    ("python", PYTHON, "class $C(Base)", ["class Store"]),
    ("python", PYTHON, "except $E as $N", ["except OSError as error"]),
    ("python", PYTHON, "except $E as $N: $$$", ["except OSError as error"]),
    ("python", PYTHON, "$A = $A or $B", ["a = a or load"]),
    ("python", PYTHON, "load($X, $Y)", ['load(ctx, "x")', 'load(ctx, "y",)']),
    ("python", PYTHON, "load($X)", []),
    ("python", PYTHON, "$X is None", ["strict is None"]),
    ("python", PYTHON, "open($$$).read()", ['open(path, "rb").read()']),
    ("python", PYTHON, "if $C: $$$", ["if strict is None"]),
    ("javascript", JAVASCRIPT, "throw new $E($M)", ['throw new TypeError("order")']),
    ("javascript", JAVASCRIPT, "await $X", ["await fetch"]),
    ("javascript", JAVASCRIPT, "$X == null", ["order == null"]),
    ("javascript", JAVASCRIPT, "$F($A, $A)", ["log(item, item)"]),
    ("javascript", JAVASCRIPT, "$X = $X || $Y", ["x = x || {}"]),
    ("javascript", JAVASCRIPT, "($X) => $Y", ["(item) => log"]),
    ("javascript", JAVASCRIPT, "async function $F($$$)", ["async function send"]),
    ("typescript", JAVASCRIPT, "fetch($U, { method: $M, $$$ })", ["fetch(url"]),
    ("go", GO, "if err != nil { $$$ }", ["if err != nil"]),
    ("go", GO, "fmt.Errorf($$$)", ['fmt.Errorf("get']),
    ("go", GO, "func ($S *$T) $F($$$) ($$$, error)", ["func (s *Store) Get"]),
    ("go", GO, "$V, err := $C", ["v, err := s.db.Get(key)"]),
    ("rust", RUST, "$X.unwrap()", ["self.map.get(key).unwrap()"]),
    ("rust", RUST, "pub fn $F(&self, $$$) -> Option<$T>", ["pub fn get"]),
    ("rust", RUST, "impl $T { $$$ }", ["impl Store"]),
    ("java", JAVA, "throw new $E($X);", ["throw new StoreError(error)"]),
    ("java", JAVA, "class $C extends Base", ["class Store"]),
    ("java", JAVA, "catch ($E $N) { $$$ }", ["catch (IOException error)"]),
    ("java", JAVA, "$M.get($K)", ["map.get(key)"]),
    ("c", C, "free($P)", ["free(s->buffer)"]),
    ("c", C, "memcpy($A, $B, $N);", ["memcpy(a, b, n)"]),
    ("c", C, "if (!$X) return $Y;", ["if (!key) return -1"]),
    ("c", C, "static int $F($$$)", ["static int store_get"]),
    ("ruby", RUBY, "class $C < Base", ["class Store"]),
    ("ruby", RUBY, "raise $E, $X", ["raise KeyError, key"]),
    ("ruby", RUBY, "def $F(key)", ["def get"]),
]


def read(language: str, text: str, *, is_explicit: bool = True) -> tuple[int, CodePattern]:
    found = read_pattern(text, [language], is_explicit=is_explicit)
    assert found is not None and not isinstance(found, PatternProblem)
    return found


@pytest.mark.parametrize(("language", "source", "pattern", "starts"), CASES)
def test_a_pattern_matches_its_shape(
    language: str, source: str, pattern: str, starts: list[str]
) -> None:
    document = Document("store", source.encode(), language)
    ((_, matches),) = find_pattern(read(language, pattern)[1], [document])
    assert matches is not None
    found = [source.encode()[match.start : match.end].decode() for match in matches]
    assert len(found) == len(starts)
    assert all(text.startswith(start) for text, start in zip(found, starts, strict=True))


def test_holes_are_what_stands_there() -> None:
    pattern = read("python", "$F($X, $$$REST)")[1]
    document = Document("a.py", b"f(1, b=2, c=3)\ng(4, 5)\n", "python")
    ((_, matches),) = find_pattern(pattern, [document])
    holes = [
        {c.name: document.source[c.start : c.end] for c in match.captures}
        for match in matches or ()
    ]
    assert holes == [
        {"$$$REST": b"b=2, c=3", "F": b"f", "X": b"1"},
        {"$$$REST": b"5", "F": b"g", "X": b"4"},
    ]


@pytest.mark.parametrize(
    ("language", "query", "pattern"),
    [
        ("python", "retry with backoff  raise $E($$$)", "raise $E($$$)"),
        ("python", "retry with backoff raise $E($$$)", "raise $E($$$)"),
        ("python", "def $F(ctx, $$$)", "def $F(ctx, $$$)"),
        ("go", "wrapped errors if err != nil { return $$$ }", "if err != nil { return $$$ }"),
        ("java", "errors throw new $E($M)", "throw new $E($M)"),
        ("javascript", "where the lock is freed $L.close()", "$L.close()"),
        ("ruby", "backoff  raise $E($$$)", "raise $E($$$)"),
        ("c", "int $F(void)", "int $F(void)"),
        ("python", "$A == None", "$A == None"),
    ],
)
def test_the_end_of_a_query_is_the_pattern(language: str, query: str, pattern: str) -> None:
    start, found = read(language, query, is_explicit=False)
    assert found.text == pattern == query[start:]


@pytest.mark.parametrize(
    "query", ["$HOME", "where is $HOME read", "read $_GET", "print ${x} twice", "cost of $A or $B"]
)
@pytest.mark.parametrize("language", ["python", "javascript", "ruby", "bash", "php"])
def test_a_lone_variable_is_a_word(language: str, query: str) -> None:
    found = read_pattern(query, [language], is_explicit=False)
    assert found is None or isinstance(found, PatternProblem)


@pytest.mark.parametrize(
    ("pattern", "reason", "offset"),
    [
        ("raise $E($$$", "does not parse", 12),
        ("$X", "is nothing but a hole", 0),
        ("a = $X; b = $X", "is more than one statement", 6),
        ("get$NAME()", "has a hole inside a name or a text", 0),
    ],
)
def test_what_is_no_pattern_says_where(pattern: str, reason: str, offset: int) -> None:
    for languages in (["python"], ["python", "markdown"]):
        problem = read_pattern(pattern, languages, is_explicit=True)
        assert problem == PatternProblem(reason, "python", offset)


def test_a_language_without_grammar_is_no_fault() -> None:
    assert read_pattern("f($X)", ["text"], is_explicit=True) is None


@pytest.mark.parametrize(
    ("language", "code", "patterns"),
    [
        (
            "python",
            "x = store.get(key, 1).strip()",
            {
                "literals": "x = store.get(key, $LITERAL).strip()",
                "literals and names": "$X = $STORE.get($KEY, $LITERAL).strip()",
                "literals, names and arguments": "$X = $STORE.get($$$).strip()",
            },
        ),
        ("python", "a + b", {"": "a + b"}),
        (
            "typescript",
            "x = await this.rows.get(`a${b}`);",
            {
                "literals": "x = await this.rows.get($LITERAL);",
                "literals and names": "$X = await this.$ROWS.get($LITERAL);",
                "literals, names and arguments": "$X = await this.$ROWS.get($$$);",
                "literals, names, arguments and calls": "$X = await $CALL;",
            },
        ),
        (
            # The grammar reads no hole in the place of the value of an attribute.
            "tsx",
            '<Row title="x" width={1}>hi</Row>',
            {
                "literals": '<Row title="x" width={$LITERAL}>hi</Row>',
                "literals and names": '<$ROW $TITLE="x" $WIDTH={$LITERAL}>hi</$ROW>',
            },
        ),
        (
            "go",
            'if err != nil {\n\treturn fmt.Errorf("read: %w", err)\n}',
            {
                "literals": "if err != nil {\n\treturn fmt.Errorf($LITERAL, err)\n}",
                "literals and names": "if $ERR != nil {\n\treturn $FMT.Errorf($LITERAL, $ERR)\n}",
                "literals, names and arguments": "if $ERR != nil {\n\treturn $FMT.Errorf($$$)\n}",
                "literals, names, arguments and calls": "if $ERR != nil {\n\treturn $CALL\n}",
            },
        ),
        ("go", "x := Row{A: 1}", {"literals": "x := Row{A: $LITERAL}"}),
        (
            "java",
            'throw new IllegalStateException("x" + id);',
            {
                "literals": "throw new IllegalStateException($LITERAL + id);",
                "literals and names": "throw new IllegalStateException($LITERAL + $ID);",
                "literals, names and arguments": "throw new IllegalStateException($$$);",
                "literals, names, arguments and calls": "throw $CALL;",
            },
        ),
        (
            "cpp",
            "auto x = std::make_unique<Row>(a);",
            {
                "": "auto x = std::make_unique<Row>(a);",
                "names": "auto $X = $STD::make_unique<$ROW>($A);",
                "names and arguments": "auto $X = $STD::make_unique<$ROW>($$$);",
                "names, arguments and calls": "auto $X = $CALL;",
            },
        ),
        (
            # `$$` begins no hole of a name.
            "r",
            "total <- order$price * 2",
            {
                "literals": "total <- order$price * $LITERAL",
                "literals and names": "$TOTAL <- $ORDER$price * $LITERAL",
            },
        ),
        (
            # The grammar takes a hole in the place of a module for a constructor.
            "ocaml",
            'print_endline (Printer.print (Num "one"))',
            {
                "literals": "print_endline (Printer.print (Num $LITERAL))",
                "literals and names": "$PRINT_ENDLINE (Printer.$PRINT (Num $LITERAL))",
            },
        ),
        (
            "rust",
            'println!("{}", x)',
            {
                "literals": "println!($LITERAL, x)",
                "literals and names": "println!($LITERAL, $X)",
            },
        ),
    ],
)
def test_parts_of_code_become_holes_kind_after_kind(
    language: str, code: str, patterns: dict[str, str]
) -> None:
    read = read_pattern(code, [language], is_explicit=True)
    assert isinstance(read, tuple)
    assert not isinstance(read, PatternProblem)
    opened = open_example(read[1])
    assert {holes: pattern.text for holes, pattern in opened} == patterns
