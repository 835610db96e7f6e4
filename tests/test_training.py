"""The commands of training/ that need no more than the package still run on it."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def test_a_checkout_becomes_arrays_of_training_pairs(tmp_path: Path) -> None:
    tree = tmp_path / "checkouts" / "owner+name"
    shutil.copytree(ROOT / "fixtures" / "languages", tree)
    shutil.copy(ROOT / "fixtures" / "languages" / "python" / "sample.py", tree / "copy.py")
    (tree / "LICENSE").write_text("Permission is hereby granted, free of charge: MIT License")
    sources = [{"repo": "owner/name", "language": "python", "commit": "0", "license_file": None}]
    (tmp_path / "train.json").write_text(json.dumps(sources))
    (tmp_path / "never.txt").write_text("somebody/else\n")
    (tmp_path / "evaluation").mkdir()
    _run(
        *("mine.py", "--sources", tmp_path / "train.json", "--corpora", tmp_path / "checkouts"),
        *("--evaluation", tmp_path / "evaluation", "--never", tmp_path / "never.txt"),
        *("--out", tmp_path / "mined"),
    )
    with gzip.open(tmp_path / "mined" / "owner+name.jsonl.gz", "rt", encoding="utf-8") as file:
        head, *records = [json.loads(line) for line in file]
    assert head["licence"] == "MIT"
    digests = [record["digest"] for record in records if record["digest"]]
    assert len(digests) == len(set(digests)) > 50
    _run("assemble.py", "--mined", tmp_path / "mined", "--out", tmp_path / "arrays")
    pairs = np.load(tmp_path / "arrays" / "pairs.npz")
    assert len(pairs["kind"]) == len(pairs["query_offsets"]) - 1 > 50


def _run(script: str, *arguments: str | Path) -> None:
    command = [sys.executable, str(ROOT / "training" / script), *map(str, arguments)]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
