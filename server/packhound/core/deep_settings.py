"""Settings of the deep model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from packhound.core.pack_settings import PackSettings
from packhound.core.parameters import choice, integer
from packhound.core.setting_fields import public

DeepMode = Literal["auto", "on", "off"]

DEEP_TIME_MS = 3_000
"""For callers that wait for the deep model: a first search loads it, and reads 50 nodes with it."""
_MAX_IDLE_NODES = 20_000
"""Half of the vectors that are saved, so that those of searches stay."""


@dataclass(frozen=True, slots=True)
class DeepSettings(PackSettings):
    """When the transformer of the extra `deep` reads what."""

    deep: DeepMode = field(
        default="auto",
        metadata=public(
            "search.deep",
            choice(
                "When the transformer of the extra `packhound[deep]` reads the 50 best hits of a "
                "description again: `auto` for the command line, agents, packs, and lists in VS "
                "Code and Neovim when typing rests, `on` for every search, or `off`.",
                get_args(DeepMode),
            ),
            renamed=False,
            harmless=True,
        ),
    )
    deep_idle_nodes: int = field(
        default=2_000,
        metadata=public(
            "deep.idleNodes",
            integer(
                "How many definitions that transformer reads in advance while nobody uses the "
                "index, so that searches need not wait for it; 0 means none.",
                0,
                _MAX_IDLE_NODES,
            ),
            renamed=False,
        ),
    )
