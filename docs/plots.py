"""Draw the plots of docs/figures.md from the stored results of the benchmarks.

    python docs/plots.py

The same results give the same files; a test fails where one is not of the results that are stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PLOTS = ROOT / "docs" / "plots"
_STYLE = (
    "text{font:13px sans-serif;fill:#1c2329}.dim{fill:#59636e}.line{stroke:#1c2329}"
    ".bar{fill:#2f6fb5}.bar-2{fill:#b35900}@media(prefers-color-scheme:dark){text{fill:#e2e7ec}"
    ".dim{fill:#9aa5b1}.line{stroke:#e2e7ec}.bar{fill:#5b9bd9}.bar-2{fill:#e0954d}}"
)
_LEFT, _WIDTH, _RIGHT, _ROW, _TOP = 270, 420, 110, 26, 34


class Bar(NamedTuple):
    """A figure with its name; `low` and `high` are the ends of its interval, if it has one."""

    name: str
    value: float
    written: str
    style: str = "bar"
    low: float | None = None
    high: float | None = None


def main() -> None:
    """Write all plots."""
    PLOTS.mkdir(exist_ok=True)
    for name, drawing in plots().items():
        (PLOTS / name).write_text(drawing, "utf-8")


def plots() -> dict[str, str]:
    """Return the drawings by the names of their files."""
    return {
        "confidence.svg": _confidence(_load("benchmarks/results/pack_needed.json")),
        "packs.svg": _packs(_load("benchmarks/results/pack_needed.json")),
        "quality.svg": _quality(_load("benchmarks/quality/results/dev.json")),
        "speed.svg": _speed(_load("benchmarks/results/speed.json")),
        "stages.svg": _stages(_load("benchmarks/results/stages.json")),
    }


def _load(path: str) -> Any:  # noqa: ANN401 - a JSON value
    return json.loads((ROOT / path).read_text("utf-8"))


def _quality(result: Mapping[str, Any]) -> str:
    """Return how well files are ranked, by the kind of the query."""
    figures = {"all queries": result["hybrid"]["all"]["all"], **result["hybrid"]["category"]}
    bars = [
        Bar(name, f["ndcg"]["mean"], f"{f['ndcg']['mean']:.3f}", "bar", *_ends(f["ndcg"]))
        for name, f in figures.items()
    ]
    return _draw("NDCG@10 over files, with bootstrap intervals", bars, 1.0)


def _ends(figure: Mapping[str, float]) -> tuple[float, float]:
    return figure["low"], figure["high"]


def _packs(result: Mapping[str, Any]) -> str:
    """Return how much of the needed code packs hold, beside hits that are printed whole."""
    bars = [
        Bar(
            f"{method}, {budget} tokens",
            needed["mean"],
            f"{needed['mean']:.0%}",
            "bar" if method == "packhound" else "bar-2",
            *_ends(needed),
        )
        for name, figures in result["figures"].items()
        for method, _, budget in [name.rpartition(" ")]
        for needed in [figures["needed"]]
    ]
    return _draw("Needed functions that a pack holds, with bootstrap intervals", bars, 1.0)


def _confidence(result: Mapping[str, Any]) -> str:
    """Return how often packs hold a needed function, by what they say of themselves."""
    words = result["words"]
    bars = [
        Bar(f"{word} ({words[word]['n']} packs)", words[word]["held"], f"{words[word]['held']:.0%}")
        for word in ("exact", "strong", "likely", "possible", "weak")
        if word in words
    ]
    return _draw("Packs that hold a needed function, by their first line", bars, 1.0)


def _speed(result: Mapping[str, Any]) -> str:
    """Return times beside those of the fastest peer, each in parts of the slower one."""
    names = {
        "cold_ms": "first index",
        "warm_ms": "start to the first answer",
        "query_query_ms": "search",
        "edit_edit_ms": "edit to an answer with it",
    }
    corpus = next(iter(result["corpora"].values()))
    bars = [
        Bar(
            f"{name}, {who}",
            corpus[who][key] / max(corpus[peer][key] for peer in ("packhound", "semble")),
            _milliseconds(corpus[who][key]),
            style,
        )
        for key, name in names.items()
        for who, style in (("packhound", "bar"), ("semble", "bar-2"))
    ]
    nodes = corpus["packhound"]["cold_nodes"]
    return _draw(f"Time over {nodes:,} definitions, as parts of the slower one", bars, 1.0)


def _milliseconds(value: float) -> str:
    return f"{value / 1_000:.1f} s" if value >= 1_000 else f"{value:.1f} ms"


def _stages(result: Mapping[str, Any]) -> str:
    """Return what takes how long in a search."""
    names = ("search code", "parse", "encode", "candidates", "rank", "siblings", "explain")
    bars = [
        Bar(name, result["ms"][name]["p50"], f"{result['ms'][name]['p50']} ms") for name in names
    ]
    largest = max(bar.value for bar in bars)
    return _draw(f"Median time of a search over {result['nodes']:,} definitions", bars, largest)


def _draw(title: str, bars: Sequence[Bar], largest: float) -> str:
    """Return horizontal bars below a title."""
    drawn = [f'<text x="0" y="16" font-weight="bold">{escape(title)}</text>']
    for n, bar in enumerate(bars):
        y, width = _TOP + n * _ROW, _WIDTH * bar.value / largest
        drawn += [
            f'<text x="{_LEFT - 10}" y="{y + 14}" text-anchor="end">{escape(bar.name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="18" class="{bar.style}"/>',
        ]
        end = _LEFT + width
        if bar.low is not None and bar.high is not None:
            low, high = (_LEFT + _WIDTH * value / largest for value in (bar.low, bar.high))
            end = max(end, high)
            drawn.append(f'<path d="M{low:.1f} {y + 9}H{high:.1f}" class="line" stroke-width="2"/>')
        drawn.append(
            f'<text x="{end + 8:.1f}" y="{y + 14}" class="dim">{escape(bar.written)}</text>'
        )
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + len(bars) * _ROW
    said = "; ".join(f"{bar.name} {bar.written}" for bar in bars)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{escape(f"{title}: {said}")}</title>'
        f"<style>{_STYLE}</style>\n" + "\n".join(drawn) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
