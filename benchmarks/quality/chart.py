"""Draw quality against query time beside the published peers.

    python -m benchmarks.quality.chart benchmarks/quality/results/dev.json CHART.png

Peers' NDCG@10 are those that are published for the same 26 repositories; their query times are
their own claims, on their own machines. Packhound's quality is cross-validated over repositories
(it stands beside the weights), its time that of the results file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

WEIGHTS = Path(__file__).parents[2] / "server/packhound/search/rank/file_weights.json"

PEERS = {
    "CodeRankEmbed hybrid (137M)": (0.852, 16.0),
    "semble hybrid": (0.847, 1.5),
    "CodeRankEmbed (137M)": (0.758, 16.0),
    "ColGREP": (0.659, 124.0),
    "probe": (0.386, 207.0),
    "ripgrep": (0.127, None),
}
"""NDCG@10 and milliseconds of a query, where a time is published."""

WITHOUT_TIME_MS = 300.0


def main(results: Path, chart: Path) -> None:
    measured = json.loads(results.read_text("utf-8"))
    figure, axes = plt.subplots(figsize=(8, 4.8), dpi=150)
    for name, (quality, took_ms) in PEERS.items():
        label = name if took_ms else f"{name} (no time published)"
        side = "right" if (took_ms or WITHOUT_TIME_MS) > 100 else "left"
        axes.plot(took_ms or WITHOUT_TIME_MS, quality, "o", color="#888888")
        axes.annotate(label, (took_ms or WITHOUT_TIME_MS, quality), **_beside(side))
    figures = json.loads(WEIGHTS.read_text("utf-8"))["cross_validated"]
    for way in ("hybrid", "lexical", "dense"):
        mean, _, error = figures[way]["ndcg@10"].split()[:3]
        took_ms = measured[way]["took_ms"]["p50"]
        axes.errorbar(took_ms, float(mean), 1.64 * float(error), fmt="s", color="#1f6feb")
        side = "left" if way == "hybrid" else "right"
        axes.annotate(f"Packhound {way}", (took_ms, float(mean)), **_beside(side))
    axes.set_xscale("log")
    axes.set_xlim(0.3, 1_000)
    axes.set_ylim(0, 1)
    axes.set_xlabel("time of one query, ms (log)")
    axes.set_ylabel("NDCG@10, mean over 26 repositories")
    axes.set_title("Quality of code search against query time")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(chart)


def _beside(side: str) -> dict[str, object]:
    """Where a name stands whose mark is on this side of it."""
    left = side == "left"
    return {
        "textcoords": "offset points",
        "xytext": (8, -3) if left else (-8, 6),
        "ha": "left" if left else "right",
        "fontsize": 8,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
