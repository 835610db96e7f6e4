"""Settings of packs."""

from __future__ import annotations

from dataclasses import dataclass, field

from packhound.core.parameters import integer, text
from packhound.core.setting_fields import public
from packhound.core.source_settings import SourceSettings


@dataclass(frozen=True, slots=True)
class PackSettings(SourceSettings):
    """Defaults of what requests for packs leave out."""

    pack_model: str = field(
        default="",
        metadata=public(
            "pack.model",
            text("Language model to state the price of packs for.", 200),
            renamed=False,
        ),
    )
    pack_tokenizer: str = field(
        default="",
        metadata=public(
            "pack.tokenizer",
            text(
                "A `tokenizer.json`, or `tiktoken:NAME`, to count the tokens of packs with.", 4_096
            ),
            renamed=False,
        ),
    )
    pack_reserve: int = field(
        default=0,
        metadata=public(
            "pack.reserve",
            integer("Tokens of a pack's budget to leave free for your own text.", 0, 10_000_000),
            renamed=False,
        ),
    )
