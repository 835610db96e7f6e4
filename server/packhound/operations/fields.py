"""Types of fields that several requests have, each with its limits and a sentence."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from packhound.core.typed import about, number, sized
from packhound.core.types import MAX_HITS

MAX_TEXT = 1_000
"""Characters of a name, a path or a glob."""
_MAX_ITEMS = 100

Word: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]
Globs: TypeAlias = Annotated[
    tuple[Word, ...], sized("Only paths that match one of these.", _MAX_ITEMS)
]
ExcludedGlobs: TypeAlias = Annotated[tuple[Word, ...], sized("No such paths.", _MAX_ITEMS)]
Words: TypeAlias = Annotated[tuple[Word, ...], Meta(max_length=_MAX_ITEMS)]
Reference: TypeAlias = Annotated[
    str, sized("PATH:LINE or PATH#NAME, as search prints it.", 4_096, 1)
]
References: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=4_096)], ...],
    sized("Code that it is about, as path#Name or path:line.", _MAX_ITEMS),
]
Also: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=4_096)], ...], sized("More of them, in one call.", 20)
]
Line: TypeAlias = Annotated[int, number("1-based line, where the path has none.", 0, 10_000_000)]
Column: TypeAlias = Annotated[int, number("1-based character in `line`.", 0, 10_000_000)]
Limit: TypeAlias = Annotated[int, number("Maximum number of hits.", 1, MAX_HITS)]
LimitOfSettings: TypeAlias = Annotated[Limit, about("Maximum number of hits, else search.limit.")]
Offset: TypeAlias = Annotated[int, number("Where to continue.", 0, 10_000_000)]
SnippetLines: TypeAlias = Annotated[int, number("Lines of code of each hit.", 0, 60)]
MaxTokens: TypeAlias = Annotated[int, number("Tokens at most.", 100, 100_000)]
FocusPath: TypeAlias = Annotated[
    str, sized("PATH or PATH:LINE where the user is: what is near ranks higher.", MAX_TEXT)
]
