"""A small folder, an engine on it, and a cache folder of the test's own."""

from __future__ import annotations

import shutil
import tempfile

import pytest

from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine

FILES = {
    "store/disk.py": '''
import json

API_KEY = "AKIAQ3EGRF7QXW2JD5PA"


class Disk:
    """Keeps records on disk."""

    def load_records(self, path):
        """Read all records from a file."""
        with open(path) as file:
            return json.load(file)

    def save_records(self, path, records):
        """Write all records to a file."""
        with open(path, "w") as file:
            json.dump(records, file)
''',
    "app.py": '''
from store.disk import Disk


def import_records(source, target):
    """Copy records from one file to another."""
    disk = Disk()
    disk.save_records(target, disk.load_records(source))
''',
    ".env": "SECRET=hunter2\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("tools")
    # Short, so that a socket's path fits into its address.
    cache = tempfile.mkdtemp(prefix="ph")
    root = tmp_path / "work"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.lstrip("\n"))
    (tmp_path / "outside.py").write_text("def canary_outside(): pass\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACKHOUND_CACHE_DIR", cache)
        yield root
    shutil.rmtree(cache, ignore_errors=True)


@pytest.fixture(scope="module")
def engine(folder):
    """One engine for a module: tests may add documents under names of their own."""
    opened = Engine.open(folder, settings_from({"ranking.gitHistory": False}))
    assert opened.settled(60)
    yield opened
    opened.close()
