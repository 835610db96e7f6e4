"""The candidates of a pack: nodes that could go into it, with their utilities and reasons.

First what the prompt, the user and the search name; then the neighbourhood of the strongest of
these; then tests and near-duplicates are demoted. A utility estimates the probability that a node
is needed.
"""

from __future__ import annotations

from packhound.core.trace import traced
from packhound.pack.context import PackContext
from packhound.pack.needs import add_needs
from packhound.pack.notes import unknown_file_notes
from packhound.pack.path_resolver import PathResolver
from packhound.pack.pool import Pool
from packhound.pack.request import PackRequest
from packhound.pack.sources.demotions import (
    demote_duplicates,
    demote_minor,
    demote_texts,
    drop_far,
    minor_in,
)
from packhound.pack.sources.explicit import (
    add_focus,
    add_mentioned_files,
    add_mentions,
    add_named,
    add_pinned,
    parse_pin,
)
from packhound.pack.sources.neighbourhood import (
    add_all_changes,
    add_changes,
    add_file_mates,
    add_neighbours,
    add_open_files,
    asks_for_changes,
)
from packhound.pack.sources.search_hits import add_hits, search_prompt
from packhound.search import content_of, mentions_of


@traced("gather")
def gather(context: PackContext, request: PackRequest) -> Pool:
    """Return all candidates of a request."""
    pool = Pool(context, request)
    mentions = mentions_of(content_of(request.prompt))
    pins = [parse_pin(pin) for pin in request.pinned]
    paths = PathResolver(context.snapshot.paths_named)
    add_pinned(pool, pins, paths)
    unknown = (path for path, _ in pins if not paths.resolve(path))
    pool.notes += unknown_file_notes("pinned", unknown)
    if request.focus and request.focus.path not in context.snapshot.files:
        pool.notes += unknown_file_notes("focus", [request.focus.path])
    if asks_for_changes(request.prompt):
        if add_all_changes(pool, context):
            add_neighbours(pool, context)
            return pool
        pool.notes += ("nothing is changed and not committed",)
    add_focus(pool, request)
    pool.answer = search_prompt(context, request)
    hits = pool.answer.hits if pool.answer else ()
    add_hits(pool, hits)
    add_mentions(pool, mentions, paths)
    add_named(pool, context, request.prompt)
    is_minor = minor_in(request.prompt)
    files = dict.fromkeys(path for mention in mentions for path in paths.resolve(mention.path))
    add_mentioned_files(pool, hits, [path for path in files if not is_minor(path)])
    add_file_mates(pool)
    add_changes(pool, context)
    add_open_files(pool, request)
    add_neighbours(pool, context)
    demote_minor(pool, request.prompt)
    demote_texts(pool, context, content_of(request.prompt))
    add_needs(pool, request)
    demote_duplicates(pool, context)
    drop_far(pool, context, request)
    return pool
