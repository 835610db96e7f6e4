"""The project's own name in a question is not looked for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest

from packhound.core.types import Document, Query
from packhound.index.snapshot import Snapshot
from packhound.index.writer import Index
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse
from packhound.search import pipeline
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import explain, search
from packhound.search.query.parse import ParsedQuery
from tests.support.shop import embedder

ROOT = "/home/me/ferret-lib/src/core"
FILES = {
    "ferret.py": "def ferret_open():\n    return ferret_new()\n",
    "dns.py": "def ferret_resolve(host):\n    return ferret_lookup(host)\n",
    "retry.py": "def ferret_retry(request):\n    return ferret_again(request)\n",
    "core.py": "def wait(seconds):\n    return sleep(seconds)\n",
}


@lru_cache(maxsize=1)
def snapshot() -> Snapshot:
    index = Index(embedder())
    documents = [Document(path, text.encode()) for path, text in FILES.items()]
    index.replace([analyse(d, parse(d)) for d in documents], {})
    return index.publish()


def parsed_in(root: str, query: Query) -> ParsedQuery:
    return pipeline.parse(snapshot(), query, SearchEnvironment(root))


def test_a_question_that_names_the_project_is_answered_as_without_the_name() -> None:
    named, plain = (
        search(snapshot(), Query(text), SearchEnvironment(ROOT, embedder()))
        for text in ("how ferret resolves a host", "how resolves a host")
    )
    assert [hit.score for hit in named.hits] == [hit.score for hit in plain.hits]
    assert named.hits[0].node.path == "dns.py"
    assert named.query == "how ferret resolves a host"
    assert named.notes == ("searched without 'ferret', which is all over this project",)
    assert plain.notes == ()
    node_id = named.hits[0].node.node_id
    again = explain(snapshot(), Query(named.query), node_id, SearchEnvironment(ROOT, embedder()))
    assert again.why == named.hits[0].why


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("how Ferret's retries of a request work", "how retries of a request work"),
        ('"ferret" retries of ferret-lib requests', "retries of requests"),
        ("ferret: which host is looked up lang:python", "which host is looked up"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    parsed = parsed_in(ROOT, Query(text))
    assert parsed.text == left
    assert parsed.exact == (("ferret",) if '"' in text else ())
    assert parsed.languages == (("python",) if "lang:" in text else ())


@pytest.mark.parametrize(
    "text",
    [
        "ferret",
        "Ferret::open",
        "how does ferret work",
        "how core code waits",
        "the retry of ferret_open",
        "ferret fails\n\nwhen\na ferret is opened\nferret is not found\n",
    ],
)
def test_other_queries_are_read_as_they_are(text: str) -> None:
    as_it_is = parsed_in("", Query(text))
    assert parsed_in(ROOT, Query(text)) == as_it_is
    assert as_it_is.text.split() == text.split()


def test_a_path_of_another_project_takes_nothing_away() -> None:
    query = Query("how ferret resolves a host")
    assert parsed_in("/home/me/badger", query).text == query.text
    windows = parsed_in("C:\\code\\Ferret", query)
    assert windows.text == "how resolves a host"
    assert parsed_in(ROOT, replace(query, text="")).text == ""


def test_a_stop_word_in_the_path_is_no_name() -> None:
    parsed = parsed_in("/home/what_a_day/ferret_open", Query("send a request again"))
    assert parsed.text == "send a request again"
    assert not parsed.notes
