"""Other roots that a request names: `rev:`, `deps:` and `repo:NAME`, and a folder as if patched.

The first three stand in a query or as the root; a place in an answer, `rev@COMMIT/PATH`, is
understood as the path, name or first glob of a later request. A patch is given as `patch`, or by
`overlay:ID` in a query.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.types import NodeRef, Note, Remark
from packhound.operations.operation import Call
from packhound.redact import safe_line, visible_line

_FILTER = re.compile(r"(?<!\S)(rev|deps|repo):(\S+)")
_ORGANISATION = re.compile(r"(?<!\S)org:(\S+)")
_OVERLAY = re.compile(r"(?<!\S)overlay:(\w+)(?!\S)")
_LABEL = re.compile(r"(?:\./)?(rev|deps|repo)@([^/\s]+)(?:/|$)")
_PLACES = ("path", "name", "focus_path")
_MAX_REMOVED = 3
_AGENT_S, _TYPING_S, _READ_S = 20.0, 1.0, 60.0
"""Seconds that agents, lists at each key and others wait for a first reading."""
_REMOTES_S = 3.0
"""Seconds that the command line waits for the indexes of what is pulled to be opened."""


class Removes(Remark, template="the patch removes {}"):
    """Definitions that are gone with a patch."""


def elsewhere(
    call: Call, arguments: Mapping[str, object]
) -> tuple[Call, Mapping[str, object], Sequence[Note]]:
    """Return the call on what its arguments name, these without it, and notes on what it is.

    Raises SettingsError: no folder has such a revision or dependency, or the patch does not apply.
    """
    call, arguments, notes_on_root = _other_root(call, arguments)
    call, arguments, notes_on_patch = _as_if_patched(call, arguments)
    notes = [*notes_on_root, *notes_on_patch]
    if notes and _organisation_of(arguments):
        raise SettingsError("'org:' is of all folders: leave out rev:, deps:, repo:, or the patch")
    return call, arguments, notes


def names_other_root(call: Call, arguments: Mapping[str, object]) -> bool:
    """Return True if arguments name another commit, a dependency or a repository."""
    written = str(arguments.get("root") or "")
    is_open = written and any(root.engine.others.at(written) for root in call.roots)
    return bool(is_open or _take_address(arguments)[0])


def beside(
    call: Call, arguments: Mapping[str, object]
) -> tuple[Call, Mapping[str, object], Sequence[Note]]:
    """Return the call of a search with the repositories of `team.remotes` that it asks too.

    `org:NAME` in the query leaves out the folders and repositories of others. Raises SettingsError:
    there are no others.
    """
    query = str(arguments.get("query") or "")
    match = _organisation_of(arguments)
    wants_remotes = bool(arguments.get("remotes", True))
    if arguments.get("root") or not (match or wants_remotes):
        return call, arguments, []
    remotes, notes = dict[str, service.Root](), dict[str, None]()
    seconds = 0.0 if call.is_agent or call.is_typing else _REMOTES_S
    deadline = time.monotonic() + seconds
    engines = [root.engine for root in call.roots] if wants_remotes else []
    asking = [engine for engine in engines if engine.index.settings.team.remotes]
    cloned = {name for root in call.roots if asking for name in root.engine.others.repositories}
    for engine in asking:
        seconds_left = max(0.0, deadline - time.monotonic())
        others, lacking = engine.others.beside(query, cloned, seconds_left)
        notes |= dict.fromkeys(lacking)
        remotes |= {o.label: service.Root(o.engine, o.label, o.origin) for o in others}
    roots = call.roots.beside([*remotes.values()])
    if match:
        arguments = {**arguments, "query": _ORGANISATION.sub("", query, count=1).strip()}
        roots = roots.of_organisation(match[1])
        if not (len(roots) or roots.remotes):
            more = ", and no repository of team.remotes that is pulled," if wants_remotes else ""
            problem = f"'org:{visible_line(match[1][:200])}': no open folder{more} is of it"
            if wants_remotes or not call.is_typing:
                raise SettingsError("; ".join((problem, *notes)))
            notes = {problem: None}  # The list asks again, with the remotes.
    return replace(call, roots=roots), arguments, [*notes]


def _organisation_of(arguments: Mapping[str, object]) -> re.Match[str] | None:
    """Return the `org:NAME` of a query, None in what was pasted."""
    query = str(arguments.get("query") or "")
    return None if "\n" in query.strip() else _ORGANISATION.search(query)


def _as_if_patched(
    call: Call, arguments: Mapping[str, object]
) -> tuple[Call, Mapping[str, object], list[Note]]:
    """Return the call on a folder as if the patch of its arguments were applied, if they have one.

    It is the first of the folders asked to which the patch applies.
    """
    arguments, query = dict(arguments), str(arguments.get("query") or "")
    patch = arguments.pop("patch", None) or ""
    if not isinstance(patch, str):
        raise SettingsError(f"argument 'patch' is {patch!r:.80}; expected a diff or an id")
    if not patch and "\n" not in query.strip() and (match := _OVERLAY.search(query)):
        patch = match[1]
        arguments["query"] = _OVERLAY.sub("", query, count=1).strip()
    if not patch:
        return call, arguments, []
    identity = "" if "\n" in patch.strip() else patch.strip().removeprefix("overlay:")
    refusals = []
    for root in call.roots.select(str(arguments.get("root") or "")):
        try:
            data = service.patch_of(root.engine.root, patch)
            proposal = root.engine.proposals.open(data)
        except SettingsError as refusal:
            refusals.append(refusal)
            continue
        name = f"overlay:{identity}" if identity else "the patch"
        note = f"as if {name} were applied to {visible_line(root.label)}"
        notes: list[Note] = [note, *_removal_note(proposal.folder.removed(), arguments)]
        return replace(call, roots=call.roots.as_if(root, proposal.engine)), arguments, notes
    raise service.best_refusal(refusals)


def _removal_note(removed: Sequence[NodeRef], arguments: Mapping[str, object]) -> list[Removes]:
    """Return a note on what a patch removes, what the arguments name first; none on nothing."""
    text = " ".join(str(value) for value in arguments.values())
    words = {*re.findall(r"\w+", re.sub(r"\\[a-z]", " ", text))}
    order = sorted(removed, key=lambda node: node.name not in words)
    names = [safe_line(f"{node.path}#{node.qualname}") for node in order[:_MAX_REMOVED]]
    if len(removed) > _MAX_REMOVED:
        names.append(f"{len(removed) - _MAX_REMOVED:,} more, which `changes` lists")
    return [Removes(", ".join(names))] if names else []


def _other_root(
    call: Call, arguments: Mapping[str, object]
) -> tuple[Call, Mapping[str, object], list[str]]:
    """Return the call on the other root that its arguments name, if they name one."""
    written = str(arguments.get("root") or "")
    for root in call.roots if written else ():
        if other := root.engine.others.at(written):
            roots = call.roots.with_other(service.Root(other.engine, other.label, other.origin))
            return replace(call, roots=roots), {**arguments, "root": ""}, [other.note]
    address, arguments = _take_address(arguments)
    if not address:
        return call, arguments, []
    refusals, seconds = [], _AGENT_S if call.is_agent else _TYPING_S if call.is_typing else _READ_S
    for root in call.roots:
        try:
            other = root.engine.others.open(address)
        except SettingsError as refusal:
            refusals.append(refusal)
            continue
        fetched = root.engine.others.fetch(other, str(arguments.get("query") or ""))
        if not other.engine.settled(seconds):
            other.engine.read_first(str(arguments.get("query", "")))
        roots = call.roots.with_other(service.Root(other.engine, other.label, other.origin))
        return replace(call, roots=roots), arguments, [*filter(None, (other.note, fetched))]
    raise service.best_refusal(refusals)


def _take_address(arguments: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Return `rev:NAME`, `deps:NAME` or `repo:NAME`, "" without any, and the other arguments."""
    root, query = str(arguments.get("root") or ""), arguments.get("query")
    if match := _FILTER.fullmatch(root) or _LABEL.fullmatch(root):
        return _address(match), {**arguments, "root": ""}
    # What was pasted, such as a log, names no place.
    is_typed = isinstance(query, str) and "\n" not in query.strip()
    if is_typed and (match := _FILTER.search(str(query))):
        rest = _FILTER.sub("", str(query), count=1).strip()
        return _address(match), {**arguments, "query": rest}
    for key in _PLACES:
        if match := _LABEL.match(str(arguments.get(key) or "")):
            return _address(match), arguments
    paths = arguments.get("paths")
    globs = [paths] if isinstance(paths, str) else paths
    if globs and isinstance(globs, list | tuple) and (match := _LABEL.match(str(globs[0]))):
        inside = [str(glob)[match.end() :] for glob in globs if str(glob).startswith(match[0])]
        return _address(match), {**arguments, "paths": [glob for glob in inside if glob]}
    return "", arguments


def _address(match: re.Match[str]) -> str:
    return f"{match[1]}:{match[2].replace('+', '/') if '@' in match[0][:6] else match[2]}"
