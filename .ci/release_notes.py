"""Print a version's section of CHANGELOG.md, once all versions agree: `release_notes.py v0.2.0`.

The version is declared in `server/packhound/__init__.py`; `release_notes.py --write` writes it
wherever else it stands.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
DECLARED = "server/packhound/__init__.py"
COPIES = {
    "vscode-extension/package.json": 1,
    "vscode-extension/package-lock.json": 2,
    "server.json": 2,
}
"""Times that each of these files says the version, before any other one."""
VERSION = re.compile(r'(?<="version": ")[^"]+')


def main() -> None:
    """Write the copies, or print the notes; end with what is not ready for the release."""
    version = sys.argv[1].removeprefix("v") if len(sys.argv) == 2 else sys.exit(__doc__)
    declared = re.findall(r'__version__ = "(.+?)"', (CHECKOUT / DECLARED).read_text("utf-8"))
    if len(declared) != 1:
        sys.exit(f"{DECLARED} declares {len(declared)} versions; expected one")
    if version == "--write":
        for path, times in COPIES.items():
            text = (CHECKOUT / path).read_text("utf-8")
            (CHECKOUT / path).write_text(VERSION.sub(declared[0], text, times), "utf-8")
        return
    said = {DECLARED: declared}
    for path, times in COPIES.items():
        said[path] = VERSION.findall((CHECKOUT / path).read_text("utf-8"))[:times]
        if len(said[path]) != times:
            sys.exit(f"{path} says {len(said[path])} versions; expected {times}")
    for path, versions in said.items():
        for found in versions:
            if found != version:
                sys.exit(f"{path} has version {found}; the tag wants {version}")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    section = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if section is None:
        sys.exit(f"CHANGELOG.md has no section '## {version}'; rename '## Unreleased'")
    sys.stdout.write(section[1].strip() + "\n")


if __name__ == "__main__":
    main()
