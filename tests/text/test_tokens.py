"""Text to terms."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.text.tokenizer import (
    MAX_WORD,
    blank_separators,
    fold_identifier,
    parts,
    runs,
    split_blanked,
    stem,
    terms,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTPServer2", "http server 2 httpserver2"),
        ("loadConfig", "load config loadconfig"),
        ("load_config", "load config loadconfig"),
        ("__init__", "init"),
        ("os.path.join", "os path join"),
        ("kebab-name", "kebab nam"),
        ("parseURLs", "pars url parseurls"),
        ("MAX_SIZE", "max siz maxsize"),
        ("utf8", "utf 8 utf8"),
        ("queries parsed classes this", "query pars class this"),
        ("構文解析", "構文解析 構文 文解 解析"),
        ("öffneGröße", "öffn größ öffnegröße"),
        ("МойКласс", "мой класс мойкласс"),
        ("", ""),
        ("+ - * /", ""),
    ],
)
def test_identifiers_become_their_parts_and_their_whole(text: str, expected: str) -> None:
    assert terms(text) == expected.split()


def test_no_word_is_dropped() -> None:
    assert terms("if the not is") == ["if", "the", "not", "is"]


def test_a_long_run_is_one_cut_term() -> None:
    assert terms("a" * 500) == ["a" * MAX_WORD]


def test_the_conventions_of_languages_meet() -> None:
    assert (
        fold_identifier("loadConfig")
        == fold_identifier("load_config")
        == fold_identifier("LOAD_CONFIG")
    )


@given(st.text())
def test_terms_are_lower_case_and_not_empty(text: str) -> None:
    for term in terms(text):
        assert term
        assert term.isascii() is False or term == term.lower()


@given(st.text(), st.text())
def test_a_line_break_joins_no_words(first: str, second: str) -> None:
    assert terms(first + "\n" + second) == terms(first) + terms(second)


@given(st.text())
def test_the_terms_of_a_text_are_those_of_its_runs(text: str) -> None:
    bounded = re.findall(r"[^\W\d_][^\W_]*(?:_+[^\W_]+)*|\d+", text)
    assert terms(text) == [term for word in bounded for term in terms(word)]
    assert terms(text) == [term for run in runs(text) for term in terms(run)]


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,30}", fullmatch=True))
def test_parts_lose_no_character(identifier: str) -> None:
    assert "".join(parts(identifier)) == identifier.lower()


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_is_a_short_form_of_its_word(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert len(stem(word)) >= min(3, len(word))


@given(st.text() | st.text("aZ_9é\u00a0\u2028 \t.-/", max_size=30))
def test_a_spaced_text_has_the_same_runs_at_the_same_places(text: str) -> None:
    source = text.encode("utf-8", "surrogatepass")
    actual = blank_separators(source)
    assert len(actual) == len(source)
    assert split_blanked(actual.decode("utf-8", "surrogatepass")) == runs(text)


@pytest.mark.parametrize("word", ["Größe", "naïveÉtat", "Überprüfung"])
def test_composed_and_decomposed_letters_are_the_same_terms(word: str) -> None:
    assert terms(unicodedata.normalize("NFD", word)) == terms(unicodedata.normalize("NFC", word))
