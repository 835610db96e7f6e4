"""Graded answers: which hits match, what they score, and how a suite of them is read."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import Hit, NodeId, NodeRef, Span
from packhound.evaluation.cases import Answer, Case
from packhound.evaluation.score import judge, summarize
from packhound.evaluation.suite import load_suite
from tests.support.command_line import packhound

GRADED = Path(__file__).parents[2] / "fixtures" / "graded"
PROMPTS = Path(__file__).parents[2] / "benchmarks" / "packs" / "prompts"


def hit(path: str, name: str, start: int, end: int) -> Hit:
    """Return a hit on 1-based lines."""
    span = Span(0, 0, start - 1, end - 1)
    node = NodeRef("", path, "", "function", name, name, "", "", span, 0, NodeId(-1))
    return Hit(node, 1, 0.0, ())


def case(*answers: Answer, root: str = "") -> Case:
    return Case("q", (), "a", "house", "python", "house", answers=answers, root=root)


@pytest.mark.parametrize(
    ("hit", "matches"),
    [
        (hit("door.py", "other", 11, 20), True),
        (hit("door.py", "other", 1, 20), True),
        (hit("door.py", "other", 1, 21), False),
        (hit("door.py", "unlock", 20, 90), True),
        (hit("door.py", "unlock", 21, 90), False),
        (hit("src/door.py", "unlock", 11, 20), False),
    ],
)
def test_a_hit_matches_by_overlap_or_by_name(hit: Hit, matches: bool) -> None:
    for name in ("Door.unlock", "Door::unlock", "Door#unlock", "Door:unlock()", "unlock"):
        outcome = judge(case(Answer("door.py", name, 11, 20, 3)), [hit], 1.0)
        assert outcome.scores["s@1"] == matches
        assert outcome.rank == (1 if matches else None)


def test_paths_of_answers_are_relative_to_the_repository() -> None:
    answer = Answer("src/door.py", "unlock", 1, 2, 3)
    assert judge(case(answer, root="src"), [hit("door.py", "unlock", 1, 2)], 1.0).rank == 1
    assert judge(case(answer), [hit("door.py", "unlock", 1, 2)], 1.0).rank is None


def test_an_answer_counts_once_at_its_first_match() -> None:
    answers = [Answer("a.py", "f", 1, 9, 1), Answer("a.py", "g", 20, 29, 3)]
    answers.append(Answer("b.py", "h", 1, 9, 3))
    hits = [hit("a.py", "f", 1, 9), hit("a.py", "f", 1, 9), hit("a.py", "g", 20, 29)]
    scores = judge(case(*answers), hits, 1.0).scores
    ideal = 7 + 7 / math.log2(3) + 1 / 2
    assert scores["ndcg"] == pytest.approx((1 + 7 / 2) / ideal)
    assert (scores["s@1"], scores["s@5"], scores["r3@10"]) == (0, 1, 0.5)
    assert (scores["p@5"], scores["p@10"]) == (2 / 5, 2 / 10)


def test_only_ten_ranks_count_for_gains() -> None:
    answer = Answer("a.py", "f", 1, 9, 3)
    others = [hit("b.py", f"g{n}", 1, 9) for n in range(10)]
    scores = judge(case(answer), [*others, hit("a.py", "f", 1, 9)], 1.0).scores
    assert scores == {"ndcg": 0, "s@1": 0, "s@5": 0, "p@5": 0, "p@10": 0, "r3@10": 0}
    assert "r3@10" not in judge(case(Answer("a.py", "f", 1, 9, 2)), [], 1.0).scores


def test_a_suite_is_recognised_by_its_content(tmp_path: Path) -> None:
    cases = load_suite(GRADED / "suite")
    assert [(c.category, c.language, c.repository, c.folder) for c in cases] == [
        ("a", "python", "house", "house/src"),
        ("d", "python", "house", "house/src"),
        ("d", "python", "house", "house/src"),
    ]
    assert load_suite(GRADED / "suite" / "house.jsonl") == cases
    shutil.copy(GRADED / "suite" / "house.jsonl", tmp_path / "barn.jsonl")
    assert load_suite(tmp_path) == cases


def test_the_kind_of_a_prompt_is_its_intention() -> None:
    cases = load_suite(PROMPTS)
    texts = [file.read_text("utf-8") for file in PROMPTS.glob("*.jsonl")]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    assert Counter(row["intention"] for row in rows) == Counter(case.category for case in cases)
    assert set(Counter(case.category for case in cases).values()) == {10}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"repo": "house", "kind": "a", "answers": []}', "line 1 .* list of answers"),
        ('{"answers": [{"path": "a.py"}]}', "line 1 .* 'name'"),
        ("[]", "line 1"),
        ("{", "line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "house.jsonl").write_text(line)
    with pytest.raises(SettingsError, match=message):
        load_suite(tmp_path)


def test_intervals_are_over_queries() -> None:
    good, bad = Answer("a.py", "f", 1, 9, 3), Answer("b.py", "f", 1, 9, 3)
    outcomes = [judge(case(answer), [hit("a.py", "f", 1, 9)], 1.0) for answer in [good] * 3 + [bad]]
    figure = summarize(outcomes)["all"]["ndcg"]
    assert (figure.mean, figure.low, figure.high, figure.n) == (0.75, 0.25, 1.0, 4)


def test_the_command_scores_a_folder_of_graded_answers(tmp_path: Path) -> None:
    command = ("eval", str(GRADED / "suite"), "--corpora", str(GRADED / "corpora"))
    done = packhound(tmp_path, *command, "--json")
    figures = json.loads(done.stdout)
    assert list(figures) == ["all", "kind", "language", "repository", "took_ms", "notes"]
    assert 0 < figures["took_ms"]["p50"] <= figures["took_ms"]["p95"]
    assert list(figures["kind"]) == ["a", "d"]
    overall = figures["all"]["all"]
    assert list(overall) == ["ndcg", "s@1", "s@5", "p@5", "p@10", "r3@10"]
    assert overall["s@1"]["mean"] == pytest.approx(2 / 3)
    assert 0 < overall["ndcg"]["low"] < overall["ndcg"]["mean"] < overall["ndcg"]["high"] == 1
    table = packhound(tmp_path, *command, "--by", "kind").stdout
    note, head, *_, last = table.splitlines()
    assert note.endswith("house.jsonl': no indexed file is 'src/cellar.py'")
    assert head.split() == ["kind", "n", *overall]
    assert "searches took" in last
