"""Folders of this user for the settings file, for logs and for indexes."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def config_folder() -> Path:
    """Return the folder of this user's settings file; `PACKHOUND_CONFIG_DIR` overrides it."""
    return _folder("config")


def state_folder() -> Path:
    """Return the folder of this user's logs; `PACKHOUND_STATE_DIR` overrides it."""
    return _folder("state")


def cache_folder() -> Path:
    """Return the folder of all indexes of this user; `PACKHOUND_CACHE_DIR` overrides it."""
    return _folder("cache")


def data_folder() -> Path:
    """Return the folder of this user's notes; `PACKHOUND_DATA_DIR` overrides it."""
    return _folder("data")


def _folder(kind: str) -> Path:
    path = os.environ.get(f"PACKHOUND_{kind.upper()}_DIR")
    return Path(path or getattr(platformdirs, f"user_{kind}_dir")("packhound", False))
