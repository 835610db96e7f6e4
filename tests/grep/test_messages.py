"""Messages with their values filled in find the code that prints them, in any language."""

from collections.abc import Iterator

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query, Results
from packhound.grep.messages import compile_message
from packhound.service.engine import Engine
from tests.support.project import write_files

FILES = {
    "net/client.py": """
def open_socket(host, port, seconds):
    raise TimeoutError(f"Connection to {host}:{port} timed out after {seconds['read']} s")

def connection_timed_out(after):
    # "Connection to the host timed out after a while" is what users see.
    return after > 30
""",
    "cli/parser.py": """
def reject_arguments(name):
    raise UsageError(
        "Got an unexpected extra "
        "argument (%(name)s)" % {"name": name}
    )

def unexpected_extra_argument(argument):
    return argument.extra
""",
    "web/mux.go": """package web

func register(path string, other int) error {
	return fmt.Errorf("route %q conflicts with %d earlier routes", path, other)
}

func conflicts(route string) bool { return route == "earlier" }
""",
    "core/ring.rs": """
fn grow(size: usize, most: usize) {
    panic!("ring of {} slots cannot grow beyond {most:?}", size);
}
""",
    "ui/login.ts": """
export function greet(user: User) {
  throw new Error(`No account of ${user.name ?? "nobody"} may sign in before ${format(day)}`);
}
""",
    "lib/mailer.rb": """
def deliver(letter)
  raise ArgumentError, "letter #{letter.id} has no recipient in #{letter.country("de")}"
end
""",
    "db/Lock.java": """
class Lock {
    void take(File file) {
        throw new IOException("Can't write file, lock " + file.getPath() + " exists already");
    }
}
""",
    "io/block.c": """
int check_block(uint64_t offset) {
    fprintf(stderr, "block at %" PRIu64 " has a bad "
            "checksum, expected %08x\\n", offset, sum);
    return 1;
}
""",
    "app/Menu.kt": """
fun choose(item: Item) {
    error("menu entry $item of ${item.menu} was removed")
}
""",
    "src/Cart.php": """<?php
function addProduct($product) {
    throw new Exception("Product $product->name is sold out until {$product->date}");
}
""",
    "Sources/Cache.swift": """
func load(key: String) {
    fatalError("cache entry \\(key.count) expired before \\(clock.now()) was reached")
}
""",
    "Shop/Price.cs": """
class Price {
    void Check(decimal value) {
        throw new ArgumentException($"price {value:C} is below the floor of {Floor}");
    }
}
""",
    "lib/stage.ex": """
defmodule Stage do
  def drop(count) do
    Logger.warning(~c"producer ~tp has discarded events from buffer", [count])
  end
end
""",
    "bin/deploy.sh": """
check_host() {
  echo "host $1 is not reachable from ${HOSTNAME}, giving up"
}
""",
    "tests/test_parser.py": """
def test_extra():
    with raises(UsageError, match="Got an unexpected extra argument (a.txt)"):
        parse("a.txt")
""",
}

MESSAGES = [
    ("Connection to 10.0.0.3:80 timed out after 30 s", "open_socket"),
    ("2026-11-22 ERROR net: Connection to db:5432 timed out after 3 s", "open_socket"),
    ("Error: got an unexpected extra argument (foo.txt)", "reject_arguments"),
    ("got an unexpected extra argument (%s)", "reject_arguments"),
    ("got an unexpected extra argument ({name})", "reject_arguments"),
    ('route "/users/:id" conflicts with 3 earlier routes', "register"),
    ("ring of 64 slots cannot grow beyond 4096", "grow"),
    ("Uncaught Error: No account of ada may sign in before 1 May", "greet"),
    ("letter 17 has no recipient in Deutschland (ArgumentError)", "deliver"),
    ("java.io.IOException: Can't write file, lock /tmp/a.lck exists already", "take"),
    ("block at 4096 has a bad checksum, expected deadbeef", "check_block"),
    ("menu entry Tea of Drinks (2) was removed", "choose"),
    ("Product 'green tea' is sold out until 2027-01-01", "addProduct"),
    ("Fatal error: cache entry 12 expired before 09:30 was reached", "load"),
    ("price 1.99 is below the floor of 2.50", "Check"),
    ("[warning] producer <0.1.0> has discarded events from buffer", "drop"),
    ("host web-1 is not reachable from ci-7, giving up", "check_host"),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("project")
    write_files(root, FILES)
    opened = Engine.open(root, settings_from({"index.persist": False}))
    assert opened.settled(60)
    yield opened
    opened.close()


def ask(engine: Engine, text: str) -> Results:
    return engine.search(Query(text))


@pytest.mark.parametrize("form", ["{}", '"{}"', "why do we see `{}`"])
@pytest.mark.parametrize(("message", "function"), MESSAGES)
def test_a_message_finds_what_prints_it(
    engine: Engine, message: str, function: str, form: str
) -> None:
    quoted = form.format(message if form == "{}" else message.replace('"', "'"))
    first = ask(engine, quoted).hits[0]
    assert first.node.name == function
    explanation = first.explanation()
    assert "prints this message" in explanation.reasons
    assert '"' in explanation.line


def test_tests_quote_what_code_prints(engine: Engine) -> None:
    hits = ask(engine, "got an unexpected extra argument (a.txt)").hits
    reasons = {hit.node.name: hit.explanation().reasons for hit in hits}
    assert "quotes this message" in reasons["test_extra"]
    assert hits[0].node.name == "reject_arguments"


@pytest.mark.parametrize(
    "text",
    [
        "where does a connection time out (30 s)",
        "the file of the route: its lock",
        "buffer, events, discarded: 7",
    ],
)
def test_words_alone_are_no_message(engine: Engine, text: str) -> None:
    for hit in ask(engine, text).hits:
        assert all("this message" not in reason for reason in hit.explanation().reasons)


def test_a_comment_prints_nothing(engine: Engine) -> None:
    hits = ask(engine, 'it says "Connection to the host timed out after a while"').hits
    by_name = {hit.node.name: [signal.signal for signal in hit.why] for hit in hits}
    assert "prints_message" not in by_name["connection_timed_out"]


def test_values_in_quotes_are_said_in_a_note(engine: Engine) -> None:
    results = ask(engine, '"menu entry Soup of Lunch was removed"')
    assert [hit.node.name for hit in results.hits] == ["choose"]
    assert any("with other values" in note for note in results.notes)


def test_unsaved_text_counts(engine: Engine) -> None:
    text = 'def brew(cup):\n    raise ValueError(f"teapot {cup} is short and stout")\n'
    engine.update(Document("tea.py", text.encode()))
    assert engine.settled(60)
    try:
        assert ask(engine, "ValueError: teapot 418 is short and stout").hits[0].node.name == "brew"
    finally:
        engine.release("tea.py")


@pytest.mark.parametrize(
    "source",
    [
        b"error bad " * 30_000,
        b'"bad error ' + b"{" * 30_000,
        b'"bad error" ' + b" \n" * 10_000 + b'"bad error"',
        b"x = '" + b'bad error "%' * 20_000,
    ],
)
def test_long_lines_and_open_quotes_end(source: bytes) -> None:
    message = compile_message("error bad error: bad error bad")
    assert message is not None
    assert not [*message.prints(source)]
