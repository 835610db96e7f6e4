"""Runs semble 0.7.0 for `benchmarks.speed`, inside an environment where semble is installed.

    python peer_semble.py cold FOLDER MODEL      index and save, from nothing
    python peer_semble.py warm FOLDER MODEL      load the saved index and answer once
    python peer_semble.py query FOLDER MODEL     milliseconds of 200 hybrid searches
    python peer_semble.py edit FOLDER MODEL      milliseconds from a saved one-line edit to an index
    python peer_semble.py model FOLDER           write a random model of Model2Vec's shape

Prints one JSON object. The random model makes its answers worthless and its speed representative.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text())


def main() -> None:
    command, folder, *rest = sys.argv[1:]
    if command == "model":
        write_model(Path(folder))
        return
    began = time.perf_counter()
    from semble import SembleIndex
    from semble.cache import save_index_to_cache

    index = SembleIndex.from_path(folder, model_path=rest[0])
    if command == "cold":
        save_index_to_cache(index, folder)
    index.search(QUERIES[0])
    report: dict[str, object] = {"ms": (time.perf_counter() - began) * 1e3}
    report["nodes"] = len(index.chunks)
    if command == "query":
        report["query_ms"] = [timed(lambda q=q: index.search(q)) for q in QUERIES[1:]]
    if command == "edit":
        save_index_to_cache(index, folder)
        report["edit_ms"] = [edit(index, folder, rest[0], n) for n in range(5)]
    report["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(report))


def timed(action) -> float:  # noqa: ANN001
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3


def edit(index, folder: str, model: str, number: int) -> float:  # noqa: ANN001
    from semble import SembleIndex
    from semble.cache import save_index_to_cache

    paths = sorted({chunk.file_path for chunk in index.chunks})
    path = Path(folder) / paths[(number + 1) * len(paths) // 7]
    before = path.read_bytes()
    path.write_bytes(before + b"\n# packhoundprobe%d\n" % number)
    try:
        began = time.perf_counter()
        fresh = SembleIndex.from_path(folder, model_path=model)
        fresh.search(f"packhoundprobe{number}")
        spent = (time.perf_counter() - began) * 1e3
        save_index_to_cache(fresh, folder)
    finally:
        path.write_bytes(before)
    return spent


def write_model(folder: Path) -> None:
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
    words = ["[PAD]", "[UNK]", *letters, *(f"##{c}" for c in letters)]
    words += [a + b + c for a in letters for b in letters for c in letters][:30_000]
    tokenizer = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = np.random.default_rng(0).standard_normal((len(words), 256)).astype(np.float32)
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(folder)


if __name__ == "__main__":
    main()
