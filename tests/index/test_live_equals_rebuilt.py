"""Invariant 4: after any edits, what is searched equals an index built anew over the same text."""

from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from packhound.core.types import Document
from packhound.encoder.embedder import Embedder
from packhound.index.writer import Index
from packhound.parsing.analyse import analyse
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.parse import parse
from packhound.parsing.pool.pool import ParsePool
from packhound.text.text_buffer import TextBuffer
from tests.support.index_check import contents
from tests.support.release import size

PATHS = ("a.py", "b.ts", "c.rs", "d.txt")
SNIPPETS = (
    "def load_config(path):\n    '''Read it.'''\n    return parse(path)\n\n",
    "class Cart:\r\n    def total(self):\r\n        return 1\r\n",
    "export function matchRoute(p: string) {\n  return p\n}\n",
    "/// Opens.\nfn open() -> u8 { 1 }\nimpl Door { fn shut(&self) {} }\n",
    *(
        "# comment\r",
        "\f",
        "\u2028",
        "\x85",
        "😀",
        "e\u0301",
        "\ud83d",
        "\t",
        "\r\n",
        "\n",
        "{",
        ")",
        '"""',
    ),
)
TEXT = st.one_of(st.sampled_from(SNIPPETS), st.text(max_size=12))
STEPS = 20
POSITION = st.tuples(st.integers(0, 14), st.integers(0, 40))

_pool: ParsePool | None = None


@pytest.fixture(autouse=True, scope="module")
def pool() -> Iterator[None]:
    global _pool
    _pool = ParsePool(workers=1)
    yield
    _pool.close()


class Editing(RuleBasedStateMachine):
    """An editor at work; the model is the plain text of each open document."""

    def __init__(self) -> None:
        super().__init__()
        self.embedder = Embedder.open(None)
        self.index = Index(self.embedder)
        self.buffers: dict[str, TextBuffer] = {}

    @rule(path=st.sampled_from(PATHS), parts=st.lists(TEXT, max_size=6))
    def open_or_replace(self, path: str, parts: list[str]) -> None:
        self.buffers[path] = TextBuffer("".join(parts))
        self._index(path)

    @rule(path=st.sampled_from(PATHS), start=POSITION, end=POSITION, text=TEXT)
    def edit(self, path: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        if path in self.buffers:
            self.buffers[path].edit(start, end, text)
            self._index(path)

    @rule(path=st.sampled_from(PATHS))
    def remove(self, path: str) -> None:
        if self.buffers.pop(path, None):
            self.index.remove([path])
            self.index.publish()

    @rule()
    def tidy(self) -> None:
        self.index.maintain()
        self.index.publish()

    @invariant()
    def live_equals_rebuilt(self) -> None:
        fresh = Index(self.embedder)
        fresh.replace([self._alone(path) for path in sorted(self.buffers)], {})
        assert contents(self.index.snapshot) == contents(fresh.publish())

    def _index(self, path: str) -> None:
        # As the indexer does it: nodes that the index has come without their words.
        self.index.replace([self._analysed(path, self.index.complete_digests(path))], {path: None})
        self.index.publish()

    def _analysed(self, path: str, known: bytes) -> AnalysedFile:
        assert _pool
        return _pool.parse(Document(path, self.buffers[path].source), known)

    def _alone(self, path: str) -> AnalysedFile:
        """Analysed without a trace of earlier texts."""
        document = Document(path, self.buffers[path].source)
        return analyse(document, parse(document), with_texts=True)


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=size(200) // STEPS, stateful_step_count=STEPS)
