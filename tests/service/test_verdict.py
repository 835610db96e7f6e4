"""The verdict on a proposed patch: what it breaks and touches, without anything being run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packhound.graph import count_arguments, count_parameters
from packhound.operations import as_text
from packhound.service.engine import Engine
from tests.support.proposals import ask, committed

FILES = {
    "lib/parcel.py": "def weigh(grams, unit='g'):\n    return grams\n\n\n"
    "def pack(box):\n    return box\n",
    "lib/send.py": "from lib.parcel import pack, weigh\n\n\ndef send(box):\n"
    "    weigh(1)\n    weigh(1, 'kg')\n    return pack(box)\n",
    "lib/other.py": "def pack(things):\n    return things\n\n\ndef own():\n    return pack(1)\n",
    "tests/test_send.py": "from lib.send import send\n\n\ndef test_send():\n    send(1)\n",
}


@pytest.fixture
def post(tmp_path: Path, cache: Path) -> Iterator[Engine]:
    with committed(tmp_path / "post", FILES) as engine:
        yield engine


def propose(engine: Engine, path: str, old: str, new: str) -> dict[str, Any]:
    """Propose to replace a line of a file."""
    lines = (engine.root / path).read_text().splitlines(keepends=True)
    at = lines.index(old)
    above, below = lines[max(0, at - 3) : at], lines[at + 1 : at + 4]
    n = len(above) + 1 + len(below)
    start = max(1, at - 2)
    body = [*(f" {x}" for x in above), f"-{old}", f"+{new}", *(f" {x}" for x in below)]
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{start},{n} +{start},{n} @@\n{''.join(body)}"
    return ask(engine, "propose", diff=diff)


def test_a_removed_name_is_named_with_its_uses_and_a_namesake_is_not(post: Engine) -> None:
    proposed = propose(post, "lib/parcel.py", "def pack(box):\n", "def wrap(box):\n")
    places = {(row["path"], row["line"], row["uses"]) for row in proposed["verdict"]["unresolved"]}
    assert places == {("lib/send.py", 1, "pack"), ("lib/send.py", 7, "pack")}
    assert proposed["verdict"]["removed"] == ["lib/parcel.py#pack"]
    text = as_text("propose", proposed)
    assert "gone: lib/parcel.py#pack" in text
    assert "verdict: 2 uses of names that resolve no more" in text
    assert "    used in lib/send.py:7  return pack(box)" in text.splitlines()


def test_each_use_of_a_removed_name_is_counted_and_tests_with_one_are_to_be_run(
    tmp_path: Path, cache: Path
) -> None:
    files = {
        "lib/send.py": "def send(box):\n    return box\n",
        "tests/test_other.py": "def test_other():\n    assert 1\n",
        "tests/test_send.py": "from lib.send import send\n\n\ndef test_send():\n"
        "    send(1)\n    send(2)  # send\n    other.send(3)\n",
    }
    with committed(tmp_path / "post", files) as engine:
        diff = (
            "--- a/lib/send.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def send(box):\n-    return box\n"
        )
        proposed = ask(engine, "propose", diff=diff)
    verdict = proposed["verdict"]
    places = [(row["path"], row["line"]) for row in verdict["unresolved"]]
    assert places == [("tests/test_send.py", n) for n in (1, 5, 6)]
    assert verdict["tests"][0] == {
        "path": "tests/test_send.py",
        "chance": 1.0,
        "reasons": ["breaks by it"],
    }


def test_a_definition_of_the_same_name_is_no_use(tmp_path: Path, cache: Path) -> None:
    files = {
        "hash.ts": "export function hash(text: string) {\n    return text\n}\n",
        "names.ts": 'import { hash } from "./hash"\n\nexport class Names {\n'
        "    hash(text: string) {\n        return hash(text)\n    }\n}\n",
    }
    with committed(tmp_path / "post", files) as engine:
        old = "export function hash(text: string) {\n"
        verdict = propose(engine, "hash.ts", old, old.replace("hash", "digest"))["verdict"]
    assert [(row["path"], row["line"]) for row in verdict["unresolved"]] == [
        ("names.ts", 1),
        ("names.ts", 5),
    ]


def test_a_renamed_file_is_one_file_and_loses_nothing(post: Engine) -> None:
    head = "diff --git a/{0} b/{1}\nsimilarity index 100%\n{2} from {0}\n{2} to {1}\n"
    diff = head.format("lib/other.py", "lib/more.py", "rename")
    proposed = ask(post, "propose", diff=diff + head.format("lib/send.py", "lib/send2.py", "copy"))
    files = [(row["path"], row["change"], row["old_path"]) for row in proposed["files"]]
    assert files == [
        ("lib/more.py", "renamed", "lib/other.py"),
        ("lib/send2.py", "copied", "lib/send.py"),
    ]
    lines = as_text("propose", proposed).splitlines()
    assert "  renamed lib/other.py to lib/more.py +0 -0" in lines
    assert proposed["verdict"]["removed"] == []


def test_a_function_that_is_too_short_for_a_node_is_not_gone(tmp_path: Path, cache: Path) -> None:
    lines = [f"        box = box + {n}\n" for n in range(12)]
    text = "def test_send():\n    def pack(box):\n{}        return box\n\n    assert pack(1)\n"
    files = {"test_send.py": text.format("".join(lines))}
    with committed(tmp_path / "post", files) as engine:
        diff = "--- a/test_send.py\n+++ b/test_send.py\n@@ -1,15 +1,3 @@\n def test_send():\n"
        diff += (
            "     def pack(box):\n"
            + "".join(f"-{line}" for line in lines)
            + "         return box\n"
        )
        verdict = ask(engine, "propose", diff=diff)["verdict"]
    assert verdict["removed"] == [] and verdict["unresolved"] == []


def test_a_call_with_another_number_of_arguments_is_named(post: Engine) -> None:
    proposed = propose(
        post, "lib/parcel.py", "def weigh(grams, unit='g'):\n", "def weigh(grams):\n"
    )
    (row,) = proposed["verdict"]["calls"]
    assert (row["path"], row["line"], row["takes"], row["given"]) == ("lib/send.py", 6, "1", 2)
    assert not proposed["verdict"]["unresolved"]
    assert "'weigh' takes 1 arguments, not 2: lib/send.py:6" in as_text("propose", proposed)


def test_what_does_not_parse_is_named_by_its_line(post: Engine) -> None:
    proposed = propose(post, "lib/send.py", "    weigh(1)\n", "    weigh(1\n")
    assert proposed["verdict"]["syntax"][0]["path"] == "lib/send.py"
    assert proposed["verdict"]["syntax"][0]["line"] in (5, 6)


def test_a_harmless_patch_has_tests_to_run_and_no_break(post: Engine) -> None:
    verdict = propose(post, "lib/parcel.py", "    return box\n", "    return [box]\n")["verdict"]
    assert verdict["summary"].startswith("no break is known; changes 1 definition, used by 1;")
    assert [row["path"] for row in verdict["tests"]] == ["tests/test_send.py"]
    assert [(row["calls"], row["name"]) for row in verdict["callers"]] == [("pack", "send")]
    assert verdict["refused_by"] == {} and verdict["warnings"] == []


def test_uses_that_are_not_listed_are_counted(tmp_path: Path, cache: Path) -> None:
    lib = "def pack(box):\n    return box\n"
    users = "from lib import pack\n\n"
    users += "".join(f"\ndef send_{n}(box):\n    return pack(box)\n\n" for n in range(14))
    with committed(tmp_path / "post", {"lib.py": lib, "users.py": users}) as engine:
        verdict = propose(engine, "lib.py", "    return box\n", "    return [box]\n")["verdict"]
    assert "changes 1 definition, used by 14;" in verdict["summary"]
    assert len(verdict["callers"]) == 10


def test_secrets_and_files_of_automation_are_warned_of(post: Engine) -> None:
    new = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+{}\n"
    key = "AWS_SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY'"
    diff = new.format("keys.py", key) + new.format(".github/workflows/ci.yml", "on: push")
    proposed = ask(post, "propose", diff=diff + new.format("uv.lock", "version = 1"))
    warnings = proposed["verdict"]["warnings"]
    assert [warning.split()[0] for warning in warnings] == [
        "keys.py",
        ".github/workflows/ci.yml",
        "uv.lock",
    ]
    assert "wJalrXUtnFEMI" not in as_text(
        "overlay", ask(post, "overlay", id=proposed["id"], with_diff=True)
    )


def test_it_says_where_it_applies_to_what_is_saved_alone(post: Engine) -> None:
    path = post.root / "lib" / "other.py"
    path.write_text(FILES["lib/other.py"].replace("things", "items"))
    post.refresh()
    assert post.settled(60)
    proposed = propose(post, "lib/other.py", "    return items\n", "    return [items]\n")
    assert [*proposed["verdict"]["refused_by"]] == ["HEAD"]


@pytest.mark.parametrize(
    ("language", "signature", "takes"),
    [
        ("python", "def f(self, a, b=1, *, c=(2, 3)) -> X", "1 to 3"),
        ("python", "def f(a, *more)", "1 or more"),
        ("python", "def f()", "0"),
        ("go", "func (r *T) f(a, b int, c func(int, int) error) error", "3"),
        ("go", "func f(a string, more ...int)", "1 or more"),
        ("rust", "pub fn f<T>(&mut self, a: HashMap<A, B>, b: T) -> Y", "2"),
        ("typescript", "f(a: string, b?: (x: A, y: B) => C, c = 2): void", "1 to 3"),
        ("java", "public Map<String, Integer> f(Map<String, Integer> m, int x)", "2"),
        ("java", "int f", "None"),
        ("python", "def f(self, # first, of all a, b)", "None"),
        ("typescript", "const f = (options: { name: string; size?: number", "None"),
    ],
)
def test_a_signature_says_how_many_arguments_it_takes(
    language: str, signature: str, takes: str
) -> None:
    assert str(count_parameters(signature, "f")) == takes


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("f()", 0),
        ("f(a, [b, c], {1: 2, 3: 4}, k=g(1, 2),\n)", 4),
        ("f('   ', \" \")", 2),
        ("f(*a)", -2),
        ("f(a, ...b)", -2),
        ("f", -1),
        ("f(a, b", -2),
    ],
)
def test_a_call_says_how_many_arguments_it_gives(call: str, number: int) -> None:
    assert count_arguments(call, 1) == number


def test_a_new_file_in_a_folder_that_is_there_applies_to_the_last_commit(post: Engine) -> None:
    new = "--- /dev/null\n+++ b/lib/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    assert ask(post, "propose", diff=new)["verdict"]["refused_by"] == {}
