"""Nodes, hits and records as rows of an answer, without the secrets of their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from packhound import impact, search, service
from packhound.core.line_history import LineHistory
from packhound.core.records import Record, iso_date
from packhound.core.status import BINARY_BY_NAME, GREP_ALONE, IN_PART, UNPARSED, Reading
from packhound.core.types import Facet, Hit, NodeRef, Results, SignalGroup, SignalValue
from packhound.operations.operation import NODE, Json
from packhound.operations.references import References
from packhound.operations.text import Row
from packhound.redact import safe_line, without_secrets

_MAX_MATCHES = 20
"""Matched lines of a hit."""
_GROUP_KEYS = ("value", "contribution", "text")


def node_row(node: NodeRef) -> Json:
    """Return a node: its place and its names."""
    return {
        NODE: node,
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        "name": safe_line(node.name),
        "qualname": safe_line(node.qualname),
        "signature": safe_line(node.signature),
    }


def _sibling_row(node: NodeRef) -> Json:
    """Return a further node of a hit's file, whose path is that of the hit."""
    row = node_row(node)
    return {key: row[key] for key in ("kind", "name", "qualname", "start_line", "end_line")}


def link_row(link: impact.Link | NodeRef | impact.NamedLine) -> Json:
    """Return a node; of a link also its line, its distance, how sure it is, and by which tool.

    A line that uses a name has its text instead.
    """
    if isinstance(link, NodeRef):
        return node_row(link)
    row = {**node_row(link.node), "line": link.line + 1}
    if isinstance(link, impact.NamedLine):
        return {**row, "text": safe_line(link.text)}
    how = {"grade": str(link.grade), "by_name": not link.is_resolved}
    by = {"by": safe_line(link.by)} if link.by else {}
    return {**row, "distance": link.distance, **how, **by}


def is_near_alone(row: Row) -> bool:
    """Return True for a related file of which nothing but its folder speaks."""
    return bool(row["reasons"] == [impact.NEAR])


def results_rows(
    roots: service.Roots, results: Results, limit: int, offset: int = 0, *, explain: bool = False
) -> Json:
    """Return the hits of a search from `offset` on, and what is to be known of all of them."""
    end = offset + limit
    return {
        "query": results.query,
        "hits": list(hit_rows(roots, results.hits[offset:end], explain=explain)),
        "offset": offset,
        "next_offset": end if len(results.hits) > end else -1,
        "truncated": results.truncated,
        "generation": results.generation,
        "took_ms": round(results.took_ms, 3),
        "candidates": results.candidates,
        "notes": list(results.notes),
        "confidence": results.confidence,
        "confidence_word": results.confidence_word,
        **({"facets": [_facet_row(each) for each in results.facets]} if results.facets else {}),
        **readiness(results.reading),
    }


def skipped_counts(roots: service.Roots, *, by_grep: bool) -> dict[str, int]:
    """Return how many files were not looked at by the reason, but those somebody has excluded."""
    reasons = Counter[str]()
    for root in roots:
        reasons.update(root.engine.left_out.counts)
    if by_grep:
        del reasons[GREP_ALONE], reasons[UNPARSED]
    return dict(reasons.most_common())


def skipped_note(skipped: Mapping[str, int], sought: str = "") -> str:
    """Return what a person may miss in an answer: files that are texts, or may be.

    `sought` is what they were not searched for, if for other things they were.
    """
    texts = {reason: n for reason, n in skipped.items() if reason != BINARY_BY_NAME}
    if not texts:
        return ""
    n_files, reasons = sum(texts.values()), ", ".join(f"{texts[r]:,} {r}" for r in texts)
    noun = "file is" if n_files == 1 else "files are"
    how = f"not searched{sought}{', or in part' * (not IN_PART.isdisjoint(texts))}"
    return f"{n_files:,} {noun} {how} ({reasons}): `status --skipped` lists them"


def readiness(reading: Reading) -> Json:
    """Return the fields of an answer that say if all files were looked at, or how many were."""
    how_many = {"reading": reading.note} if reading.note else {}
    return {"complete": reading.is_complete, **how_many}


def hit_rows(roots: service.Roots, hits: Sequence[Hit], *, explain: bool) -> Iterator[Json]:
    """Yield hits: `reasons` in words; to explain also `why`, whose contributions are the score."""
    references = References((*roots, *roots.remotes))
    for hit in hits:
        explanation = hit.explanation()
        row = {
            "rank": hit.rank,
            "score": hit.score,
            "confidence": hit.confidence,
            "confidence_word": None if hit.confidence is None else search.word_of(hit.confidence),
            **node_row(hit.node),
            "ref": safe_line(references.of(hit.node)) if hit.node.path else "",
            "siblings": [_sibling_row(sibling) for sibling in hit.siblings],
            "copies": [node_row(copy) for copy in hit.copies],
            "line": safe_line(explanation.line),
            "reasons": [safe_line(reason) for reason in explanation.reasons],
        }
        if explain:
            row |= {
                "why": [signal_row(signal) for signal in hit.why],
                "groups": [_group_row(group) for group in explanation.groups],
                "against": [safe_line(loss) for loss in explanation.against],
                "beside": safe_line(explanation.beside),
            }
        if hit.cell:
            row["cell"] = hit.cell._asdict()
        yield {**row, **_source_fields(hit), **_optional_fields(hit)}


def explanation_row(roots: service.Roots, hit: Hit) -> Json:
    """Return one hit whose groups have their signals, each in a sentence."""
    (row,) = hit_rows(roots, [hit], explain=True)
    by_group = search.signals_by_group(hit)
    row["groups"] = [
        {
            **_group_row(group),
            "signals": [
                {**signal_row(signal), "text": search.phrase(signal)}
                for signal in by_group[group.name]
            ],
        }
        for group in hit.explanation().groups
    ]
    return row


def signal_row(signal: SignalValue) -> Json:
    """Return one reason for a score."""
    return {**signal._asdict(), "contribution": signal.contribution}


def record_row(record: Record) -> Json:
    """Return a record of a source beside code, without secrets."""
    return {
        "id": safe_line(record.id),
        "type": record.type,
        "reference": safe_line(record.reference),
        "title": safe_line(record.title),
        "text": without_secrets(record.text),
        "date": iso_date(record.date),
        "tags": [safe_line(tag) for tag in record.tags],
        "metadata": without_secrets(record.metadata),
    }


def _group_row(group: SignalGroup) -> Json:
    return {"group": group.name, **{key: getattr(group, key) for key in _GROUP_KEYS}}


def _source_fields(hit: Hit) -> Json:
    """Return where a hit comes from, what a record has that code has not, and notes on code."""
    fields: Json = {"source": hit.source, "type": hit.node.kind}
    if hit.record is not None:
        fields |= {"line": safe_line(hit.explanation().line), **record_row(hit.record)}
        fields["ref"] = fields["reference"]
    if hit.notes:
        fields["notes"] = [{**record_row(n.record), "state": n.state} for n in hit.notes]
    return fields


def _optional_fields(hit: Hit) -> Json:
    """Return the commits and the lines of a hit, where they were asked for."""
    fields: Json = {"git": _git_row(hit.git)} if hit.git else {}
    if hit.unread:
        fields["unread"] = hit.unread
    if hit.matches:
        fields["matches"] = [
            {"line": line + 1, "text": safe_line(text)} for line, text in hit.matches[:_MAX_MATCHES]
        ]
        fields["n_matches"] = len(hit.matches)
    if hit.snippet:
        fields["snippet"] = [{"line": line + 1, "text": text} for line, text in hit.snippet]
    return fields


def _facet_row(facet: Facet) -> Json:
    return {
        "name": facet.name,
        "values": [{"text": safe_line(text), "matches": n} for text, n in facet.values],
        "n_values": facet.n_values,
    }


def _git_row(git: LineHistory) -> Json:
    return {
        "state": git.state,
        "commits": git.commits,
        "last_change": iso_date(git.last_change) if git.last_change else None,
        "last_change_time": git.last_change,
        "stale": git.is_stale,
        "age": git.age(),
        "text": git.describe(),
    }
