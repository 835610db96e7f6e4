from __future__ import annotations

import pytest

from packhound.core.types import Query
from packhound.search.pipeline import search
from packhound.search.query.bug_report import code_of, content_of
from packhound.search.query.mentions import frames_of, mentions_of
from packhound.search.query.parse import parse_query
from tests.support.shop import environment, snapshot

REPORT = """\
The session forgets what a visitor did

After a redirect to another host the values are gone:

```python
session = Session(store)
session.load(cookie)
```

    assert session.values

    pip==21.0
    numpy    1.2.3

- Python version: 3.9
"""


def test_code_is_what_is_fenced_or_indented_without_versions() -> None:
    assert code_of(REPORT).split("\n") == [
        "session = Session(store)",
        "session.load(cookie)",
        "    assert session.values",
    ]
    assert code_of("No code here.\nOnly words.") == ""
    assert code_of("```\nnever closed") == "never closed"


@pytest.mark.parametrize(
    ("trace", "frames"),
    [
        (
            'Traceback (most recent call last):\n  File "a/run.py", line 3, in main\n    go()\n'
            '  File "a/go.py", line 9, in go\n    raise ValueError\nValueError',
            [("a/go.py", "go"), ("a/run.py", "main")],
        ),
        (
            "~/env/shop/session.py in load(self, cookie)\n----> 12 raise\n"
            "shop/store.py in get(key)\n",
            [("shop/store.py", "get"), ("~/env/shop/session.py", "load")],
        ),
        ("shop/session.py:12: in load\n    self.get()\n", [("shop/session.py", "load")]),
        ("File ~/shop/session.py:12, in load(self)\n", [("~/shop/session.py", "load")]),
        (
            "TypeError: no\n    at Basket.add (web/src/basket.ts:4:7)\n"
            "    at async main (web/src/main.ts:1:1)\n",
            [("web/src/basket.ts", "add"), ("web/src/main.ts", "main")],
        ),
        (
            "java.lang.Error\n\tat org.shop.Gateway.charge(Gateway.java:42)\n",
            [("Gateway.java", "charge")],
        ),
        ("lib/shop/till.rb:7:in `open'\n", [("lib/shop/till.rb", "open")]),
        ("lib/shop/till.rb:7:in 'Till#open!'\n", [("lib/shop/till.rb", "open!")]),
        ("no trace at all", []),
    ],
)
def test_traces_of_many_languages_innermost_first(
    trace: str, frames: list[tuple[str, str]]
) -> None:
    assert [(frame.path, frame.function) for frame in frames_of(trace)] == frames


def test_a_report_finds_the_function_whose_code_it_quotes() -> None:
    hits = search(snapshot(), Query(REPORT), environment()).hits
    assert hits[0].node.path == "shop/session.py"
    assert {"dense_title_file", "dense_code_node"} <= {reason.signal for reason in hits[0].why}


def test_a_method_that_a_report_names_with_its_class_has_a_reason_that_its_namesakes_lack() -> None:
    text = REPORT.replace("session.load(cookie)", "Session.load(cookie)")
    hits = search(snapshot(), Query(text, limit=50), environment()).hits
    owned = [h.node.qualname for h in hits if any(r.signal == "node_owned" for r in h.why)]
    assert owned == ["Session.load"]


TEMPLATE = """\
The session forgets its basket on OS X
<!-- Read CONTRIBUTING.md first.
Which version? -->
It does after `Session.load`.

### Environment info
- OS: Linux
shop: 3.2.1

```
numpy 1.2
```
### Steps to reproduce
```python
# the version of the environment
session.load()
```
python: 3.9.1
libxml: None
pip==21.0
numpy    1.2.3
Thanks!

**Versions**
Traceback (most recent call last):
"""


def test_of_a_report_its_template_and_versions_do_not_count() -> None:
    assert [line for line in content_of(TEMPLATE).split("\n") if line] == [
        "The session forgets its basket on OS X",
        "It does after `Session.load`.",
        "```python",
        "# the version of the environment",
        "session.load()",
        "```",
        "Thanks!",
        "Traceback (most recent call last):",
    ]
    short = "what reads <!-- comments --> of\n### Versions\n1.2?"
    assert content_of(short) == short
    unclosed = "a\nb\nc\nd\nmore <!-- of\nit -- never ends"
    assert "never ends" in content_of(unclosed)


FORM = """\
### Is there an existing issue for this?

- [X] I have searched the existing issues

### What happened?
{said}

### Relevant log output

```shell
Collecting shop
  Downloading shop-3.2.1-py3-none-any.whl (62 kB)
Requirement already satisfied: cart>=1.0 in /usr/lib
Successfully installed shop-3.2.1
KeyError: 'visitor'
```
* **Python version**: 3.11.4
| OS | Ubuntu 22.04 |
Python 3.9.1 (default)

### Anything else?
_No response_

### Code of Conduct
- [X] I agree to follow the rules of the shop
"""


def test_of_an_issue_form_what_somebody_wrote_is_left() -> None:
    said = "Python 3.12 forgets the basket.\nShell: the prompt hangs"
    content = content_of(FORM.format(said=said))
    assert [line for line in content.split("\n") if line] == [
        "Python 3.12 forgets the basket.",
        "Shell: the prompt hangs",
        "```shell",
        "KeyError: 'visitor'",
        "```",
    ]
    assert parse_query(Query(FORM.format(said=said))).title == "Python 3.12 forgets the basket."
    nothing = FORM.format(said="").replace("KeyError: 'visitor'\n", "")
    assert content_of(nothing).strip()


@pytest.mark.parametrize("said", ["The session forgets its values", "charging a card fails"])
def test_an_issue_form_finds_what_its_sentence_finds(said: str) -> None:
    # Lines enough for a report, so that both are ranked by the weights of reports.
    plain = f"{said}\n\n```shell\nKeyError: 'visitor'\n```\n"
    form, sentence = (
        search(snapshot(), Query(text), environment()).hits
        for text in (FORM.format(said=said), plain)
    )
    assert [hit.node.qualname for hit in form] == [hit.node.qualname for hit in sentence]


def test_names_with_an_owner_count_even_if_they_are_common_words() -> None:
    report = "shop.where loses keys\n\nCalling `shop.where(x)`\nor `other` for\nall of it\nfails."
    names = parse_query(Query(report)).names
    assert names[0] == "where"
    assert "other" not in names


def test_links_to_lines_of_code_mention_them() -> None:
    text = "See https://github.com/a/shop/blob/main/shop/session.py#L4-L9 and shop/till.py#L7."
    assert [(m.kind, m.path.rpartition("/shop/")[2], m.lines) for m in mentions_of(text)] == [
        ("line", "session.py", (3, 8)),
        ("line", "shop/till.py", (6, 6)),
    ]
