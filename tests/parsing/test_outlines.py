from __future__ import annotations

from pathlib import Path

import pytest

from packhound.parsing.languages import LANGUAGES, language_of
from tests.support.syntax_check import outline_text, parsed

ROOT = Path(__file__).parent.parent.parent
SAMPLES = sorted((ROOT / "fixtures" / "languages").glob("*/sample.*"))
GOLDEN = ROOT / "tests" / "golden" / "outlines"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}{path.suffix}")
def test_outline(sample: Path, update_golden: bool) -> None:
    text = outline_text(parsed(f"src/{sample.name}", sample.read_bytes()))
    more = "" if sample.suffix not in (".h", ".bats") else sample.suffix
    golden = GOLDEN / f"{sample.parent.name}{more}.txt"
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_every_language_has_a_sample() -> None:
    assert {language_of(sample.name) for sample in SAMPLES} == {row.name for row in LANGUAGES}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}{path.suffix}")
def test_line_ends_do_not_matter(sample: Path) -> None:
    source = sample.read_bytes()
    windows = parsed(f"src/{sample.name}", source.replace(b"\n", b"\r\n"))
    unix = parsed(f"src/{sample.name}", source)
    assert [node.qualname for node in windows.nodes] == [node.qualname for node in unix.nodes]
    assert [node.span.end_line for node in windows.nodes] == [
        node.span.end_line for node in unix.nodes
    ]
