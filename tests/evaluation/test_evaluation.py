from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import Query
from packhound.evaluation.cases import Case, Target
from packhound.evaluation.score import answers, judge, judge_parts, losses, summarize
from packhound.evaluation.suite import load_suite
from packhound.search.ablation import BASELINE, ablate
from packhound.search.pipeline import search
from tests.support.command_line import packhound
from tests.support.shop import environment, snapshot


def test_ndcg_counts_each_target_at_its_first_hit() -> None:
    hits = search(snapshot(), Query("Session", limit=10), environment()).hits
    first, second = dict.fromkeys(hit.node.path for hit in hits).keys() & set(), hits[0].node.path
    assert not first
    targets = (Target(second), Target("nowhere.py"))
    outcome = judge(Case("Session", targets, "symbol", "shop", "", "."), hits, 1.0)
    assert outcome.rank == 1
    assert outcome.scores["ndcg"] == pytest.approx(1 / (1 + 1 / 1.584962500721156))
    assert outcome.scores["mrr"] == outcome.scores["hit@1"] == 1
    assert outcome.scores["p@5"] == sum(hit.node.path == second for hit in hits[:5]) / 5


def test_paths_match_by_their_ends_and_lines_by_overlap() -> None:
    hits = search(snapshot(), Query("redirect", limit=1), environment()).hits
    span = hits[0].node.span
    inside = Target("repo/shop/routing.py", span.end_line + 1, span.end_line + 9)
    below = Target("repo/shop/routing.py", span.end_line + 2, span.end_line + 9)
    partial = Target("outing.py")
    ranks = [
        judge(Case("", (target,), "", "", "", ""), hits, 0).rank
        for target in (inside, below, partial)
    ]
    assert ranks == [1, None, None]


def test_reports_need_every_file_and_function() -> None:
    hits = search(snapshot(), Query("Session", limit=10), environment()).hits
    case = Case(
        "Session",
        (Target("shop/session.py"),),
        "report",
        "shop",
        "python",
        ".",
        functions=(Target("shop/session.py", function="Session"),),
    )
    assert judge(case, hits, 0).scores == {"file@1": 1, "file@5": 1, "func@10": 1}


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
    suite = tmp_path / "mine.json"
    suite.write_text(json.dumps([{"query": "Basket", "relevant": ["web/src/basket.ts"]}]))

    @contextmanager
    def opened(root: Path):
        yield lambda query: search(snapshot(), query, environment())

    answered = answers(load_suite(suite), tmp_path, opened)
    outcomes = [judge(case, results.hits, results.took_ms) for case, results in answered]
    assert summarize(outcomes)["all"]["ndcg"].mean == 1


def test_a_bad_suite_is_named(tmp_path: Path) -> None:
    suite = tmp_path / "mine.json"
    suite.write_text("{}")
    with pytest.raises(SettingsError, match=r"mine\.json.* is not a list of queries"):
        load_suite(suite)


def test_a_query_that_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    suite, good = tmp_path / "mine.json", {"query": "sum", "relevant": ["a.py"]}
    suite.write_text(json.dumps([good, {**good, "query": " "}]))
    with pytest.raises(SettingsError, match=r"query 2 of '.*mine\.json' is empty"):
        load_suite(suite)
    suite.write_text(json.dumps([{**good, "relevent": ["a.py"]}]))
    with pytest.raises(
        SettingsError, match=r"query 1 of .* has 'relevent'; expected one of: query"
    ):
        load_suite(suite)


def test_answers_that_are_not_there_are_named(tmp_path: Path) -> None:
    tree, suite = tmp_path / "tree", tmp_path / "mine.json"
    tree.mkdir()
    (tree / "totals.py").write_text("def sum_up(rows):\n    return 1\n")
    beyond = {"path": "totals.py", "start_line": 2, "end_line": 9}
    there = {"path": "totals.py", "start_line": 1, "end_line": 2}
    answers_of = (["totals.py", there], ["gone.py"], [beyond])
    cases = [{"query": "sum_up", "relevant": relevant} for relevant in answers_of]
    suite.write_text(json.dumps([{**cases[0], "category": "name"}, *cases[1:]]))
    notes = [
        f"query 2 of '{suite}': no indexed file is 'gone.py'",
        f"query 3 of '{suite}': 'totals.py' has 2 lines, no line 9",
    ]
    command = ("eval", str(suite), "--corpora", str(tree))
    report = json.loads(packhound(tmp_path, *command, "--json").stdout)
    assert report["notes"] == notes
    assert {*report["category"]} == {"name", "none"}
    printed = packhound(tmp_path, *command).stdout.splitlines()
    assert printed[:2] == [f"note: {note}" for note in notes]


def test_what_each_part_is_worth(tmp_path: Path) -> None:
    @contextmanager
    def opened(root: Path):
        yield lambda query: ablate(snapshot(), query, environment())

    cases = [
        Case(text, (Target(path),), "", repository, "", ".")
        for text, path, repository in (
            ("Session", "shop/session.py", "first"),
            ("form validation errors", "shop/validation.py", "second"),
        )
    ]
    answered = answers(cases, tmp_path, opened)
    scored = [(case, judge_parts(case, hits)) for case, hits in answered]
    assert [scores[BASELINE]["ndcg"] for _, scores in scored] == [1, 1]
    lost = losses(scored)
    assert BASELINE not in lost
    assert {"source: words", "source: meaning", "stage: one node per file first"} <= lost.keys()
    assert list(lost) == sorted(lost, key=lambda part: -lost[part]["ndcg"])


def test_losses_are_means_over_repositories() -> None:
    def case(repository: str) -> Case:
        return Case("", (), "", repository, "", ".")

    scored = [
        (case("a"), {BASELINE: {"ndcg": 1.0}, "signal: x": {"ndcg": 0.5}}),
        (case("a"), {BASELINE: {"ndcg": 1.0}}),
        (
            case("b"),
            {BASELINE: {"ndcg": 0.5}, "signal: x": {"ndcg": 0.75}, "signal: y": {"ndcg": 0.0}},
        ),
    ]
    assert losses(scored) == {"signal: y": {"ndcg": 0.25}, "signal: x": {"ndcg": 0.0}}


def test_a_query_says_where_the_user_is_and_the_loss_without_that_is_known(tmp_path: Path) -> None:
    trees = tmp_path / "trees"
    for folder, word in (("basket", "sum"), ("cellar", "sum")):
        (trees / folder).mkdir(parents=True)
        (trees / folder / f"{folder}_totals.py").write_text(f"def {word}_up(rows):\n    return 1\n")
    page = "from cellar.cellar_totals import sum_up\n\n\ndef show(rows):\n    return sum_up(rows)\n"
    (trees / "page.py").write_text(page)
    suite = tmp_path / "mine.json"
    case = {"query": "sum_up", "relevant": ["cellar/cellar_totals.py"], "focus": "page.py"}
    suite.write_text(json.dumps([case]))
    command = ("eval", str(suite), "--corpora", str(trees), "--ablate", "--json")
    done = packhound(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["all"]["all"]["hit@1"]["mean"] == 1
    for part in ("stage: the focus", "source: the graph around the focus"):
        assert report["ablation"][part]["ndcg"] > 0
    suite.write_text(json.dumps([{**case, "focus": ""}]))
    report = json.loads(packhound(tmp_path, *command).stdout)
    assert report["all"]["all"]["hit@1"]["mean"] == 0
    assert not {"stage: the focus", "source: the graph around the focus"} & {*report["ablation"]}
