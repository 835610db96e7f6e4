"""Print a version's section of CHANGELOG.md, once all versions agree: `release_notes.py v0.2.0`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print the notes, or end with what is not ready for the release."""
    version = sys.argv[1].removeprefix("v") if len(sys.argv) == 2 else sys.exit(__doc__)
    server = (CHECKOUT / "server" / "packhound" / "__init__.py").read_text()
    extension = json.loads((CHECKOUT / "vscode-extension" / "package.json").read_text())
    registry = json.loads((CHECKOUT / "server.json").read_text())
    versions = {
        "server/packhound/__init__.py": re.search(r'__version__ = "(.+?)"', server)[1],
        "vscode-extension/package.json": extension["version"],
        "server.json": registry["version"],
        "the package in server.json": registry["packages"][0]["version"],
    }
    for path, found in versions.items():
        if found != version:
            sys.exit(f"{path} has version {found}; the tag wants {version}")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if section is None:
        sys.exit(f"CHANGELOG.md has no section '## {version}'; rename '## Unreleased'")
    sys.stdout.write(section[1].strip() + "\n")


if __name__ == "__main__":
    main()
