"""Indicator arrays over `types.KINDS`: types, functions, and the rest."""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.types import KINDS


def _kinds(*kinds: str) -> Floats:
    return np.array([float(kind in kinds) for kind in KINDS], np.float32)


TYPE = _kinds("class", "struct", "enum", "interface", "trait", "module", "type")
FUNCTION = _kinds("function", "method", "macro", "test")
TEST = _kinds("test")
REST = _kinds("file", "window", "section")
_ALIAS: Floats = np.float32(0.5) * _kinds("type")
DEFINED_TYPE: Floats = _kinds("class", "struct", "enum", "interface", "trait") + _ALIAS
"""An alias, or the type that an impl gives for a trait's, counts half."""

IMPL = _kinds("impl")
KIND_RANK = np.float32(1) + FUNCTION + np.float32(2) * TYPE - REST
