"""The tools: what they answer, and what no argument can make them do."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.operations import schema_of, select_operations
from packhound.operations.registry import read_request
from tests.support.operations import OPERATIONS, as_text, call

OUTSIDE = (
    *("../outside.py", "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "store/../../x"),
    *("%2e%2e/outside.py", "..\\outside.py", "\\\\host\\share", "C:\\Windows", "~/.ssh/id_rsa"),
    *("store/disk.py/..", ".env", "store//disk.py", "STORE/DISK.PY", " app.py", "app.py ", "*"),
    *("/proc/self/environ", "//app.py", "app.py\n", "app.py\u202e", "ａpp.py", "con", "nul:"),
    *("..", "../", "./..", "store/../../outside.py", "\u2024\u2024/outside.py", "..;/outside.py"),
    *("....//outside.py", "..%2foutside.py", "..%c0%afoutside.py", "\x2e\x2e/outside.py", "-"),
    *("a" * 1_000, "store/disk.pyc:1", "$HOME", "`id`", "$(id)", "app.py;id", "file://host/app.py"),
)
BAD_ARGUMENTS = (
    *(("search", {"query": q}) for q in ("", "x" * 100_001, 1, None, ["x"], {"a": 1}, "a\0b")),
    *(("search", {"query": "x", "limit": n}) for n in (0, -1, 1_001, 10**9, 1.5, "five", True)),
    *(("grep", {"pattern": p}) for p in ("", "x" * 1_001, 1, None, "(", "a(?=b)", "a**", "\0")),
    *(("grep", {"pattern": "x", "context": n}) for n in (-1, 21, "two")),
    *(("grep", {"pattern": "x", "case": c}) for c in ("", "upper", True)),
    *(("search", {"query": "x", "offset": n}) for n in (-1, 10**9, "none", 0.5)),
    *(("search", {"query": "x", "snippet_lines": n}) for n in (-1, 61, "eight")),
    *(("search", {"query": "x", "mode": m}) for m in ("", "fuzzy", 1, "HYBRID")),
    *(("search", {"query": "x", "kinds": k}) for k in ("nope", ["nope"], [1], ["function"] * 101)),
    *(("search", {"query": "x", "paths": p}) for p in (1, [1], ["x" * 1_001], [None])),
    *(("search", {"query": "x", key: 1}) for key in ("regex", "root ", "__class__", "cmd")),
    *(("pack", {"prompt": "x", "budget": n}) for n in (-1, 0, 10**9, "many", 0.5, True)),
    *(("pack", {"prompt": "x", "reserve": n}) for n in (-1, 10**9, "one")),
    *(("pack", {"prompt": "x", "format": f}) for f in ("html", "", 1)),
    *(("pack", {"prompt": "x", "tokenizer": "/etc/passwd"}),),
    *(("pack", {"prompt": "x", "pinned": p}) for p in (1, [1], ["a\0"])),
    *(("pack", p) for p in ({}, {"prompt": ""}, {"prompt": 3})),
    *(
        (tool, {"path": "app.py", "line": n})
        for tool in ("related", "read_node")
        for n in (-1, "one")
    ),
    *((tool, {"path": p, "line": 1}) for tool in ("related", "read_node") for p in ("", 1, None)),
    *((tool, {"line": 1}) for tool in ("related", "read_node")),
    *(("outline", {"limit": n}) for n in (0, 1_001, "one")),
    *(("status", {"verbose": True}),),
    *((name, {}) for name in ("rm", "", "Search", "search ", "__init__", "write")),
)


def test_a_pack_names_some_of_what_it_leaves_out_and_counts_the_rest(engine):
    paths = [f"post/parcel_{number}.py" for number in range(40)]
    for number, path in enumerate(paths):
        text = f"def parcel_{number}(label):\n    return [label, 'parcel', {number}] * 3\n"
        engine.update(Document(path, text.encode()))
    answer = call(engine, "pack", {"prompt": "label of a parcel", "budget": 120})
    assert len(answer["omitted"]) == 10
    assert "more were left out" in answer["notes"]
    for path in paths:
        engine.release(path)
    assert engine.settled(30)


def test_search_answers_with_places_and_snippets(engine):
    answer = call(engine, "search", {"query": "load_records", "limit": 1, "snippet_lines": 2})
    (hit,) = answer["hits"]
    assert (hit["path"], hit["name"], hit["start_line"]) == ("store/disk.py", "load_records", 9)
    assert hit["snippet"][0] == {"line": 9, "text": "    def load_records(self, path):"}
    assert hit["ref"] == "store/disk.py#Disk.load_records"
    assert len(hit["snippet"]) == 2
    assert answer["next_offset"] == 1


def test_pages_join_without_gap_or_repeat(engine):
    full = call(engine, "search", {"query": "records", "limit": 4})
    first = call(engine, "search", {"query": "records", "limit": 2})
    rest = call(engine, "search", {"query": "records", "limit": 2, "offset": first["next_offset"]})
    named = [hit["qualname"] for hit in first["hits"] + rest["hits"]]
    assert named == [hit["qualname"] for hit in full["hits"]]


def test_related_has_edges(engine):
    answer = call(engine, "related", {"path": "app.py", "line": 4})
    edges = {(edge["edge"], edge["qualname"]) for edge in answer["neighbors"]}
    assert ("references", "Disk") in edges and ("references", "Disk.load_records") in edges


def test_outline_and_read_node(engine):
    answer = call(engine, "outline", {"path": "store"})
    assert [node["qualname"] for node in answer["nodes"]][:2] == ["Disk", "Disk.load_records"]
    node = call(engine, "read_node", {"path": "store/disk.py", "line": 10, "limit": 2})
    assert node["qualname"] == "Disk.load_records" and node["next_offset"] == 2
    assert node["text"].startswith("    def load_records")


def test_secrets_do_not_leave(engine):
    answer = call(engine, "read_node", {"path": "store/disk.py", "line": 1})
    assert "[REDACTED:aws-access-key]" in answer["text"]
    everything = json.dumps(call(engine, "search", {"query": "API_KEY", "snippet_lines": 60}))
    assert "AKIAQ3EGRF7QXW2JD5PA" not in everything


def test_secrets_and_hidden_characters_in_names_do_not_leave(engine):
    key = "AKIAQ3EGRF7QXW2JD5PA"
    sources = {
        "keys/connect.py": f'def connect_zebra(key="{key}"):\n    return key\n',
        "keys/a.ts": f'export const zebra = (key = "{key}") => {{ return key; }};\n',
        "keys/zebra.md": f"# Zebra {key} \u202e\n\nSaid of a zebra.\n",
        "keys/\n```\nzebra.py": "def zebra_quagga(): pass\n",
    }
    for path, text in sources.items():
        engine.update(Document(path, text.encode()))
    requests = (
        ("search", {"query": "zebra key"}),
        ("outline", {"path": "keys"}),
        ("related", {"path": "keys/zebra.md", "line": 1}),
        ("read_node", {"path": "keys/zebra.md", "line": 1}),
        ("read_node", {"path": "keys/\n```\nzebra.py", "line": 1}),
        ("pack", {"prompt": "zebra key", "budget": 150}),
        ("pack", {"prompt": "zebra key"}),
        *[("pack", {"prompt": "zebra key", "conversation": "c"})] * 2,
    )
    answers = [(call(engine, tool, arguments), tool) for tool, arguments in requests]
    assert not any(key in json.dumps(answer) for answer, _ in answers)
    text = "".join(as_text(tool, answer) for answer, tool in answers)
    assert "[REDACTED:aws-access-key]" in text and "<U+202E>" in text and "\u202e" not in text
    assert "keys/<U+000A>```<U+000A>zebra.py" in text and "\n```\nzebra.py" not in text
    for path in sources:
        engine.release(path)
    assert engine.settled(30)


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("tool", ["related", "read_node", "outline"])
def test_no_path_leads_outside(engine, tool, path):
    arguments = {"path": path} if tool == "outline" else {"path": path, "line": 1}
    with pytest.raises(SettingsError):
        call(engine, tool, arguments)


@pytest.mark.parametrize(("tool", "arguments"), BAD_ARGUMENTS)
def test_bad_arguments_are_refused(engine, tool, arguments):
    with pytest.raises(SettingsError):
        call(engine, tool, arguments)


def test_refusals_name_the_value_and_the_remedy(engine):
    for tool, arguments, message in (
        (
            "serach",
            {},
            "unknown tool 'serach'; expected one of: search, grep, related, symbol, changes, pack",
        ),
        ("search", {"q": 1}, "unknown argument 'q'; expected one of: query, limit"),
        (
            "search",
            {"query": "x", "limit": 1_001},
            "is 1001; expected an integer between 1 and 1,000",
        ),
        ("search", {}, "argument 'query' is missing"),
        ("pack", {"prompt": "x", "budget": 5, "reserve": 6}, "between 0 and the budget of 5"),
    ):
        with pytest.raises(SettingsError, match=message):
            call(engine, tool, arguments)


def test_there_are_two_hundred_hostile_cases():
    assert 3 * len(OUTSIDE) + len(BAD_ARGUMENTS) >= 200


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def field_names(name):
    return [field.name for field in msgspec.structs.fields(OPERATIONS[name].request)]


keys = st.sampled_from([key for name in OPERATIONS for key in field_names(name)] + ["x"])


@settings(max_examples=200)
@given(st.sampled_from(list(OPERATIONS)), st.dictionaries(keys, anything, max_size=4))
def test_any_arguments_are_taken_or_refused(tool, arguments):
    try:
        request = read_request(tool, arguments)
    except SettingsError:
        return
    assert isinstance(request, OPERATIONS[tool].request)


def test_schemas_are_what_strict_clients_take():
    for tool in select_operations(["default", "memory", "skills", "episodes", "explain"]):
        schema = schema_of(tool)
        text = json.dumps(schema)
        for construct in ("anyOf", "oneOf", "allOf", "$ref", "null", "default", 'format": '):
            assert f'"{construct}"' not in text
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])


def test_each_tool_says_when_another_is_better():
    groups = ["default", "memory", "skills", "episodes", "explain"]
    for tool in select_operations(groups):
        others = {*OPERATIONS} - {tool.name}
        assert others & {*re.findall(r"\w+", tool.instead)}, tool.name


def test_a_snippet_shows_the_lines_that_the_query_is_about(engine):
    body = "".join(f"    step_{n} = {n}\n" for n in range(40))
    text = f"def long_way():\n{body}    return open_secret_door(step_3)\n"
    engine.update(Document("way.py", text.encode()))
    (hit,) = call(
        engine, "search", {"query": "secret door", "paths": ["way.py"], "snippet_lines": 4}
    )["hits"]
    assert hit["snippet"] == [
        {"line": 1, "text": "def long_way():"},
        {"line": 42, "text": "    return open_secret_door(step_3)"},
    ]
    page = {"hits": [hit], "offset": 0, "next_offset": -1}
    sure = as_text("search", {**page, "confidence": 0.824, "confidence_word": "strong"})
    assert sure.splitlines()[:3] == [
        *("confidence: strong", "way.py:1-42 function long_way", "1\tdef long_way():"),
    ]
    notes = ["weak answer: no hit has a word of the query"]
    weak = {**page, "confidence": 0.1, "confidence_word": "weak", "notes": notes}
    assert as_text("search", weak).splitlines()[0] == (
        "confidence: weak; no hit has a word of the query"
    )
    engine.release("way.py")
    assert engine.settled(30)


def test_a_folder_too_large_for_one_answer_is_listed_by_its_folders(engine):
    answer = call(engine, "outline", {"limit": 2})
    assert answer["folders"] == [{"path": "store", "files": 1, "definitions": 4}]
    assert [node["qualname"] for node in answer["nodes"]] == ["import_records"]
    text = as_text("outline", answer)
    assert text.splitlines() == [
        "store/ 1 file, 4 definitions",
        "app.py",
        "  4-7 def import_records(source, target)",
        "note: 1 file is not searched (1 credentials by name): `status --skipped` lists them",
    ]
    full = as_text("outline", call(engine, "outline", {"path": "store"})).splitlines()
    assert full[:3] == ["store/disk.py", "  6-17 class Disk", full[2]]
    assert full[2].startswith("    9-12 def load_records(self, path)")


def test_a_refusal_names_the_remedy(engine):
    with pytest.raises(SettingsError, match=r"did you mean 'store/disk.py'\?"):
        call(engine, "read_node", {"path": "disk.py", "line": 1})
    with pytest.raises(SettingsError, match="search for a part of its name"):
        call(engine, "outline", {"path": "nowhere"})
    with pytest.raises(SettingsError, match="it has 7 lines"):
        call(engine, "read_node", {"path": "app.py", "line": 900})
    with pytest.raises(SettingsError, match=r"'app.py:0' has no line 0: the first is 1"):
        call(engine, "read_node", {"path": "app.py:0"})
    beyond = as_text("outline", call(engine, "outline", {"path": "app.py", "offset": 300}))
    assert re.match(r"no definitions from offset 300 on, of \d+$", beyond, re.MULTILINE)
    lines = as_text("read_node", call(engine, "read_node", {"path": "app.py", "offset": 500}))
    assert lines.splitlines()[1:] == ["no lines from offset 500 on, of 7"]


def test_notes_are_in_the_text_too(engine):
    answer = call(engine, "search", {"query": "records", "languages": ["cobol"]})
    assert as_text("search", answer).splitlines()[0] == "nothing found"
    assert "note: " in as_text("search", answer)


def test_a_search_takes_where_the_user_is(engine):
    near = call(engine, "search", {"query": "records", "focus_path": "store/disk.py:3"})
    assert any("the file you are in" in reason for reason in near["hits"][0]["reasons"])
    lost = call(engine, "search", {"query": "records", "focus_path": "disk.py"})
    plain = call(engine, "search", {"query": "records"})
    assert [hit["score"] for hit in lost["hits"]] == [hit["score"] for hit in plain["hits"]]
    assert "searched without focus: 'disk.py'" in lost["notes"][-1]
    assert "did you mean 'store/disk.py'" in lost["notes"][-1]


@pytest.mark.parametrize("pattern", ["AKIA", "AKIAQ", "AKIAQ|REDACTED", "[A-Z0-9]{20}", "PA.$"])
def test_grep_tells_nothing_of_a_secret(engine, pattern):
    def totals(key):
        engine.update(Document("keys/probe.py", f'PROBE_KEY = "{key}"\n'.encode()))
        answer = call(engine, "grep", {"pattern": pattern, "paths": ["keys/**"]})
        counts = call(
            engine, "grep", {"pattern": pattern, "paths": ["keys/**"], "count_only": True}
        )
        hits = call(engine, "search", {"query": f"/{pattern}/ path:keys"})["hits"]
        texts = [line["text"] for group in answer["groups"] for line in group["lines"]]
        return answer["total_lines"], counts["counts"], texts, [hit["path"] for hit in hits]

    assert totals("AKIAQ3EGRF7QXW2JD5PA") == totals("AKIAV7XNTR4KZC9WM2HB")
    engine.release("keys/probe.py")
    assert engine.settled(30)


def test_grep_shows_the_line_of_a_secret_without_it(engine):
    answer = call(engine, "grep", {"pattern": "API_KEY"})
    (line,) = answer["groups"][0]["lines"]
    assert line["text"] == 'API_KEY = "[REDACTED:aws-access-key]"' and line["line"] == 3


def test_a_search_says_why_if_it_is_asked(engine):
    plain = call(engine, "search", {"query": "load records"})
    assert "for: " not in as_text("search", plain)
    explained = call(engine, "search", {"query": "load records", "explain": True})
    best = explained["hits"][0]
    assert best["reasons"] and best["beside"]
    assert f"for: {best['reasons'][0]}" in as_text("search", explained)
    assert best["beside"] in as_text("search", explained)
    assert "explain" in schema_of(OPERATIONS["search"])["properties"]


def test_what_only_the_command_line_asks_for_is_not_listed(engine):
    assert "limit" not in schema_of(OPERATIONS["symbol"])["properties"]
    assert len(call(engine, "symbol", {"name": "Disk", "limit": 1})["callees"]) <= 1
