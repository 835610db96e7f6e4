"""Times of checks: the copy, a check cold and again, and from a printed line to its diagnostic.

    python -m benchmarks.checks [--files 4000] [--repeats 5] [--save]

The copy is of a repository of that many files, made here, with a patch on top. The check is of a
small Python project with ruff, mypy and pytest (which have to be on PATH): with nothing kept, then
of another patch. The delay is of 50 lines that a tool prints with the time, read as diagnostics.
Times are medians by the clock; beside the copy stands the processor time of this process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.stored import save
from packhound import runs
from packhound.git import PatchedFile
from packhound.runs import CopyLimits, Diagnostic, Folder, Limits

RESULTS = Path(__file__).parent / "results" / "checks.json"
_IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@b")
_PROJECT = {
    "pyproject.toml": "[tool.ruff]\n[tool.mypy]\nstrict = true\nfiles = ['src']\n"
    "[tool.pytest.ini_options]\npythonpath = ['src']\n",
    "src/post/__init__.py": "",
    "src/post/parcel.py": "def weigh(grams: int) -> int:\n    return grams * 2\n",
    "tests/test_parcel.py": "from post.parcel import weigh\n\n\n"
    "def test_weigh() -> None:\n    assert weigh(2) == 4\n",
}
_N_LINES = 50
_RUNNERS = f"""
[runners.clock]
command = ["python3", "-c", '''
import time
for n in range({_N_LINES}):
    print(f"src/post/parcel.py:1: {{n}} {{time.time()}}", flush=True)
    time.sleep(0.02)
''']
"""


def main() -> None:
    """Measure and print; keep the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=4_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in ("CACHE", "CONFIG"):
            os.environ[f"PACKHOUND_{name}_DIR"] = str(Path(temporary, name))
        Path(temporary, "CONFIG").mkdir()
        Path(temporary, "CONFIG", "runners.toml").write_text(_RUNNERS)
        many = _repository(
            Path(temporary, "many"),
            {
                f"p{n % 80}/m{n}.py": f"def f{n}(x):\n    return x\n" * 40
                for n in range(options.files)
            },
        )
        rows = [_copy(many) for _ in range(options.repeats)]
        wall, processor = (statistics.median(column) for column in zip(*rows, strict=True))
        post = _repository(Path(temporary, "post"), _PROJECT)
        pairs = []
        for number in range(options.repeats):
            kept = Path(temporary, f"kept{number}")
            pairs.append([_check(post, kept, addend) for addend in (1, 2)])
        cold, again = (statistics.median(column) for column in zip(*pairs, strict=True))
        delays = sorted(_delays(post, Path(temporary, "kept")))
    figures = {
        "copied_files": options.files,
        "copy_s": round(wall, 2),
        "copy_processor_s": round(processor, 2),
        "check_cold_s": round(cold, 2),
        "check_again_s": round(again, 2),
        "line_to_diagnostic_ms": round(statistics.median(delays) * 1e3, 1),
        "line_to_diagnostic_max_ms": round(delays[-1] * 1e3, 1),
    }
    print(json.dumps(figures, indent=1))
    if options.save:
        save(RESULTS, figures)


def _repository(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *_IDENTITY, *arguments], cwd=folder, check=True)
    time.sleep(0.1)  # Files as old as the index are compared by their texts.
    subprocess.run(["git", "read-tree", "HEAD"], cwd=folder, check=True)
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=folder, check=True)
    return folder


def _copy(folder: Path) -> tuple[float, float]:
    path = "p0/m0.py"
    text = (folder / path).read_bytes()
    patch = {path: PatchedFile(path, path, text, text + b"# x\n")}
    wall, processor = time.perf_counter(), time.process_time()
    with runs.materialize(folder, {}, patch):
        return time.perf_counter() - wall, time.process_time() - processor
    raise AssertionError


def _patched(folder: Path, text: str) -> dict[str, PatchedFile]:
    path = "src/post/parcel.py"
    return {path: PatchedFile(path, path, (folder / path).read_bytes(), text.encode())}


def _check(folder: Path, kept: Path, addend: int) -> float:
    patch = _patched(folder, f"def weigh(grams: int) -> int:\n    return grams * 2 + {addend}\n")
    table = runs.read_table().only(["ruff", "mypy", "pytest"])
    started = time.perf_counter()
    events = runs.check(runs.Job(Folder(folder, kept, {}, patch), table, CopyLimits(), Limits()))
    assert runs.finish(events).verdict == "failed"
    return time.perf_counter() - started


def _delays(folder: Path, kept: Path) -> list[float]:
    """Return the seconds from the print of each line to its diagnostic."""
    table = runs.read_table().only(["clock"])
    patch = _patched(folder, "x = 1\n")
    events = runs.check(runs.Job(Folder(folder, kept, {}, patch), table, CopyLimits(), Limits()))
    return [
        time.time() - float(event.message.split()[1])
        for event in events
        if isinstance(event, Diagnostic)
    ]


if __name__ == "__main__":
    main()
