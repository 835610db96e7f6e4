"""Measure what the deep model finds among the nodes that it read in advance.

    python -m benchmarks.quality.deep_read --suite SUITE=CORPORA ... [--whole]

NDCG@10 / s@1 / s@5 / r3@10 of graded queries: without the model, with the 50 best hits read again,
and with all nodes read in advance, which are candidates then. Differences have the 95 % interval
over queries. Results go to results/deep_read.json. With `--whole` the whole repositories are asked
and not the folders that were judged, so that tests, documents and other code compete; the results
go to results/whole.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Query
from packhound.evaluation.cases import Case
from packhound.evaluation.graded import GRADED_LIMIT, TOP, best_ranks, match_answers, ndcg
from packhound.evaluation.suite import load_suite
from packhound.indexing import Timing
from packhound.service import Engine, deep_filling

RESULTS = Path(__file__).parent / "results"
MODES = {"without": (False, 0), "50 hits read": (True, 0), "all nodes read": (True, 20_000)}
AT_ONCE = Timing(deep_idle_s=0.01, deep_poll_s=0.05, recent_use_s=0.01)
PATIENT = Budget(60_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--whole", action="store_true", help="ask the whole repositories")
    options = parser.parse_args()
    figures = {}
    for suite in options.suite:
        folder, corpora = map(Path, suite.split("=", 1))
        cases = defaultdict[tuple[str, str], list[Case]](list)
        for case in load_suite(folder):
            if options.whole:
                case = replace(case, root="")
            cases[case.repository, case.root or ""].append(case)
        rows = {mode: [] for mode in MODES}
        for (repository, root), asked in cases.items():
            for mode, (is_deep, n_nodes) in MODES.items():
                rows[mode] += measures(corpora / repository / root, asked, is_deep, n_nodes)
            print(repository, len(asked), flush=True)
        kinds = np.array([case.category for asked in cases.values() for case in asked])
        figures["/".join(folder.parts[-2:])] = summary(rows, kinds)
    print(json.dumps(figures, indent=1))
    save(RESULTS / ("whole.json" if options.whole else "deep_read.json"), figures)


def measures(
    root: Path, cases: list[Case], is_deep: bool, n_nodes: int
) -> Iterator[tuple[float, float, float, float]]:
    """NDCG@10, s@1, s@5 and r3@10 of each query, with so many nodes read in advance."""
    settings = settings_from(
        {"deep.idleNodes": n_nodes, "search.deep": "off"}
        if not is_deep
        else {"deep.idleNodes": n_nodes}
    )
    with (
        tempfile.TemporaryDirectory() as cache,
        patch.dict("os.environ", PACKHOUND_CACHE_DIR=cache),
        patch.object(deep_filling, "_REST", 0.0),
    ):
        engine = Engine.open(root, settings, timing=AT_ONCE)
        engine.settled()
        engine.prepare().join()
        while n_nodes and len({*(engine.status().deep_vectors or (0, 1))}) > 1:
            time.sleep(0.1)
        for case in cases:
            query = Query(case.text, limit=GRADED_LIMIT, deep=is_deep, budget=PATIENT)
            ranks = match_answers(case, engine.search(query).hits)
            best = best_ranks(case, ranks)
            n_best = max(1, sum(answer.grade == 3 for answer in case.answers))
            yield (
                ndcg(case, ranks),
                float(0 in best),
                float(any(rank < 5 for rank in best)),
                sum(rank < TOP for rank in best) / n_best,
            )
        engine.close()


def summary(
    rows: dict[str, list[tuple[float, float, float, float]]], kinds: NDArray[np.str_]
) -> dict[str, object]:
    """Means by mode, NDCG@10 by kind, and the paired differences of the modes."""
    values = {mode: np.array(each) for mode, each in rows.items()}
    first = values["50 hits read"][:, 0]
    gain = values["all nodes read"][:, 0] - first
    return {
        "queries": len(kinds),
        **{mode: [round(float(mean), 3) for mean in each.mean(0)] for mode, each in values.items()},
        "NDCG@10 by kind": {
            mode: {
                str(kind): round(float(each[kinds == kind, 0].mean()), 3)
                for kind in np.unique(kinds)
            }
            for mode, each in values.items()
        },
        "gain of all nodes over 50 hits": [
            round(float(gain.mean()), 3),
            round(float(1.96 * gain.std() / len(gain) ** 0.5), 3),
        ],
    }


if __name__ == "__main__":
    main()
