"""A folder of any size for the speed benchmark: copies of real code, each with words of its own.

    python -m benchmarks.synthetic SOURCE TARGET --copies 5

In every copy a third of the longer words, chosen by their hash, is respelled, so that postings,
names and vectors grow as they do from one project to a larger one, and not only their lengths.
"""

from __future__ import annotations

import argparse
import re
import zlib
from pathlib import Path

_WORD = re.compile(rb"[A-Za-z]{6,}")
_ONE_IN = 3
_KEYWORDS = frozenset(
    b"return export import static public private protected readonly extends implements interface "
    b"abstract function typeof instanceof default switch delete continue finally lambda global "
    b"nonlocal except assert struct string number boolean unknown namespace declare override "
    b"constructor debugger module require undefined unsafe extern satisfies symbol".split()
)


def main() -> None:
    options = _options()
    make_copies(options.source, options.target, options.copies)


def make_copies(source: Path, target: Path, n_copies: int) -> None:
    """Write `n_copies` of a folder, without git's own files, into `target`."""
    files = sorted(p for p in source.rglob("*") if p.is_file() and ".git" not in p.parts)
    for number in range(n_copies):
        for path in files:
            copied = target / f"part{number}" / path.relative_to(source)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(respelled(path.read_bytes(), number))


def respelled(text: bytes, number: int) -> bytes:
    """`text` with the words that copy `number` spells in its own way; copy 0 is the original."""
    letters = bytes(97 + int(digit) for digit in str(number))

    def spelled(word: re.Match[bytes]) -> bytes:
        lowered = word[0].lower()
        mine = zlib.crc32(lowered + letters) % _ONE_IN == 0 and lowered not in _KEYWORDS
        return word[0] + letters if mine else word[0]

    return _WORD.sub(spelled, text) if number else text


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--copies", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
