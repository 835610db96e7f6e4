"""The nodes that could go into a pack, each with its utility and the reasons for it.

Stages: what the prompt, the user and the search name; then what stands around the strongest of
these; then tests and near-duplicates lose. A utility is meant as the chance that a node is needed.
"""

from __future__ import annotations

from packhound.pack.context import PackContext
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pool import Pool
from packhound.pack.request import PackRequest
from packhound.pack.sources.demotions import demote_duplicates, demote_tests
from packhound.pack.sources.explicit import (
    add_focus,
    add_mentions,
    add_named_files,
    add_pinned,
    pin_of,
)
from packhound.pack.sources.neighbourhood import (
    add_changes,
    add_file_mates,
    add_neighbours,
    add_open_files,
)
from packhound.pack.sources.search_hits import add_hits, hits_of
from packhound.search.query.mentions import mentions_of


def gather(context: PackContext, request: PackRequest) -> Pool:
    """All candidates of a request."""
    pool = Pool(context, request)
    named = mentions_of(request.prompt)
    pins = [pin_of(pin) for pin in request.pinned]
    files = PathResolver(context.snapshot.paths_named)
    add_pinned(pool, pins, files)
    add_focus(pool, request)
    hits = hits_of(context, request)
    add_hits(pool, hits)
    add_mentions(pool, named, files)
    add_named_files(pool, hits, named, files)
    add_file_mates(pool)
    add_changes(pool, context)
    add_open_files(pool, request)
    add_neighbours(pool, context)
    demote_tests(pool, request.prompt)
    demote_duplicates(pool, context)
    return pool
