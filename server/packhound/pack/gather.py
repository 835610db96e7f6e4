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
from packhound.pack.sources import demotions, explicit, neighbourhood
from packhound.pack.sources.search_hits import add_hits, search_prompt
from packhound.search import content_of, mentions_of


@traced("gather")
def gather(context: PackContext, request: PackRequest) -> Pool:
    """Return all candidates of a request."""
    pool = Pool(context, request)
    mentions = mentions_of(content_of(request.prompt))
    pins = [explicit.parse_pin(pin) for pin in request.pinned]
    paths = PathResolver(context.snapshot.paths_named)
    explicit.add_pinned(pool, pins, paths)
    unknown = (path for path, _ in pins if not paths.resolve(path))
    pool.notes += unknown_file_notes("pinned", unknown)
    if request.focus and request.focus.path not in context.snapshot.files:
        pool.notes += unknown_file_notes("focus", [request.focus.path])
    if neighbourhood.asks_for_changes(request.prompt):
        if neighbourhood.add_all_changes(pool, context):
            neighbourhood.add_neighbours(pool, context)
            return pool
        pool.notes += ("nothing is changed and not committed",)
    explicit.add_focus(pool, request)
    pool.answer = search_prompt(context, request)
    hits = pool.answer.hits if pool.answer else ()
    add_hits(pool, hits)
    explicit.add_mentions(pool, mentions, paths)
    explicit.add_named(pool, context, request.prompt)
    is_minor = demotions.minor_in(request.prompt)
    files = dict.fromkeys(path for mention in mentions for path in paths.resolve(mention.path))
    explicit.add_mentioned_files(pool, hits, [path for path in files if not is_minor(path)])
    neighbourhood.add_file_mates(pool)
    neighbourhood.add_changes(pool, context)
    neighbourhood.add_open_files(pool, request)
    neighbourhood.add_neighbours(pool, context)
    demotions.demote_minor(pool, request.prompt)
    demotions.demote_texts(pool, context, content_of(request.prompt))
    add_needs(pool, request)
    demotions.demote_duplicates(pool, context)
    demotions.drop_far(pool, context, request)
    return pool
