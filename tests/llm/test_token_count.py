"""The offline count of tokens is never under the true one, and on code at most a tenth over.

The true count comes from the npm package gpt-tokenizer, found where node finds it (NODE_PATH).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.errors import SettingsError
from packhound.llm.bound import BoundCounter, n_tokens
from packhound.llm.counter import counter_for
from packhound.llm.pretokens import pretokens, split_lines
from packhound.llm.prices import cost, find_model, user_table

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]

ODD_TEXTS = (
    "日本語のコメントと中文注释和한국어 주석",
    "Привет, мир! مرحبا بالعالم שלום עולם नमस्ते दुनिया",
    "😀👩‍👩‍👧🏳️‍🌈✨🧵👍🏽",
    "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz" * 8,
    " " * 1_000 + "\n" * 300 + "\t" * 50 + " \n \n  x",
    "a" * 3_000,
    "=" * 500 + "/" * 100 + "\r\n//" * 20,
    "\u202e\u200b\x00\x1b[31m\x85\xa0\u2003\u3000x",
    "<|endoftext|><|im_start|>",
    "龘鱻麤𠀀𪚥",
    "don't WE'LL it's o'clock's",
)


def true_counts(texts: list[str]) -> list[int]:
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    modules = str(REPOSITORY / "vscode-extension" / "node_modules")
    where = os.pathsep.join(filter(None, (os.environ.get("NODE_PATH"), modules)))
    done = subprocess.run(
        [node, str(HERE / "count_tokens.cjs")],
        input=json.dumps(texts).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "NODE_PATH": where},
    )
    if done.returncode:
        pytest.skip("the npm package gpt-tokenizer is not installed")
    return json.loads(done.stdout)


def sources() -> list[str]:
    kinds = {".py", ".ts", ".js", ".scm", ".toml", ".lua", ".json", ".md", ".go", ".rs", ".java"}
    folders = ("server", "tests", "fixtures", "vscode-extension/src", "neovim", "benchmarks")
    files = [p for folder in folders for p in sorted((REPOSITORY / folder).rglob("*"))]
    chosen = [p for p in files if p.suffix in kinds and p.is_file() and p.stat().st_size < 50_000]
    return [p.read_text("utf-8", errors="replace") for p in chosen if "node_modules" not in p.parts]


@pytest.mark.slow
def test_never_under_and_at_most_a_tenth_over_on_source_code():
    texts = sources()
    counted = [BoundCounter().count(text) for text in texts]
    true = true_counts(texts)
    assert all(mine >= theirs for mine, theirs in zip(counted, true, strict=True))
    assert sum(counted) <= 1.10 * sum(true)


def test_never_under_on_texts_that_no_table_foresaw():
    for text, true in zip(ODD_TEXTS, true_counts(list(ODD_TEXTS)), strict=True):
        assert BoundCounter().count(text) >= true, ascii(text[:40])


@given(st.text(max_size=200))
def test_pretokens_are_the_text(text):
    assert "".join(pretokens(text)) == text


@given(st.text(max_size=60) | st.text("a1 \n\r\t/{'\x0b\x1c\x85\u3000é", max_size=60))
def test_no_pretoken_reaches_across_two_parts(text):
    pieces = [piece for part in split_lines(text) for piece in pretokens(part)]
    assert pieces == pretokens(text)


@given(st.text(max_size=200), st.text(max_size=200))
def test_counts_are_counts(left, right):
    counter = BoundCounter()
    assert 0 <= counter.count(left) <= len(left.encode("utf-8", "surrogatepass"))
    assert counter.count(left + "\n" + right) <= counter.count(left) + counter.count(right) + 2


def test_merges_happen_in_the_order_of_ranks():
    ranks = {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4, b"abc": 5}
    assert n_tokens(b"abc", ranks) == 1
    assert n_tokens(b"abcab", ranks) == 2
    assert n_tokens(b"aab", ranks) == 2


def test_a_tokenizer_file_counts_exactly(tmp_path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.save(str(tmp_path / "words.json"))
    counter = counter_for(str(tmp_path / "words.json"))
    assert (counter.count("one two three"), counter.exact, counter.name) == (3, True, "words.json")


def test_an_unusable_tokenizer_is_named(tmp_path):
    for name in (str(tmp_path / "none.json"), "~nobody-there/x.json", "n" * 300):
        with pytest.raises(SettingsError, match="is not a file"):
            counter_for(name)
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(SettingsError, match="cannot be read"):
        counter_for(str(tmp_path / "bad.json"))


def test_prices_are_the_users_to_correct(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    assert find_model("gpt-4o-mini-2024-07-18").name == "gpt-4o-mini"
    assert find_model("unheard-of") is None
    user_table().write_text('{"models": {"mine": {"input": 3, "window": 1000}}}')
    assert cost(2_000_000, find_model("mine")) == 6.0
    user_table().write_text("not json")
    assert find_model("gpt-4o") is not None
