"""A test to write comes with the tests that there are: their file, the nearest, its helpers."""

from __future__ import annotations

import pytest

from tests.pack.test_uses import packed

_LONG = "".join(f"    total += weigh(basket, {n}, 'a line of its own')\n" for n in range(90))
_READER = {
    "shop/reader.py": "def read_price(text):\n    euros, _, cents = text.partition('.')\n"
    "    return int(euros) * 100 + int(cents or 0)\n\n\n"
    "def read_stock(text):\n    return int(text)\n",
    "shop/till.py": f"def ring_up(basket):\n    total = 0\n{_LONG}    return total\n",
}


def test_tests_that_use_it_are_named_and_the_nearest_is_shown_with_its_helper() -> None:
    files = {
        **_READER,
        "tests/test_money.py": "from shop.reader import read_price\n\n\n"
        "def assert_cents(text, cents):\n    assert read_price(text) == cents\n\n\n"
        "def test_a_price_without_cents():\n    assert_cents('3', 300)\n"
        "    assert read_price('4') == 400\n",
        "tests/test_reader.py": "def test_nothing_of_it():\n    assert 1 + 1 == 2\n",
    }
    text = packed(files, "Write a test for read_price").text
    assert text.splitlines()[1] == "tests that use `read_price`: `tests/test_money.py`"
    assert "int(cents or 0)" in text
    assert "def test_a_price_without_cents" in text and "def assert_cents" in text


def test_the_file_that_bears_the_name_is_said_too_where_it_has_the_name() -> None:
    files = {
        **_READER,
        "tests/test_money.py": "from shop.reader import read_price\n\n\n"
        "def test_a_price():\n    assert read_price('4') == 400\n",
        "tests/test_reader.py": "import shop\n\n\ndef test_two_prices(reader):\n"
        "    assert reader.read_price('5') == 500\n    assert reader.read_stock('6') == 6\n",
    }
    text = packed(files, "Write a test for read_price").text
    assert text.splitlines()[1] == (
        "tests that use `read_price`: `tests/test_money.py`;"
        " tests for `shop/reader.py`, by its name: `tests/test_reader.py`"
    )
    assert "def test_two_prices" in text


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("shop/reader.py", "tests/test_reader.py"),
        ("src/FileReader.php", "tests/FileReaderTest.php"),
        ("core/at_file.go", "core/at_file_test.go"),
        ("lib/file_reader.js", "test/unit/file-reader.spec.js"),
    ],
)
def test_the_file_of_tests_that_bears_the_name_is_said_also_where_nothing_of_it_fits(
    source: str, test: str
) -> None:
    functions = {
        ".py": "def read_price(text):\n    return int(text)\n",
        ".php": "<?php\nfunction read_price($text) {\n    return (int) $text;\n}\n",
        ".go": "package core\n\nfunc read_price(text string) int {\n\treturn len(text)\n}\n",
        ".js": "function read_price(text) {\n  return Number(text);\n}\n",
    }
    code = functions["." + source.rpartition(".")[2]]
    files = {source: code, test: "" if test.endswith("php") else "\n", "docs/shop.md": "# Shop\n"}
    text = packed(files, "Write a test for read_price").text
    assert text.splitlines()[1] == f"tests for `{source}`, by its name: `{test}`"


def test_where_there_is_no_file_of_tests_none_is_named() -> None:
    text = packed(_READER, "Write a test for read_price").text
    assert "tests for" not in text and "tests that" not in text
