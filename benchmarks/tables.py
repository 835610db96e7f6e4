"""Tables of benchmarks/README.md, SECURITY.md and pages of docs, made from the stored results.

    python -m benchmarks.tables

Rewrites each table below a line `<!-- table: NAME -->`. A test fails where one differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchmarks import reliability, team_servers
from benchmarks.stored import FOLDER, ROOT, load

PAGES = (
    FOLDER / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "docs" / "figures.md",
    ROOT / "docs" / "team.md",
)
_TABLE = re.compile(r"(<!-- table: ([\w.]+) -->\n)((?:\|.*\n)*)")
Rows = Iterable[Iterable[object]]


def main() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        if (made := with_tables(text)) != text:
            page.write_text(made, "utf-8")


def with_tables(page: str) -> str:
    """Return a page with each of its marked tables made from its result."""
    return _TABLE.sub(lambda match: match[1] + TABLES[match[2]](), page)


def _table(rows: Rows, *heads: str) -> str:
    """Return a Markdown table whose first column is text and whose others are figures."""
    ruler = ["---", *("---:" for _ in heads[1:])]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in (heads, ruler, *rows))


def speed() -> str:
    """Return Packhound, semble, how many times faster, by corpus."""
    corpora = load(FOLDER / "results" / "speed.json")["corpora"]
    figures = corpora.values()
    rows = [
        ("one-line edit to a search with it, p50", [_times(c, "edit_edit_ms") for c in figures]),
        ("the same, p95", [_ms(c["packhound"]["edit_edit_ms_p95"]) for c in figures]),
        ("search in the engine, p50", [_times(c, "query_query_ms") for c in figures]),
        ("the same, p95", [_times(c, "query_query_ms_p95") for c in figures]),
        ("cold index, persisted", [_times(c, "cold_ms") for c in figures]),
        ("warm start to the first answer", [_times(c, "warm_ms") for c in figures]),
        ("peak memory while indexing", [_memory(c, "cold_peak_mb") for c in figures]),
        ("peak memory of 200 searches", [_memory(c, "query_peak_mb") for c in figures]),
    ]
    heads = [f"{name}, {c['packhound']['cold_nodes']:,.0f} nodes" for name, c in corpora.items()]
    return _table(((name, *cells) for name, cells in rows), "", *heads)


def _times(corpus: Mapping[str, Any], figure: str) -> str:
    ours, theirs = corpus["packhound"][figure], corpus["semble"][figure]
    return f"{_ms(ours)} / {_ms(theirs)}, {theirs / ours:.1f}"


def _ms(milliseconds: float) -> str:
    if milliseconds >= 1_000:
        return f"{milliseconds / 1_000:.1f} s"
    return f"{milliseconds:.{1 if milliseconds < 100 else 0}f} ms"


def _memory(corpus: Mapping[str, Any], figure: str) -> str:
    return f"{corpus['packhound'][figure]:.0f} / {corpus['semble'][figure]:.0f} MB"


def grep_speed() -> str:
    """Return the milliseconds of Packhound and ripgrep, by patterns with a literal and without."""
    result = load(FOLDER / "results" / "grep_speed.json")
    rows = [
        (f"{part['patterns']} {kind}", *(_both(part[tool]) for tool in ("packhound", "ripgrep")))
        for kind, part in (
            ("with a literal", result["with a literal"]),
            ("without", result["without"]),
        )
    ]
    return _table(rows, "patterns", "Packhound p50 / p95", "ripgrep p50 / p95")


def _both(figures: Mapping[str, float]) -> str:
    return f"{_ms(figures['p50'])} / {_ms(figures['p95'])}"


def million() -> str:
    """Return what a folder of a million nodes takes, of the clock and of the processor."""
    result = load(FOLDER / "results" / "million.json")
    reading, start = result["read"], result["start"]
    both = reading["processor_s"] + reading["parsers_processor_s"]
    rows = [
        ("first reading, saved", f"{reading['s']:.0f} s", f"{both:.0f} s"),
        ("start over the saved index to the first answer", *(f"{v:.1f} s" for v in start.values())),
    ]
    searches = {f"search, {kind}": figures for kind, figures in result["search_ms"].items()}
    for name, figures in (searches | {"edit to a search with it": result["edit_ms"]}).items():
        for p in ("p50", "p95"):
            rows.append((f"{name}, {p}", _ms(figures[p]), _ms(figures[f"processor_{p}"])))
    return _table(
        rows, f"{result['nodes']:,} nodes, {result['files']:,} files", "clock", "processor"
    )


def keystrokes() -> str:
    """Return the milliseconds from a key to the redrawn rows, by client and size."""
    rows = []
    for row in load(FOLDER / "editors" / "keystrokes.json")["rows"]:
        for part, client in (("search", row["client"]), ("go_to_file", "VS Code's own Go to File")):
            if part in row:
                figures = row[part]["p50_ms"], row[part]["p95_ms"]
                rows.append((client, f"{row['nodes']:,}", *figures))
    return _table(rows, "client", "nodes", "p50", "p95")


def tool_tokens() -> str:
    """Return the mean tokens of an answer of each tool, as text and as JSON, now and before."""
    results = load(FOLDER / "agents" / "tool_tokens.json")
    now, before = results["now"], results["before"]
    names = {"search": "search, 10 hits", "pack": "pack of 8,000 tokens"}
    rows = [
        (names.get(tool, tool), *(f"{n:,}" for n in (now[tool]["text"], *before[tool].values())))
        for tool in before
        if tool not in ("status", "list of tools")
    ]
    return _table(rows, "", "text now", "text before", "JSON before")


def packs() -> str:
    """Return the share of reports whose fixed functions are all shown, by budget and method."""
    methods = load(FOLDER / "results" / "packs.json")["methods"]
    rows = [
        (f"{int(budget):,}", *(f"{m[budget]['shown']['mean']:.3f}" for m in methods.values()))
        for budget in methods["packhound"]
    ]
    return _table(rows, "tokens", *(_METHODS.get(name, name) for name in methods))


_METHODS = {"packhound": "Packhound", "top files": "whole top files"}


def quality() -> str:
    """Return NDCG@10 by category: of Packhound, of its parts, and as others publish theirs."""
    results = load(FOLDER / "quality" / "results" / "dev.json")
    ways = {
        "Packhound, hybrid": results["hybrid"],
        "Packhound without vectors": results["lexical"],
        "Packhound, vectors alone": results["dense"],
        "reciprocal rank fusion instead of the ranker": results["rrf"],
    }
    rows: list[tuple[object, ...]] = [
        (
            name,
            *(
                f"{part['ndcg']['mean']:.3f}"
                for part in (way["all"]["all"], *way["category"].values())
            ),
        )
        for name, way in ways.items()
    ]
    return _table([*rows, *_PUBLISHED], "", "all", *results["hybrid"]["category"])


_PUBLISHED = (
    ("CodeRankEmbed hybrid, 137M parameters (published)", 0.852, "", "", ""),
    ("semble hybrid (published)", 0.847, 0.796, 0.832, 0.957),
)

_OF_SECURITY = (
    "T3",
    "T5",
    "T6",
    "T10",
    "T11",
    "T20",
    "T21",
    "T22",
    "T23",
    "T24",
    "T29",
    "T30",
    "T32",
    "T33",
)


def security() -> str:
    """Return what is promised to whoever fears harm or loss, what was tried, and of what code."""
    results, rows = load(reliability.RESULTS), list[tuple[object, ...]]()
    for check in reliability.CHECKS:
        if check.name.split()[0] in _OF_SECURITY:
            row = results.get(check.name, {"outcome": "has not run", "commit": "", "reached": 0})
            cells = (check.name, check.promise, check.unit, f"{row['reached']:,}")
            rows.append((*cells, f"{check.release:,}", row["outcome"], row["commit"]))
    return _table(rows, "", "promise", "tried", "so far", "at a release", "outcome", "commit")


def team_candidates() -> str:
    """Return what is found, and how fast, in a folder and through a store that is not pulled."""
    figures = load(team_servers.RESULT)
    quality, candidates, recall = (figures[k] for k in ("quality", "candidates", "recall"))
    many = candidates["8 clients"]
    rows = [
        ("NDCG@10 in the folder", f"{quality['folder']['ndcg@10']:.3f}"),
        ("NDCG@10 through the store", f"{quality['store']['ndcg@10']:.3f}"),
        ("best answers in the 200 files by words", _share(candidates["words"]["best_answers"])),
        ("by words and meaning", _share(candidates["words and meaning"]["best_answers"])),
        (
            "files of the 400 nearest definitions that the index finds",
            _share(recall["main"]["recall"]),
        ),
        ("the same for who may read a tenth of the files", _share(recall["part"]["recall"])),
        ("search of the folder, p50 / p95", _middle_and_tail(quality["folder"])),
        ("search through the store, p50 / p95", _middle_and_tail(quality["store"])),
        (
            "the choice of files by an open connection, p50 / p95",
            _middle_and_tail(candidates["words and meaning"]),
        ),
        ("the same for eight clients at once", _middle_and_tail(many)),
        ("their questions a second", f"{many['questions_a_second']:.0f}"),
    ]
    pushed = figures["pushed"]
    head = f"{pushed['files']:,} files, {pushed['nodes']:,} definitions"
    return _table(rows, f"{figures['questions']} questions", head)


def team_sizes() -> str:
    """Return what ten thousand repositories take."""
    head = f"{team_servers.REPOSITORIES:,} repositories"
    return _table(team_servers.sizes(load(team_servers.RESULT)).items(), head, "")


def team_servers_needed() -> str:
    """Return the 95th percentile of a question by servers and questions a second."""
    figures = load(team_servers.RESULT)
    rows = []
    for n in team_servers.SERVERS:
        waits = [team_servers.waiting(figures, n, rate) for rate in team_servers.RATES]
        rows.append(
            (f"{n} server{'s' * (n > 1)}", *("too many" if w is None else _ms(w) for w in waits))
        )
    return _table(rows, "p95", *(f"{rate} questions a second" for rate in team_servers.RATES))


def _share(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _middle_and_tail(figures: Mapping[str, float]) -> str:
    return f"{_ms(figures['p50_ms'])} / {_ms(figures['p95_ms'])}"


TABLES: Mapping[str, Callable[[], str]] = {
    "team_candidates": team_candidates,
    "team_servers": team_servers_needed,
    "team_sizes": team_sizes,
    "speed": speed,
    "grep_speed": grep_speed,
    "million": million,
    "keystrokes": keystrokes,
    "tool_tokens": tool_tokens,
    "packs": packs,
    "quality": quality,
    "security": security,
}


if __name__ == "__main__":
    main()
