"""Tokens of packs and of answers to agents: counted by folder and day, and deleted with notes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from packhound.llm import counter_for
from packhound.service.token_counts import FILE, TokenCounts
from tests.support.agent import Agent, kill_engine
from tests.support.command_line import make_house, packhound


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    return make_house(tmp_path / "house")


def costs(tmp_path: Path, house: Path, *options: str) -> list[str]:
    done = packhound(tmp_path, "status", "--costs", "--root", str(house), *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_packs_and_answers_to_agents_are_counted_with_their_price(
    tmp_path: Path, house: Path
) -> None:
    assert costs(tmp_path, house)[-1] == "packs and answers to agents: 0 tokens in 0 answers"
    done = packhound(tmp_path, "pack", "open the door", "--root", str(house))
    n_tokens = int(done.stderr.split()[0])
    packhound(tmp_path, "search", "open_door", "--root", str(house))  # A person reads this.
    agent = Agent(tmp_path / "cache", house)
    n_tokens += counter_for().count(agent.tool("search", query="roof"))
    agent.close()
    kill_engine(tmp_path / "cache")
    first, day, total = costs(tmp_path, house, "--set", "pack.model=gpt-4o")[-3:]
    assert first == f"{house}:"
    assert day.split()[0] == datetime.now().astimezone().date().isoformat()
    counted = f"{n_tokens:,} tokens in 2 answers, $0.00 for gpt-4o"
    assert day.endswith(counted) and total == f"packs and answers to agents: {counted}"


def test_clearing_everything_forgets_them_and_clearing_the_index_does_not(
    tmp_path: Path, house: Path
) -> None:
    packhound(tmp_path, "pack", "open the door", "--root", str(house))
    packhound(tmp_path, "clear", "--root", str(house))
    assert costs(tmp_path, house)[-1].endswith("in 1 answers")
    packhound(tmp_path, "clear", "--everything", "--yes", "--root", str(house))
    assert not list((tmp_path / "data").rglob(FILE))


def test_no_count_of_many_at_once_is_lost_and_a_year_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "of a folder"
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: TokenCounts(folder).add(n), range(100)))
    ((day, count),) = TokenCounts(folder).days().items()
    assert count == (100, sum(range(100)))
    days = {f"2020-{n // 28 + 1:02}-{n % 28 + 1:02}": [1, 1] for n in range(330)}
    days |= {f"2021-{n // 28 + 1:02}-{n % 28 + 1:02}": [1, 1] for n in range(330)}
    (folder / FILE).write_text(str(days).replace("'", '"'))
    TokenCounts(folder).add(7)
    kept = TokenCounts(folder).days()
    assert len(kept) == 366 and max(kept) == day and kept[day] == (1, 7)


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"2026-01-01": 3}', '{"2026-01-01": ["a", 1]}']
)
def test_a_broken_table_counts_from_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    assert TokenCounts(tmp_path).days() == {}
    TokenCounts(tmp_path).add(5)
    assert [*TokenCounts(tmp_path).days().values()] == [(1, 5)]
