"""The smallest workspace that there is something to find in."""

from __future__ import annotations

from pathlib import Path

SOURCES = {
    "config.py": "def load_config(path):\n    '''Read the settings file.'''\n    return path\n",
    "shapes.py": "class Circle:\n    def area(self):\n        return 3\n",
}


def make_folder(path: Path, sources: dict[str, str] = SOURCES) -> Path:
    path.mkdir(parents=True)
    for name, text in sources.items():
        (path / name).write_text(text, encoding="utf-8", newline="")
    return path
