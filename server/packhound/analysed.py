"""What a parsing worker hands to the index: one file's nodes with their terms and texts.

It stands apart from `syntax/`, which makes it, and `index/`, which reads it, so that neither
imports the other. Everything in it is derived from the source alone: equal source, equal value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.types import ParsedFile


@dataclass(frozen=True, slots=True, eq=False)
class NodeTerms:
    """How often each term stands in each field of each node of one file.

    The four arrays have one row per (node, field, term), each such triple once, sorted by node,
    then field, then first occurrence. `term` is a position in `vocabulary`, `field` one in
    `types.FIELDS`. A term that occurs more than 65,535 times counts as 65,535.
    """

    vocabulary: tuple[str, ...]
    term: NDArray[np.int32]
    node: NDArray[np.int32]
    field: NDArray[np.uint8]
    tf: NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedFile:
    """One document after parsing and tokenising.

    `digest` is blake2b-16 of the source. `texts[i]` is what the encoder reads for node i.
    `node_digests[i]` is the identity of node i's derived data: equal digest, equal terms and
    equal vector.
    """

    parsed: ParsedFile
    digest: bytes
    terms: NodeTerms
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]
