"""Folders of this user for the settings file, for logs and for indexes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import platformdirs


def config_folder() -> Path:
    """Return the folder of this user's settings file; `PACKHOUND_CONFIG_DIR` overrides it."""
    return _folder("PACKHOUND_CONFIG_DIR", platformdirs.user_config_dir)


def state_folder() -> Path:
    """Return the folder of this user's logs; `PACKHOUND_STATE_DIR` overrides it."""
    return _folder("PACKHOUND_STATE_DIR", platformdirs.user_state_dir)


def cache_folder() -> Path:
    """Return the folder of all indexes of this user; `PACKHOUND_CACHE_DIR` overrides it."""
    return _folder("PACKHOUND_CACHE_DIR", platformdirs.user_cache_dir)


def data_folder() -> Path:
    """Return the folder of this user's notes; `PACKHOUND_DATA_DIR` overrides it."""
    return _folder("PACKHOUND_DATA_DIR", platformdirs.user_data_dir)


def _folder(variable: str, default: Callable[..., str]) -> Path:
    return Path(os.environ.get(variable) or default("packhound", False))
