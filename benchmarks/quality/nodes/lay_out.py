"""Fetch the repositories of the node-level queries at their revisions.

    python -m benchmarks.quality.nodes.lay_out DIR [--half train|dev|unseen] [--repos FILE]

Each becomes DIR/NAME, without history. A repository that is there already is left alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

REPOSITORIES = Path(__file__).with_name("repos.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("train", "dev", "unseen"))
    parser.add_argument("--repos", type=Path, default=REPOSITORIES)
    options = parser.parse_args()
    for entry in json.loads(options.repos.read_text("utf-8")):
        target = options.folder / entry["name"]
        if options.half in (None, entry["half"]) and not target.exists():
            print(entry["name"], file=sys.stderr)
            fetch(f"https://github.com/{entry['repo']}", entry["revision"], target)


def fetch(url: str, revision: str, target: Path) -> None:
    """Check one revision of a repository out into a new folder."""
    partial = target.with_name(f".{target.name}.partial")
    for arguments in (
        ("init", "--quiet", partial),
        ("-C", partial, "fetch", "--quiet", "--depth", "1", url, revision),
        ("-C", partial, "checkout", "--quiet", "FETCH_HEAD"),
    ):
        subprocess.run(["git", *arguments], check=True)
    partial.rename(target)


if __name__ == "__main__":
    main()
