"""Folders of this user for the settings file, for logs and for indexes."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def config_folder() -> Path:
    """Return the folder of this user's settings file; `PACKHOUND_CONFIG_DIR` overrides it."""
    override = os.environ.get("PACKHOUND_CONFIG_DIR")
    return Path(override) if override else Path(platformdirs.user_config_dir("packhound", False))


def state_folder() -> Path:
    """Return the folder of this user's logs; `PACKHOUND_STATE_DIR` overrides it."""
    override = os.environ.get("PACKHOUND_STATE_DIR")
    return Path(override) if override else Path(platformdirs.user_state_dir("packhound", False))


def cache_folder() -> Path:
    """Return the folder of all indexes of this user; `PACKHOUND_CACHE_DIR` overrides it."""
    override = os.environ.get("PACKHOUND_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("packhound", False))


def data_folder() -> Path:
    """Return the folder of this user's notes; `PACKHOUND_DATA_DIR` overrides it."""
    override = os.environ.get("PACKHOUND_DATA_DIR")
    return Path(override) if override else Path(platformdirs.user_data_dir("packhound", False))
