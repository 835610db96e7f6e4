"""Read the configuration of a folder with a sentence-embedding model.

Supported are the layouts of sentence-transformers exports (model.onnx or onnx/model.onnx,
tokenizer.json, config.json, 1_Pooling/config.json, config_sentence_transformers.json) and our own
packhound.json, which overrides the others: {"pooling", "max_tokens", "query_prefix",
"document_prefix"}, all optional.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packhound.core.errors import ModelError

Pooling = Literal["mean", "cls", "last"]

RECIPE_VERSION = 1
"""Version of the way from text to vector beyond the folder; part of every fingerprint.

1  first version
"""

_POOLING_FLAGS: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "last",
}
_POOLINGS: tuple[Pooling, ...] = ("mean", "cls", "last")
_MAX_TOKENS = 512
"""If the folder names no limit, or a greater one: longer texts cost time and gain nothing."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """Files of a model and how to use them."""

    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    pad_id: int
    query_prefix: str
    document_prefix: str
    fingerprint: str


def read_model_folder(folder: Path) -> ModelFolder:
    """Read the files next to the model. Raises ModelError, naming the folder and the remedy."""
    model = _first_of(folder, "model.onnx", "onnx/model.onnx")
    tokenizer = _first_of(folder, "tokenizer.json")
    config = _json(folder, "config.json")
    overrides = _json(folder, "packhound.json")
    prompts = _json(folder, "config_sentence_transformers.json").get("prompts")
    _refuse_dense_layers(folder)
    return ModelFolder(
        model=model,
        tokenizer=tokenizer,
        pooling=_pooling(folder, overrides),
        max_tokens=_max_tokens(folder, config, overrides),
        pad_id=_number(config, "pad_token_id"),
        query_prefix=_prefix("query", overrides, prompts),
        document_prefix=_prefix("document", overrides, prompts),
        fingerprint=_fingerprint(folder, model),
    )


def _first_of(folder: Path, *names: str) -> Path:
    for name in names:
        if _is_file(folder / name):
            return folder / name
    raise ModelError(
        f"model folder {folder}: {' or '.join(names)} is missing; "
        "export the model to ONNX there, or leave its setting empty"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # No name that a file can have, or no right to look.
        return False


def _json(folder: Path, name: str) -> dict[str, object]:
    path = folder / name
    if not _is_file(path):
        return {}
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"model folder {folder}: {name} cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise ModelError(f"model folder {folder}: {name} is not a JSON object")
    return value


def _pooling(folder: Path, overrides: dict[str, object]) -> Pooling:
    override = overrides.get("pooling")
    if override is not None:
        return _check_pooling(folder, override)
    flags = _json(folder, "1_Pooling/config.json")
    modes = [name for name, on in flags.items() if name.startswith("pooling_mode") and on is True]
    poolings = [_POOLING_FLAGS[mode] for mode in modes if mode in _POOLING_FLAGS]
    if len(modes) > len(poolings) or len(poolings) > 1:
        raise ModelError(
            f"model folder {folder}: 1_Pooling asks for {', '.join(modes)}; "
            f"only one of {', '.join(_POOLINGS)} is supported"
        )
    return poolings[0] if poolings else "mean"


def _check_pooling(folder: Path, value: object) -> Pooling:
    for pooling in _POOLINGS:
        if value == pooling:
            return pooling
    raise ModelError(
        f"model folder {folder}: pooling {value!r} in packhound.json; "
        f"expected one of: {', '.join(_POOLINGS)}"
    )


def _refuse_dense_layers(folder: Path) -> None:
    """Raise ModelError for a Dense layer after the pooling: it is not part of model.onnx."""
    dense = next(folder.glob("*_Dense"), None)
    if dense is not None:
        raise ModelError(
            f"model folder {folder}: the layer {dense.name} is not part of model.onnx; "
            "export the model with it, and remove that folder"
        )


def _max_tokens(folder: Path, config: dict[str, object], overrides: dict[str, object]) -> int:
    limits = [
        _number(overrides, "max_tokens"),
        _number(_json(folder, "sentence_bert_config.json"), "max_seq_length"),
        _number(_json(folder, "tokenizer_config.json"), "model_max_length"),
        _number(config, "max_position_embeddings"),
    ]
    stated = [limit for limit in limits if limit > 0]
    return min(stated[0] if limits[0] else min(stated, default=_MAX_TOKENS), _MAX_TOKENS)


def _number(values: dict[str, object], name: str) -> int:
    """Return a whole number, 0 if there is none."""
    value = values.get(name)
    return value if isinstance(value, int) else 0


def _prefix(kind: str, overrides: dict[str, object], prompts: object) -> str:
    prefix = overrides.get(f"{kind}_prefix")
    if prefix is None and isinstance(prompts, dict):
        prefix = prompts.get(kind)
    return prefix if isinstance(prefix, str) else ""


def _fingerprint(folder: Path, model: Path) -> str:
    """Return a digest of all that decides a vector: JSON files and the model with its weights."""
    files = sorted(
        {*folder.glob("*.json"), *folder.glob("*/*.json"), *model.parent.glob("*.onnx*")}
    )
    digest = hashlib.sha256(f"packhound {RECIPE_VERSION}\0".encode())
    for path in files:
        content = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                content.update(block)
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + content.digest())
    return digest.hexdigest()[:32]
