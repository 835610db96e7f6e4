"""Packs: what goes in, that it fits, that it is the same each time, and that nothing escapes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packhound.core.errors import Cancelled
from packhound.llm.counter import counter_for
from packhound.pack.conversations import Conversations
from packhound.pack.gather import gather
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pipeline import pack
from packhound.pack.render import Block, render
from packhound.pack.request import FORMATS, PackFocus, PackRequest
from packhound.redact.control_characters import visible
from packhound.search.query.mentions import frames_of, mentions_of
from tests.support.operations import pack_json
from tests.support.pack_check import SHOP, context_of
from tests.support.release import size

GOLDEN = Path(__file__).parents[1] / "golden" / "packs"
COUNT = counter_for().count


@pytest.fixture(scope="module")
def shop():
    return context_of(SHOP)


CHANGED = "changed and not committed"


def summary(result) -> list[str]:
    return [f"{item.path}:{item.start_line + 1} {item.detail}" for item in result.items]


GOLDENS = {
    "small": PackRequest("the total of a cart is wrong when there is a discount", 260),
    "roomy": PackRequest("the total of a cart is wrong when there is a discount", 2_000),
    "trace": PackRequest(
        'Traceback:\n  File "/srv/shop/prices.py", line 14, in parse_price\n'
        "    return int(euros) * 100\nValueError: invalid literal",
        300,
    ),
    "pinned": PackRequest("receipt", 400, pinned=("shop/stock.py:11-13",), excluded=("*/cart.py",)),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", GOLDENS)
def test_golden_packs(shop, name, form, update_golden):
    packed = pack(shop, replace(GOLDENS[name], format=form))
    answer = {**pack_json(packed), "text": ""}
    assert answer.pop("cost") is None
    for item in answer["items"]:
        assert item.pop("origins")
    text = json.dumps(answer, indent=1) + "\n\n" + packed.text
    file = GOLDEN / f"{name}.{form}.txt"
    if update_golden:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


def test_the_object_has_exactly_its_keys(shop):
    answer = pack_json(pack(shop, PackRequest("cart total", 300)))
    keys = ["tokens", "budget", "items", "omitted", "text", "notes", "complete"]
    keys += ["confidence", "confidence_word", "cost"]
    assert list(answer) == keys
    assert list(answer["items"][0]) == [
        *("path", "start_line", "end_line", "detail", "tokens", "score", "reason"),
        *("names", "origins"),
    ]
    assert list(answer["omitted"][0]) == ["path", "name", "reason"]


def test_what_a_body_uses_comes_along(shop):
    packed = pack(shop, PackRequest("Cart.total discount price_of", 600))
    used = [item.reason for item in packed.items if item.path == "shop/prices.py"]
    assert any("used by Cart.total" in reason for reason in used)


def test_a_stack_frame_brings_its_function(shop):
    packed = pack(shop, GOLDENS["trace"])
    assert any(
        "stack frame" in item.reason and item.start_line <= 11 <= item.end_line
        for item in packed.items
    )


def test_secrets_are_gone_before_they_are_counted(shop):
    packed = pack(shop, PackRequest("letters to customers TOKEN receipt", 800))
    assert "[REDACTED:github-token]" in packed.text and "ghp_0123" not in packed.text
    assert any("redacted" in note for note in packed.notes)


def test_a_secret_in_a_heading_is_in_nothing_that_a_pack_says():
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    notes = "".join(f"## Upload {i} with {key}\n\nupload file {i}, deploy it\n" for i in range(40))
    packed = pack(
        context_of({"notes.md": f"# Deploy\n\n{notes}"}), PackRequest("deploy, upload", 200)
    )
    answer = json.dumps(pack_json(packed))
    assert any("[REDACTED:aws-access-key]" in omission.name for omission in packed.omitted)
    assert key not in answer


def test_pinned_comes_first_and_excluded_never(shop):
    packed = pack(shop, GOLDENS["pinned"])
    assert packed.items[0].path == "shop/stock.py" and "pinned" in packed.items[0].reason
    assert not any(item.path == "shop/cart.py" for item in packed.items)
    assert any(omission.reason == "excluded by the request" for omission in packed.omitted)


def test_pinned_lines_without_a_definition_are_shown_or_named(shop):
    above = "".join(f"import module_{number}\n" for number in range(4))
    context = context_of(
        {"a.py": f"{above}\n\ndef deliver(box):\n" + "    box += 1\n" * 200, "b.py": "X = 1\n"}
    )
    packed = pack(context, PackRequest("parcel", 400, pinned=("a.py:1-2",)))
    assert "import module_0" in packed.text
    packed = pack(context, PackRequest("parcel", 400, pinned=("a.py:950-900",)))
    assert "pinned 'a.py:900-950' has no code there, so it is ignored" in packed.notes


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("tests", {"src/cart.py", "src/deep/inner.py"}),
        ("src/*.py", {"src/deep/inner.py", "tests/test_cart.py"}),
        ("src", {"tests/test_cart.py"}),
    ],
)
def test_an_excluded_glob_means_what_it_means_in_an_ignore_file(glob, paths):
    files = ("src/cart.py", "src/deep/inner.py", "tests/test_cart.py")
    context = context_of({path: "def load_the_cart():\n    return 1\n" for path in files})
    packed = pack(context, PackRequest("load the cart", 2_000, excluded=(glob,)))
    assert {item.path for item in packed.items} == paths


def test_items_of_a_file_do_not_overlap(shop):
    for budget in range(100, 2_000, 150):
        packed = pack(shop, PackRequest("cart stock price total discount deliver", budget))
        assert packed.items
        for path in {item.path for item in packed.items}:
            spans = sorted((i.start_line, i.end_line) for i in packed.items if i.path == path)
            assert all(a[1] < b[0] for a, b in pairwise(spans)), spans


def test_a_conversation_repeats_nothing_that_did_not_change():
    memory = Conversations()
    request = PackRequest("cart total discount", 700, conversation="a")
    first = pack(context_of(SHOP, memory), request)
    second = pack(context_of(SHOP, memory), request)
    assert "def total" in first.text and "def total" not in second.text
    assert "Sent before and unchanged: " in second.text
    assert any("sent before" in omission.reason for omission in second.omitted)
    edited = {**SHOP, "shop/cart.py": SHOP["shop/cart.py"].replace("full // 10", "full // 5")}
    third = pack(context_of(edited, memory), request)
    assert "full // 5" in third.text and "def total" not in third.text
    assert "def total" in pack(context_of(SHOP, memory), replace(request, conversation="b")).text


def test_changed_lines_near_the_topic_come_first():
    changed = {"shop/prices.py": ((7, 7),)}
    context = context_of(SHOP, changed=lambda path: changed.get(path, ()))
    packed = pack(context, PackRequest("cart total discount price_of", 600))
    assert packed.items[0].path == "shop/prices.py"
    assert any("changed and not committed" in item.reason for item in packed.items)


def test_a_name_that_speaks_of_changes_is_not_a_change():
    renamed = {path: text.replace("discount", "unchanged") for path, text in SHOP.items()}
    packed = pack(context_of(renamed), PackRequest("price_of parse_price unchanged", 900))
    best = max(packed.items, key=lambda item: item.score)
    assert packed.items[0].path == best.path


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("review my uncommitted changes", True),
        ("Please review all of my changes", True),
        ("write a commit message for these changes", True),
        ("what did I just change?", True),
        ("look at my diff", True),
        ("are the unsaved edits right", True),
        ("test my current changes", True),
        ("why do the pending requests fail when the configuration changes", False),
        ("the cart forgets its total when the local variable changes", False),
        ("explain the changes of version 2", False),
        ("what did the discount change", False),
    ],
)
def test_a_prompt_about_all_changes_gets_them_alone(prompt: str, asks: bool):
    changed = {"shop/prices.py": ((7, 7),)}
    packed = pack(context_of(SHOP, all_changed=lambda: changed), PackRequest(prompt, 900))
    assert (CHANGED in (packed.items[0].reason if packed.items else "")) is asks


RUST = {
    "src/lib.rs": """
pub struct Invoice { pub total: u64 }

/// Adds the tax of an invoice.
pub fn add_tax(invoice: &mut Invoice) {
    invoice.total = invoice.total * 6 / 5;
}

#[cfg(test)]
mod tests {
    #[test]
    fn add_tax_of_an_invoice() {
        let mut invoice = Invoice { total: 10 };
        add_tax(&mut invoice);
        assert_eq!(invoice.total, 12);
    }
}
"""
}


def test_tests_come_after_what_they_test_unless_they_are_the_topic():
    def utility(prompt):
        actual = gather(context_of(RUST), PackRequest(prompt)).by_node_id.values()
        return next(c.utility for c in actual if c.node.qualname == "tests::add_tax_of_an_invoice")

    assert utility("add tax of invoice") < 0.8 * utility("test: add tax of invoice")


def test_what_everyone_uses_says_little():
    users = "".join(f"def step_{n}():\n    log('x')\n\n\n" for n in range(200))
    files = {
        "log.py": "def log(text):\n    print(text)\n",
        "rare.py": "def seldom(text):\n    return text\n",
        "work.py": "from log import log\nfrom rare import seldom\n\n\n"
        "def total_of_cart():\n    log('a')\n    seldom('b')\n",
        "many.py": f"from log import log\n\n\n{users}",
    }
    packed = pack(context_of(files), PackRequest("total_of_cart", 2_000))
    scores = {item.path: item.score for item in packed.items}
    assert scores["rare.py"] > 2 * scores["log.py"]


def test_reasons_of_a_pack_name_no_signal():
    packed = pack(context_of(SHOP), PackRequest("cart total", 300))
    reasons = " ".join(part.reason for part in (*packed.items, *packed.omitted))
    assert "hit 1 (words)" in reasons and "node_words" not in reasons


def test_open_files_count_a_little_more():
    focus = PackFocus("shop/mail.py", open_paths=("shop/stock.py",))
    packed = pack(context_of(SHOP), PackRequest("deliver available cart", 900, focus=focus))
    reasons = {item.path: item.reason for item in packed.items}
    assert "in an open file" in reasons["shop/stock.py"]
    assert "in an open file" not in reasons["shop/cart.py"]


def test_a_file_that_changed_since_is_left_out_and_said():
    context = replace(context_of(SHOP), source=lambda path: None)
    packed = pack(context, PackRequest("cart total", 500))
    assert packed.items == () and packed.text == ""
    assert {omission.reason for omission in packed.omitted} == {
        "the file has changed since it was indexed"
    }


def test_the_selection_and_a_reserve(shop):
    focus = PackFocus("shop/mail.py", 7, selection=(6, 9))
    packed = pack(shop, PackRequest("total", 500, reserve=200, focus=focus))
    assert packed.tokens <= 300 and "selected" in packed.items[0].reason


def test_cost_and_model(shop):
    packed = pack(shop, PackRequest("total", 500, model="gpt-4o"))
    assert any("USD" in note for note in packed.notes)


def test_cancelled(shop):
    import threading

    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        pack(replace(shop, cancel=stop), PackRequest("total"))


odd = st.text(
    alphabet=st.sampled_from("abc_ (){}`~<>/\n\r\t\x0c\x1b\u202e\u200b\u2028日😀é\ud800\"'&]")
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(odd, odd, st.integers(-5, 400), st.sampled_from(FORMATS))
def test_no_input_exceeds_the_budget(shop, prompt, body, budget, form):
    files = {"a.py": f"def abc_abc():\n    x = '''{body}'''\n", "b.md": f"# abc\n\n{body}\n"}
    source = files["a.py"].encode("utf-8", "surrogatepass")
    changed = replace(
        shop, source=lambda path: source if path == "shop/cart.py" else shop.source(path)
    )
    for context in (shop, changed):
        request = PackRequest(f"cart total {prompt}", budget, format=form)
        packed = pack(context, request)
        assert packed.tokens <= max(0, budget)
        assert packed.tokens == COUNT(packed.text)
        assert pack(context, request) == packed


@settings(max_examples=size(300))
@given(st.lists(odd, min_size=1, max_size=4), odd)
def test_content_never_ends_its_fence(lines, path):
    texts = tuple(visible(line).replace("\n", " ") for line in lines)
    block = Block(path or "x", "python", 1, tuple(range(len(texts))), texts)
    text = render([block, block], [], "markdown")
    headings = [line for line in text.split("\n") if line.startswith("### ")]
    assert len(headings) == 2 + sum(line.startswith("### ") for line in texts + texts)
    fences = re.findall(r"(?m)^(`{3,})(?:python)?$", text)
    longest = max(map(len, fences))
    opening = [fence for fence in fences if len(fence) == longest]
    assert len(opening) == 4
    assert all(len(run) < longest for line in texts for run in re.findall("`+", line))
    marked = render([block, block], [], "xml")
    tag = re.match(r"<(code-[0-9a-f]+) ", marked)[1]
    assert marked.count(f"</{tag}>") == 2 and marked.count(f"<{tag} ") == 2
    assert len(json.loads(render([block, block], [], "json"))["files"]) == 2


def test_ten_thousand_forgeries_of_the_tag():
    import random

    draw = random.Random(3)
    for _ in range(10_000):
        line = "".join(
            draw.choice(["</code-", "a1", "0f", ">", "`" * 4, "<code-", " ", "\\"])
            for _ in range(8)
        )
        block = Block("x", "", 1, (0,), (line,))
        marked = render([block], [], "xml")
        tag = re.match(r"<(code-[0-9a-f]+) ", marked)[1]
        assert tag not in line and marked.rstrip().endswith(f"</{tag}>")


def test_hidden_characters_are_shown():
    assert visible("a\u202eb\u200b\x1b[31m\U000e0041") == "a<U+202E>b<U+200B><U+001B>[31m<U+E0041>"
    assert visible("é日😀\tx") == "é日😀\tx"


TRACES = {
    "java": "Error: 1\n\tat shop.Cart.total({0}.java:2)\n\tat shop.Main.main({1}.java:2)\n",
    "javascript": "Error: 1\n    at total (src/{0}.js:2:5)\n    at async run (src/{1}.js:2:5)\n",
    "ruby": "lib/{0}.rb:2:in 'total' (Error)\n\tfrom lib/{1}.rb:2:in 'run'\n",
    "go": "panic: 1\n\nmain.total(0x1)\n\t/go/{0}.go:2 +0x1\nmain.main()\n\t/go/{1}.go:2\n",
    "rust": "   2: shop::total\n     at ./{0}.rs:2:5\n   3: shop::main\n     at ./{1}.rs:2:5\n",
    "module script": "Error: 1\n    at src/{0}.js:2:5\n    at async file:///src/{1}.js:2:5\n",
    "dotnet": "  at Shop.Cart.Total(Int32 n) in C:\\shop\\{0}.cs:line 2\n"
    "  at Shop.Main.Run() in C:\\shop\\{1}.cs:line 2\n",
    "php": "#0 /srv/{0}.php(2): total(1)\n#1 /srv/{1}.php(2): run()\n#2 {{main}}\n",
    "gdb": "#0  total (n=1) at {0}.c:2\n#1  0x0000aa in run (n=1) at {1}.c:2\n",
    "sanitizer": "    #0 0xaa in shop::total(int) /srv/{0}.c:2:5\n"
    "    #1 0xab in shop::run() /srv/{1}.c:2:5\n",
    "python": 'File "{1}.py", line 2, in main\n  total()\nFile "{0}.py", line 2, in total\n',
    "pytest": "{1}.py:2: in test_main\n    total()\n{0}.py:2: in total\n    1\n",
}
SOURCES = {
    "java": "class Shop {\n  int total() { return 1; }\n}\n",
    "js": "// shop\nfunction total() { return 1 }\n",
    "rb": "# shop\ndef total() 1 end\n",
    "go": "package main\nfunc total() int { return 1 }\n",
    "rs": "// shop\nfn total() -> u8 { 1 }\n",
    "cs": "class Shop {\n  int Total(int n) { return n; }\n}\n",
    "php": "<?php\nfunction total($n) { return $n; }\n",
    "c": "// shop\nint total(int n) { return n; }\n",
    "py": "# shop\ndef total(): return 1\n",
}


@pytest.mark.parametrize("language", TRACES)
def test_the_innermost_frame_counts_most_in_every_language(language):
    trace = TRACES[language].format("Inner", "Outer")
    suffix = next(suffix for suffix in SOURCES if f".{suffix}" in trace)
    context = context_of({f"{name}.{suffix}": SOURCES[suffix] for name in ("Inner", "Outer")})
    ranked = gather(context, PackRequest(trace)).by_rank()
    framed = [c for c in ranked if any("stack frame" in reason for reason in c.reasons)]
    assert [c.path.split(".")[0] for c in framed][:2] == ["Inner", "Outer"]
    assert framed[0].utility > framed[1].utility


def test_the_last_of_several_traces_comes_first():
    java = (
        "java.lang.Error: outer\n\tat a.Web.serve(Web.java:3)\n\tat a.Main.main(Main.java:1)\n"
        "Caused by: java.lang.Error: inner\n\tat a.Cart.total(Cart.java:7)\n"
        "\tat java.lang.Native.call(Native Method)\n\tat a.Web.go(Web.java:9)\n\t... 1 more\n"
    )
    frames = [(frame.function, frame.line) for frame in frames_of(java)]
    assert frames == [("total", 6), ("go", 8), ("serve", 2), ("main", 0)]


def test_a_quoted_diff_has_context_and_may_break_off():
    diff = (
        "+++ b/shop/a.py\n@@ -1,3 +1,4 @@\n x\n+y\n+++ z\n\n"
        '--- a/b.py\n+++ "b/\\303\\251.py"\n@@ -5,2 +5 @@\n'
        f"diff --git a/x b/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n+++ b/c.py\n@@ -{'9' * 5_000} +1 @@\n"
    )
    actual = [(m.path, m.lines) for m in mentions_of(diff) if m.kind == "diff"]
    # As its header has another old line, `--- a/b.py` is that line.
    assert actual == [("shop/a.py", (1, 2)), ("shop/a.py", (3, 3)), ("é.py", (4, 4))]


def test_the_values_of_a_pack_need_neither_graph_nor_index():
    code = "import sys, packhound.pack.request, packhound.pack.render; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not any(name.startswith(("packhound.graph", "packhound.index")) for name in loaded)


def test_prompts_name_places():
    prompt = (
        'File "/usr/lib/python3/site-packages/shop/cart.py", line 20, in add\n'
        "    at total (src/app.ts:12:5)\nsee ./docs/guide.md and main.go:7\n"
        "--- a/old.py\n"
        "+++ b/shop/prices.py\n@@ -1,2 +13,4 @@\n"
    )
    actual = {(m.kind, m.path, m.lines) for m in mentions_of(prompt)}
    assert ("stack frame", "/usr/lib/python3/site-packages/shop/cart.py", (19, 19)) in actual
    assert ("stack frame", "src/app.ts", (11, 11)) in actual
    assert ("diff", "shop/prices.py", (12, 15)) in actual
    assert ("path", "./docs/guide.md", None) in actual
    assert ("line", "main.go", (6, 6)) in actual
    paths = ["shop/cart.py", "web/cart.py", "a/x.py", "b/x.py", "c/x.py", "d/x.py"]
    files = PathResolver(lambda name: [path for path in paths if path.endswith(f"/{name}")])
    assert files.resolve("/usr/lib/python3/site-packages/shop/cart.py") == ("shop/cart.py",)
    assert files.resolve("x.py") == ()
    assert files.resolve("../../etc/passwd") == ()


_BODY = "\n".join(f"        step_{n} = prepare({n}, {n * 7})" for n in range(60))
_LONG = f'''
class Importer:
    """Reads files of customers."""

    def run(self, rows):
{_BODY}
        for row in rows:
            if row.is_damaged:
                raise ValueError("checksum of the ledger differs")
        return rows


def helper(rows):
    """Count rows."""
    return len(rows)
'''


def test_an_elided_body_keeps_matches_control_flow_and_the_return():
    context = context_of({"importer.py": _LONG})
    text = pack(context, PackRequest("importer run: checksum of the ledger differs", 400)).text
    for line in ("class Importer:", "def run(", "for row in", "if row.is_damaged", "checksum"):
        assert line in text
    assert "        return rows" in text
    assert "step_30 =" not in text


def test_the_first_hit_goes_in_whole_where_half_of_the_budget_holds_it():
    context = context_of({"importer.py": _LONG})
    text = pack(context, PackRequest("importer run: checksum of the ledger differs", 5_000)).text
    assert all(f"step_{n} =" in text for n in range(60))


def long_function(name: str, inner: str = "") -> str:
    steps = "".join(f"    step_{n} = rows.read({n}, {n + 1})\n" for n in range(120))
    return f"def {name}(rows):\n{inner}{steps}    return rows\n"


def test_each_frame_has_the_lines_around_its_own_however_long_its_function_is():
    context = context_of({f"{name}.py": long_function(name) for name in ("load", "parse")})
    trace = 'File "load.py", line 70, in load\nFile "parse.py", line 40, in parse\nKeyError: 3\n'
    text = pack(context, PackRequest(trace, 600)).text
    for signature, number in (("def load(rows):", 68), ("def parse(rows):", 38)):
        assert signature in text
        assert all(f"    step_{n} = " in text for n in range(number - 3, number + 4))
    assert "step_10 =" not in text and "\n... 2-" in text


def test_a_function_with_another_in_it_is_elided_like_any_body():
    inner = "    def attempt():\n        return 0\n"
    context = context_of({"load.py": long_function("load", inner)})
    text = pack(context, PackRequest("load.py:90 is slow", 400)).text
    assert "    step_86 = " in text and "step_20 =" not in text


def test_of_a_body_that_does_not_fit_the_lines_that_match_come_before_trifles():
    steps = "".join(f"    step_{n} = rows.read({n}, {n + 1})\n" for n in range(80))
    checks = "".join(f"    check_{n} = rows.read({n}, {n + 1})\n" for n in range(80))
    trifles = "".join(f"\n\ndef helper_{n}(rows):\n    return rows[{n}]\n" for n in range(60))
    context = context_of(
        {
            "importer.py": f"def import_ledger(rows):\n{steps}    return rows\n",
            "checks.py": f"def check(rows):\n{checks}    verify_checksum(rows)\n{trifles}",
        }
    )
    text = pack(context, PackRequest("import ledger, import rows, verify", 2_000)).text
    assert "    step_60 = " in text and "    verify_checksum(rows)" in text
    assert "check_60 =" not in text


HELP = '''    return """
Search the contents of files that are compressed. Files are unpacked with the
program that the user chose for them. A file that is not compressed is opened
and searched as it is. Decide for each of the files which program unpacks it.
"""
'''


def test_help_texts_come_behind_code_unless_the_prompt_is_about_them():
    flags = "".join(f"\n\ndef unpacks_program_{n}():\n{HELP}" for n in range(3))
    run = "def open_file(path):\n    return unpack(path) if is_compressed(path) else open(path)\n"
    context = context_of({"flags.py": flags, "search.py": run})

    def scores(prompt: str) -> dict[str, float]:
        return {c.name: c.utility for c in gather(context, PackRequest(prompt)).by_rank()}

    prompt = "where is it decided which program unpacks files that are compressed"
    plain = scores(prompt)
    assert max(plain, key=plain.__getitem__) == "open_file"
    assert scores(f"{prompt}, in the help")["unpacks_program_0"] > 3 * plain["unpacks_program_0"]


def test_methods_of_one_name_in_one_file_count_twice():
    classes = "".join(
        f"\n\nclass Flag{n}:\n    def describe(self):\n        return sort_results({n})\n"
        for n in range(6)
    )
    ranked = gather(context_of({"a.py": classes}), PackRequest("describe sort results")).by_rank()
    second, third = [c.utility for c in ranked if c.entry.name(c.position) == "describe"][1:3]
    assert third < 0.5 * second


def test_what_the_best_definitions_use_is_first_among_what_is_left_out():
    steps = "".join(f"    step_{n} = rows.read({n}, {n + 1})\n" for n in range(80))
    files = {
        "ledger.py": "from books import post\n\n\ndef settle_ledger(rows):\n    post(rows)\n",
        "books.py": f"def post(rows):\n{steps}    return rows\n",
        **{f"other_{n}.py": f"def ledger_{n}(rows):\n{steps}    settle(rows)\n" for n in range(4)},
    }
    packed = pack(context_of(files), PackRequest("settle ledger", 60))
    assert next(o.name for o in packed.omitted) == "post"


def test_a_heading_does_not_promise_lines_that_are_left_out():
    numbers = tuple(range(0, 400, 10))
    block = Block("a.py", "python", 1, numbers, tuple(f"x{n}" for n in numbers), "hit 1")
    assert render([block], (), "markdown").startswith("### a.py: 40 of lines 1-391 (hit 1)\n")
    assert json.loads(render([block], (), "json"))["files"][0]["lines"].count(",") == 39


def test_tests_come_last_unless_the_prompt_is_about_them():
    files = {
        "ledger.py": "def close_ledger(book):\n    return book.close()\n",
        "tests/ledger_check.py": "def close_ledger_of(book):\n    assert book.close()\n",
    }
    context = context_of(files)
    scores = {i.path: i.score for i in pack(context, PackRequest("close ledger", 900)).items}
    assert scores["tests/ledger_check.py"] < 0.2 * scores["ledger.py"]
    about = pack(context, PackRequest("the test of close ledger", 900))
    assert {i.path: i.score for i in about.items}["tests/ledger_check.py"] > 0.1


REPORT = "{title}\n\nIt is not closed.\n\n### Steps\nNone.\n\n### Versions\nledger 1.2\n"


def test_vendored_code_comes_last_and_prose_does_in_bug_reports():
    code = "def close_ledger(book):\n    return book.close()\n"
    files = {
        "ledger.py": code,
        "web/jquery-3.5.1.js": "function close_ledger(book) {\n  return book.close();\n}\n",
        "ledger.md": "# Close ledger\n\nHow to close_ledger.\n",
    }
    context = context_of(files)

    def scores(prompt: str) -> dict[str, float]:
        candidates = gather(context, PackRequest(prompt)).by_rank()
        return {c.path: c.utility for c in reversed(candidates)}

    assert scores("close ledger")["web/jquery-3.5.1.js"] < 0.3 * scores("close ledger")["ledger.py"]
    plain = scores("how to close ledger")["ledger.md"]
    reported = scores(REPORT.format(title="close ledger fails"))["ledger.md"]
    documented = scores(REPORT.format(title="close ledger fails in the docs"))["ledger.md"]
    assert reported < 0.5 * plain
    assert documented > 2 * reported


def test_what_a_prompt_names_as_code_says_so():
    till = "class Till:\n    def open(self):\n        pass\n"
    files = {"a.py": till, "b.py": "def open():\n    0\n"}
    pool = gather(context_of(files), PackRequest("why does `Till.open` raise"))
    named = [c.name for c in pool.by_rank() if "names open" in c.reasons]
    assert named == ["Till.open"]


def test_a_long_body_is_whole_before_trifles_come():
    steps = "".join(f"    ledger.append(rate * {n})\n" for n in range(40))
    long = f"def settle_account(ledger, rate):\n{steps}    return sum(ledger)\n"
    short = "".join(f"\n\ndef account_{n}(rate):\n    return rate + {n}\n" for n in range(40))
    context = context_of({"bank/settle.py": long, "bank/accounts.py": short})
    assert long.strip() in pack(context, PackRequest("settle the account", 600)).text
