"""Milliseconds from a keystroke to the drawn list, in VS Code and Neovim themselves.

    python -m benchmarks.editors.keystrokes SMALL LARGE --save benchmarks/editors/keystrokes.json

Needs the editors of `tests/editors/setup.sh` and a built `packhound.vsix`. Each key is typed when
the rows of the key before are there. VS Code's own "Go to File" is typed into in turns with the
search, as a peer on the same machine under the same load. In VS Code a key's time is split:
`to_server` until its request leaves the extension host, `engine` until the answer, `to_screen`
until the rows are drawn.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.stored import save
from tests.support.editor_clients import CHECKOUT, CLIENTS, PICKERS, program, unpack_plugins
from tests.support.vscode import EXTENSION, QUIET

HERE = Path(__file__).parent
PATIENCE_S = 1800
QUERIES = (
    "parse headers",
    "close the connection when idle",
    "cookie jar",
    "websocket ping timeout",
)
FILES = ("connector", "test_web", "helpers.py")
# [request, 0, "nvim_ui_attach", [160, 50, {"rgb": true, "ext_linegrid": true}]] in msgpack.
_ATTACH = b"\x94\x00\x00\xaenvim_ui_attach\x93\xcc\xa0\x32\x82\xa3rgb\xc3\xacext_linegrid\xc3"
SERVER = [sys.executable, "-m", "packhound"]


def main() -> None:
    options = _options()
    results = []
    for folder in options.folders:
        measured = [_neovim(folder, picker) for picker in options.pickers]
        if not options.no_vscode:
            measured.append(_vscode(folder))
        for row in measured:
            print(json.dumps(row), flush=True)
        results += measured
    if options.save:
        save(options.save, {"rows": results})


def _vscode(folder: Path) -> dict:
    node = CLIENTS / "vscode" / "node_modules" / "node" / "bin" / "node"
    with tempfile.TemporaryDirectory() as scratch:
        times = Path(scratch, "times.jsonl")
        timed = [sys.executable, "-m", "benchmarks.editors.timed_server", str(times), *SERVER]
        config = {
            "clients": str(CLIENTS),
            "workspace": str(folder),
            "extension": str(EXTENSION / "packhound.vsix"),
            "settings": {"packhound.server.path": timed, **QUIET},
            "screenshots": scratch,
            "queries": QUERIES,
            "files": FILES,
        }
        config_file = Path(scratch, "config.json")
        config_file.write_text(json.dumps(config))
        done = subprocess.run(
            [node, HERE / "keystrokes.mjs", config_file],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        answers = [json.loads(line) for line in times.read_text().splitlines()]
    samples = json.loads(done.stdout.splitlines()[-1])
    search, files = ([key["ms"] for key in samples[name]] for name in ("search", "files"))
    row = _row(folder, "VS Code", search)
    return {**row, "split": _split(samples["search"], answers), "go_to_file": _spread(files)}


def _split(keys: Sequence[dict], answers: Sequence[tuple[float, float]]) -> dict:
    """Return where the time of those keys goes whose one request was answered before the list."""
    parts: dict[str, list[float]] = {"to_server": [], "engine": [], "to_screen": []}
    for key in keys:
        down, drawn = key["at"], key["at"] + key["ms"] / 1000
        within = [(came, went) for came, went in answers if down <= came and went <= drawn]
        if len(within) == 1:
            [(came, went)] = within
            for part, seconds in zip(parts, (came - down, went - came, drawn - went), strict=True):
                parts[part].append(1000 * seconds)
    return {part: _spread(samples) for part, samples in parts.items()}


def _neovim(folder: Path, picker: str) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        paths = ",".join([str(CHECKOUT / "neovim"), *unpack_plugins(Path(scratch), *PICKERS)])
        command = [program("nvim-new"), "-u", "NONE", "-i", "NONE", "-n"]
        command += ["--cmd", f"set rtp^={paths}", "-c", "runtime! plugin/**/*.lua"]
        command += ["-S", str(HERE / "keystrokes.lua")]
        report, job_file = Path(scratch, "report.json"), Path(scratch, "job.json")
        first_file = next(path for path in sorted(folder.rglob("*.py")))
        job = {
            "root": str(folder),
            "file": str(first_file),
            "cmd": [*SERVER, "lsp"],
            "picker": picker,
            "queries": QUERIES,
            "report": str(report),
        }
        job_file.write_text(json.dumps(job))
        _run_with_screen(command, {**os.environ, "JOB": str(job_file), "HOME": scratch})
        samples = json.loads(report.read_text())["search"]
    return _row(folder, f"Neovim, {picker}", samples)


def _run_with_screen(command: Sequence[str], env: dict[str, str]) -> None:
    """Run a Neovim that draws a screen of 160 by 50, in its protocol for embedding, and drop it."""
    process = subprocess.Popen(
        [*command, "--embed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(_ATTACH)
    process.stdin.flush()
    while process.stdout.read(65536):
        pass
    process.wait(PATIENCE_S)


def _row(folder: Path, client: str, samples: Sequence[float]) -> dict:
    status = subprocess.run(
        [*SERVER, "status", "--root", str(folder), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        "client": client,
        "folder": folder.name,
        "nodes": json.loads(status.stdout)["nodes"],
        "load": round(os.getloadavg()[0], 1),
        "search": _spread(samples),
    }


def _spread(samples: Sequence[float]) -> dict:
    cuts = statistics.quantiles(samples, n=20)
    return {"keys": len(samples), "p50_ms": round(cuts[9], 1), "p95_ms": round(cuts[18], 1)}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pickers", nargs="*", default=["telescope", "mini.pick"])
    parser.add_argument("--no-vscode", action="store_true", help="Neovim alone")
    parser.add_argument("--save", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
