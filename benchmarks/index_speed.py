"""How fast the index is built, edited, searched, saved and loaded, over synthetic files.

Run: python -m benchmarks.index_speed [nodes ...] [--graph: build one above 100,000 too]
Results go to benchmarks/results/index_speed.json. Times are of the processor, in the thread that
does the work, so that a busy machine does not change them; those of the disk are of the clock.
"""

from __future__ import annotations

import gc
import hashlib
import json
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.stored import load_current, save
from packhound.core.arrays import Floats, unit_rows
from packhound.core.types import FileStamp, Node, Span
from packhound.index.vectors.hnsw import build_graph
from packhound.index.writer import Index
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.node_codec import encode_nodes
from packhound.search.retrieve.bm25 import match_terms
from packhound.search.retrieve.corpus_stats import SearchCache
from packhound.storage.sqlite_store import Store

NODES_PER_FILE = 10
TERMS_OF_PART = (2, 7, 10, 0, 6, 50, 0, 0)
TERMS_PER_NODE = sum(TERMS_OF_PART)
VOCABULARY = 100_000
DIM = 256
RESULTS = Path(__file__).parent / "results" / "index_speed.json"

_random = np.random.default_rng(7)
_zipf = np.minimum(_random.zipf(1.25, 4_000_000), VOCABULARY) - 1
_letters = str.maketrans("0123456789", "ghijklmnop")


def _word(i: int) -> str:
    """Word number i: letters without an ending, so that it is one term."""
    drawn = hashlib.blake2b(str(i).encode(), digest_size=4).hexdigest()
    return drawn.translate(_letters) + "x"


_words = [_word(i) for i in range(VOCABULARY)]


class TopicVectors:
    """Vectors around two hundred topics, so that a graph has something to find."""

    dim = DIM
    fast, reads_runs = True, False

    def __init__(self) -> None:
        self._topics = _random.standard_normal((200, DIM)).astype(np.float32)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Floats near the topic of each text's number."""
        seeds = np.array([int(text.rpartition(" ")[2]) for text in texts])
        noise = np.random.default_rng(int(seeds[0])).standard_normal((len(texts), DIM))
        return unit_rows(self._topics[seeds % 200] + 0.9 * noise.astype(np.float32))


def file(i: int, n_nodes: int = NODES_PER_FILE, variant: int = 0) -> AnalysedFile:
    """File number i. Variant v differs from variant 0 in its last node."""
    path = f"src/package{i % 97}/module{i}.py"
    start = (i * 7919) % (len(_zipf) - n_nodes * TERMS_PER_NODE)
    drawn = _zipf[start : start + n_nodes * TERMS_PER_NODE].copy()
    drawn[-3:] = (drawn[-3:] + variant) % VOCABULARY
    used, run = np.unique(drawn, return_inverse=True)
    versions = [variant if j == n_nodes - 1 else 0 for j in range(n_nodes)]
    return AnalysedFile(
        path,
        "python",
        (),
        None,
        hashlib.blake2b(f"{i} {variant}".encode(), digest_size=16).digest(),
        encode_nodes([_node(i, j) for j in range(n_nodes)]),
        " ".join(_words[w] for w in used),
        run.astype(np.int32).tobytes(),
        np.tile(np.array(TERMS_OF_PART, np.int32), (n_nodes, 1)).tobytes(),
        tuple(f"f {i * 1009 + j + 7 * v}" for j, v in enumerate(versions)),
        tuple(
            hashlib.blake2b(f"{path} {j} {v}".encode(), digest_size=16).digest()
            for j, v in enumerate(versions)
        ),
    )


def _node(i: int, j: int) -> Node:
    name = f"load_{_words[(i * 31 + j) % 20_000]}"
    return Node(
        kind="function",
        name=name,
        qualname=f"Loader{i}.{name}",
        span=Span(j * 600, j * 600 + 590, j * 20, j * 20 + 19),
        signature=f"def {name}(self, path: Path, *, strict: bool = False) -> Config:",
        doc="Load the configuration of a project and complain about unknown keys.",
        own_ranges=((j * 600, j * 600 + 40), (j * 600 + 110, j * 600 + 590)),
        parent=0 if j else None,
        references=tuple(_words[(i * 13 + j * 17 + k * k) % VOCABULARY] for k in range(15)),
    )


Clock = Callable[[], float]


def timed(
    run: Callable[[], object], times: int = 1, clock: Clock = time.thread_time
) -> dict[str, float]:
    """Median, 95th percentile and best of some runs, in milliseconds."""
    return summary([once(run, clock) for _ in range(times)])


def once(run: Callable[[], object], clock: Clock = time.thread_time) -> float:
    """Milliseconds of one run."""
    start = clock()
    run()
    return (clock() - start) * 1e3


def summary(took: Sequence[float]) -> dict[str, float]:
    """What is kept of many runs."""
    if len(took) == 1:
        return {"ms": round(took[0], 2)}
    names = {"p50_ms": 50, "p95_ms": 95, "max_ms": 100}
    return {name: round(float(np.percentile(took, p)), 3) for name, p in names.items()}


def bench(n_nodes: int) -> dict[str, object]:
    """All measurements at one size."""
    encoder = TopicVectors()
    index = Index(encoder)
    result: dict[str, object] = {"nodes": n_nodes} | build(index, n_nodes)
    result["rss_mb"] = resident_mb()
    result["publish"] = timed(index.publish)
    result["postings"] = sum(s.n_postings for s in index.snapshot.terms.segments)
    result |= edits(index) | searches(index, encoder)
    with tempfile.TemporaryDirectory() as folder:
        result |= disk(index, Path(folder) / "store")
    if n_nodes <= 100_000 or "--graph" in sys.argv:
        result |= graph(index, encoder)
    return result


def build(index: Index, n_nodes: int) -> dict[str, object]:
    """All files in one batch, as at the first start."""
    files = [file(i) for i in range(n_nodes // NODES_PER_FILE)]
    words_only = Index(None)
    without = timed(lambda: words_only.replace(files, stamps(files)))
    index.replace(files, stamps(files))
    return {"build_without_vectors": without}


def resident_mb() -> int:
    """Memory of this process now, the synthetic texts apart."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() // 1_000_000


def disk(index: Index, folder: Path) -> dict[str, object]:
    """Save all, save after an edit, load."""
    store = Store.open(folder, lambda: "1")
    result: dict[str, object] = {
        "save_all": timed(lambda: store.save(index.snapshot), clock=time.perf_counter),
        "disk_mb": round(sum(p.stat().st_size for p in folder.iterdir()) / 1e6, 1),
    }
    index.replace([file(5, variant=3)], stamps([file(5)]))
    index.publish()
    result["save_edit"] = timed(lambda: store.save(index.snapshot), clock=time.perf_counter)

    def load() -> None:
        saved = store.load()
        assert saved is not None
        Index(TopicVectors()).restore(saved)

    result["load"] = timed(load, 3, time.perf_counter)
    store.close()
    return result


def graph(index: Index, encoder: TopicVectors) -> dict[str, object]:
    """The graph against the scan, whatever the threshold."""
    snapshot = index.snapshot
    start = time.thread_time()
    built = build_graph(snapshot.vectors, 1.0)
    built_s = time.thread_time() - start
    vectors = replace(snapshot.vectors, graph=built)
    queries = iter(encoder.encode([f"q {i * 37}" for i in range(200)]))
    return {
        "graph_build_s": round(built_s, 1),
        "graph_recall_at_10": round(built.recall, 4),
        "graph_nearest_100": timed(lambda: vectors.nearest(next(queries), 100), 100),
    }


def stamps(files: Sequence[AnalysedFile]) -> dict[str, FileStamp | None]:
    """As if all files were on disk."""
    return {f.path: FileStamp(1, 1, 1, 1) for f in files}


def edits(index: Index) -> dict[str, object]:
    """One node of a file of 100 nodes changes at every key."""
    versions = iter([file(10_000_000, 100, v) for v in range(302)])
    index.replace([next(versions)], {})
    index.publish()
    current = next(versions)

    def edit() -> None:
        index.replace([current], {})
        index.publish()

    took = []
    for current in versions:  # noqa: B007 - `edit` reads it
        took.append(once(edit))
    return {
        "edit": summary(took),
        "segments_after_edits": len(index.snapshot.terms.segments),
    }


def searches(index: Index, encoder: TopicVectors) -> dict[str, object]:
    """The primitives a ranker calls, for six terms of all frequencies, on a fresh snapshot."""
    terms = [_words[i] for i in (2, 20, 100, 300, 4_000, 50_000)]
    other = iter(range(1000, 10**9))
    query = encoder.encode(["q 5"])[0]

    def fresh() -> None:
        index.replace([file(1, variant=next(other))], {})
        index.publish()

    def cold(run: Callable[[], object]) -> dict[str, float]:
        took = []
        for _ in range(20):
            fresh()
            took.append(once(run))
        return summary(took)

    cache = SearchCache()

    def ranker() -> None:
        s = index.snapshot
        match_terms(s, cache.stats(s), terms, [1.0] * len(terms))
        s.node_ids_named("load")

    return {
        "lexical_all_cold": cold(ranker),
        "lexical_all_warm": timed(ranker, 50),
        "similarities": timed(lambda: index.snapshot.similarities(query), 30),
        "nearest_100": timed(lambda: index.snapshot.nearest(query, 100), 30),
    }


def main(sizes: Sequence[int]) -> None:
    """Measure, print and keep."""
    saved = load_current(RESULTS)
    for size in sizes:
        saved[str(size)] = bench(size)
        print(json.dumps(saved[str(size)], indent=1))
    saved["machine"] = f"{platform.machine()}, Python {platform.python_version()}"
    save(RESULTS, saved)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:] if size.isdigit()] or [12_000, 40_000, 200_000])
