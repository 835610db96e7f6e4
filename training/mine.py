"""Mine: checkouts of public repositories -> one compressed file of node records each.

    python training/mine.py --sources train.json --corpora CHECKOUTS \\
        --evaluation EVALUATION --never never_train.txt --out OUT

`train.json` lists {"repo", "language", "commit", "license_file"}; CHECKOUTS/<owner>+<name> is the
work tree. EVALUATION holds the repositories of the benchmarks: a node whose words equal those of a
node there is dropped. A repository that is already in OUT is passed over, so that a run can resume.
Nothing of OUT is committed; training/sources.json lists what it was made from.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path

from licences import licence_of
from nodes import records, sampled_records

HERE = Path(__file__).resolve().parent
EVALUATION_DIGESTS = "evaluation_digests.txt"


@dataclass(frozen=True, slots=True)
class Source:
    """One repository to mine; `tree` is its work tree."""

    repo: str
    language: str
    commit: str
    licence: str
    tree: Path

    @property
    def file_name(self) -> str:
        """What its records are kept as."""
        return self.repo.replace("/", "+") + ".jsonl.gz"


def main() -> int:
    options = _options()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    digests = _evaluation_digests(options.evaluation, out, options.workers)
    forbidden = {line.strip().lower() for line in options.never.read_text().splitlines()}
    sources = [
        source
        for source in _sources(options.sources, options.corpora)
        if source.repo.lower() not in forbidden
        and (not options.languages or source.language in options.languages)
    ]
    todo = [source for source in sources if not (out / source.file_name).exists()]
    print(f"{len(sources)} permissive sources, {len(todo)} to mine", flush=True)
    started = time.monotonic()
    with ProcessPoolExecutor(options.workers, initializer=_remember, initargs=(digests,)) as pool:
        jobs = pool.map(_mine, todo, repeat(out), repeat(options.max_bytes))
        for done, (source, counts) in enumerate(zip(todo, jobs, strict=True), 1):
            seconds = time.monotonic() - started
            print(f"[{done}/{len(todo)} {seconds:.0f} s] {source.repo} {dict(counts)}", flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--evaluation", type=Path, required=True)
    parser.add_argument("--never", type=Path, required=True, help="repositories never mined")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--languages", nargs="*", help="only repositories of these (default: all)")
    parser.add_argument("--max-bytes", type=int, default=4_000_000, help="read of one repository")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def _sources(listing: Path, corpora: Path) -> list[Source]:
    """Sources under a permissive licence whose checkout is there, in the order of the listing."""
    sources = []
    for entry in json.loads(listing.read_text()):
        tree = corpora / entry["repo"].replace("/", "+")
        licence = licence_of(tree, entry.get("license_file"))
        if licence is None:
            print(f"passed over, no permissive licence found: {entry['repo']}", file=sys.stderr)
            continue
        sources.append(
            Source(entry["repo"], entry["language"], entry["commit"] or "", licence, tree)
        )
    return sources


def _evaluation_digests(evaluation: Path, out: Path, workers: int) -> frozenset[str]:
    cached = out / EVALUATION_DIGESTS
    if not cached.exists():
        trees = sorted(path for path in evaluation.iterdir() if path.is_dir())
        with ProcessPoolExecutor(workers) as pool:
            digests = set().union(*pool.map(_digests, trees))
        cached.write_text("\n".join(sorted(digests)))
        print(f"{len(digests)} digests of evaluation code from {len(trees)} trees", flush=True)
    return frozenset(cached.read_text().split())


def _digests(tree: Path) -> set[str]:
    return {record.digest for record in records(tree) if record.digest}


_known: frozenset[str] = frozenset()


def _remember(digests: frozenset[str]) -> None:
    global _known
    _known = digests


def _mine(source: Source, out: Path, max_bytes: int) -> Counter[str]:
    """Write the records of one repository; counts by outcome."""
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    head = {"repo": source.repo, "language": source.language, "commit": source.commit}
    partial = out / (source.file_name + ".partial")
    with gzip.open(partial, "wt", compresslevel=3, encoding="utf-8") as file:
        file.write(json.dumps(head | {"licence": source.licence}) + "\n")
        for record in sampled_records(source.tree, max_bytes):
            if record.digest in _known:
                counts["evaluation"] += 1
            elif record.digest in seen:
                counts["copy"] += 1
            else:
                counts["documented" if record.doc else "plain"] += 1
                if record.digest:
                    seen.add(record.digest)
                file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
    partial.rename(out / source.file_name)
    return counts


if __name__ == "__main__":
    sys.exit(main())
