"""How fast Packhound is beside semble 0.7.0, both run here and now, taking turns.

    python -m benchmarks.speed --corpora DIR --peer PYTHON [--only NAME] [--rounds 3]

DIR holds a folder per corpus (pydantic, rust-analyzer, vscode-copilot-chat); PYTHON is the
interpreter of an environment with semble 0.7.0. Writes benchmarks/results/speed.json; figures are
medians of the rounds, times in milliseconds. A machine's own speed divides out of the ratios.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.lsp_probe import edit_to_search_ms
from benchmarks.stored import load_current, save

HERE = Path(__file__).parent


def main() -> None:
    options = _options()
    compileall.compile_dir(HERE.parent / "server", quiet=1)  # As an installation does.
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model2vec"
        if options.peer:
            _run([options.peer, str(HERE / "peer_semble.py"), "model", str(model)], {})
        report = {"machine": f"{os.cpu_count()} cores, {platform.machine()}", "corpora": {}}
        for corpus in sorted(options.corpora.iterdir()):
            if corpus.is_dir() and options.only in ("", corpus.name):
                figures = measure(corpus, options, Path(scratch), model)
                report["corpora"][corpus.name] = figures
                print(corpus.name, json.dumps(figures, indent=1))
    target = HERE / "results" / "speed.json"
    if options.only:
        report["corpora"] = load_current(target).get("corpora", {}) | report["corpora"]
    save(target, report)


def measure(corpus: Path, options: argparse.Namespace, scratch: Path, model: Path) -> dict:
    """All figures of one corpus; ours and the peer's rounds alternate."""
    folder = scratch / corpus.name
    shutil.copytree(corpus, folder, symlinks=True)
    ours: dict[str, list] = {}
    theirs: dict[str, list] = {}
    for number in range(options.rounds):
        cache = {"PACKHOUND_CACHE_DIR": str(scratch / f"cache-{corpus.name}-{number}")}
        peer = {"SEMBLE_CACHE_LOCATION": str(scratch / f"peer-{corpus.name}-{number}")}
        for step in ("cold", "warm", "query"):
            _gather(ours, step, _ours(step, folder, cache))
            if options.peer:
                _gather(theirs, step, _theirs(options.peer, step, folder, model, peer))
        _gather(ours, "edit", {"edit_ms": edit_to_search_ms(folder, 40, cache)})
        if options.peer:
            _gather(theirs, "edit", _theirs(options.peer, "edit", folder, model, peer))
    return {"packhound": _medians(ours), "semble": _medians(theirs)} | _ratios(ours, theirs)


def _ours(step: str, folder: Path, cache: dict[str, str]) -> dict:
    return _run([sys.executable, "-m", "benchmarks.ours", step, str(folder)], cache)


def _theirs(python: str, step: str, folder: Path, model: Path, cache: dict[str, str]) -> dict:
    return _run([python, str(HERE / "peer_semble.py"), step, str(folder), str(model)], cache)


def _run(command: list[str], environment: dict[str, str]) -> dict:
    began = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | environment, cwd=HERE.parent
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    last = done.stdout.strip().splitlines()
    report = json.loads(last[-1]) if last else {}
    return report | {"process_ms": (time.perf_counter() - began) * 1e3}


def _gather(into: dict[str, list], step: str, report: dict) -> None:
    for name, value in report.items():
        into.setdefault(f"{step}_{name}", []).extend(value if isinstance(value, list) else [value])


def _medians(values: dict[str, list]) -> dict[str, float]:
    figures = {}
    for name, times in values.items():
        figures[name] = round(statistics.median(times), 2)
        if len(times) >= 20:
            figures[f"{name}_p95"] = round(statistics.quantiles(times, n=20)[-1], 2)
    return figures


def _ratios(ours: dict[str, list], theirs: dict[str, list]) -> dict[str, dict[str, float]]:
    """How many times less time ours takes."""
    both = [name for name in ours if name.endswith("_ms") and name in theirs]
    ratio = {n: statistics.median(theirs[n]) / statistics.median(ours[n]) for n in both}
    return {"times_faster": {name: round(value, 2) for name, value in ratio.items()}}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--peer", default="", help="interpreter with semble 0.7.0")
    parser.add_argument("--only", default="", help="name of one corpus")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
