"""Prices of language models: a small table, and the user's own corrections to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from packhound.core.user_folders import config_folder

TABLE = Path(__file__).with_name("models.json")


@dataclass(frozen=True, slots=True)
class Model:
    """Language model: US dollars for a million input tokens, and its context window in tokens.

    `tokenizer` is as in `counter_for`, "" where none is published.
    """

    name: str
    input_price: float
    window: int
    tokenizer: str = ""


def models() -> dict[str, Model]:
    """Return all models by name; a broken table of the user's changes nothing."""
    return _read(TABLE) | _read(user_table())


def find_model(name: str) -> Model | None:
    """Return the model with the longest name that `name` begins with (`gpt-4o-2024-11-20`)."""
    by_name = models()
    prefixes = [key for key in by_name if name.lower().startswith(key.lower())]
    return by_name[max(prefixes, key=len)] if prefixes else None


def cost(tokens: int, model: Model) -> float:
    """Return the US dollars for reading `tokens`."""
    return tokens * model.input_price / 1_000_000


def user_table() -> Path:
    """Return the file of a user's corrections, in the configuration folder."""
    return config_folder() / "models.json"


def _read(path: Path) -> dict[str, Model]:
    try:
        rows = json.loads(path.read_text("utf-8"))["models"]
        return {
            name: Model(
                name, float(row["input"]), int(row["window"]), str(row.get("tokenizer", ""))
            )
            for name, row in rows.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
