"""Indicator arrays over `types.KINDS`: types, functions, and the rest."""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.types import KINDS


def _kinds(*kinds: str) -> Floats:
    return np.array([float(kind in kinds) for kind in KINDS], np.float32)


TYPE = _kinds("class", "struct", "enum", "interface", "trait", "module", "type")
FUNCTION = _kinds("function", "method", "macro", "test")
REST = _kinds("file", "window", "section")
KIND_RANK = np.float32(1) + FUNCTION + np.float32(2) * TYPE - REST
