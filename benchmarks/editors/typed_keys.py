"""Keys typed around the lists of hits in VS Code at any moment, and the files that they reached.

    python -m benchmarks.editors.typed_keys --save benchmarks/editors/typed_keys.json

Each sequence searches with keys at once, previews a hit, presses Escape, searches again 0 to 300 ms
later, selects all, types, presses Escape and types on, with auto save on. It fails at the first key
that reaches a file that was only previewed, at a preview that stays, and where what was typed after
Escape is not at the user's cursor. Needs the editors of `tests/editors/setup.sh` and a built
`packhound.vsix`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.stored import save
from tests.support.editor_clients import CHECKOUT, CLIENTS, make_workspace
from tests.support.vscode import AUTO_SAVE, EXTENSION, QUIET, drive

SECONDS_PER_SEQUENCE = 60
LONGEST_PAUSE_MS = 300
_PASSED = re.compile(r"^passed: file open (\w+), host slow by (\d+) ms", re.MULTILINE)


def main() -> None:
    options = _options()
    node = CLIENTS / "vscode" / "node_modules" / "node" / "bin" / "node"
    with tempfile.TemporaryDirectory() as scratch:
        done = drive(
            str(node),
            "keys.mjs",
            Path(scratch),
            workspace=str(make_workspace(Path(scratch, "courier"))),
            extension=str(EXTENSION / "packhound.vsix"),
            settings={
                "packhound.server.path": [sys.executable, "-m", "packhound"],
                **QUIET,
                **AUTO_SAVE,
            },
            screenshots=scratch,
            pauses=[_pauses(options.sequences)] * 4,
            patience_s=600 + 4 * options.sequences * SECONDS_PER_SEQUENCE,
        )
    passed = _PASSED.findall(done.stdout)
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "command": f"python -m benchmarks.editors.typed_keys --sequences {options.sequences}",
        "commit": _commit(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "longest_pause_ms": LONGEST_PAUSE_MS,
        "sequences": [
            {
                "own_file_open": is_open == "true",
                "host_delay_ms": int(delay),
                "passed": passed.count((is_open, delay)),
            }
            for is_open, delay in sorted(set(passed))
        ],
        "failed": int(done.returncode != 0),
    }
    print(json.dumps(result))
    if options.save:
        save(options.save, result)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr)


def _pauses(count: int) -> list[int]:
    return [round(LONGEST_PAUSE_MS * number / max(1, count - 1)) for number in range(count)]


def _commit() -> str:
    command = ["git", "-C", str(CHECKOUT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sequences", type=int, default=5, help="of each of four kinds")
    parser.add_argument("--save", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
