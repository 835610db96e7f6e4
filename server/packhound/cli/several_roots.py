"""One answer of every `--root` of a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from packhound.cli.opening import Answerer, folder_settings
from packhound.core.errors import SettingsError
from packhound.core.nested_roots import nested_globs
from packhound.core.settings_files import FolderSettings
from packhound.core.status import Status
from packhound.core.types import Hit, NodeRef, Query, Results

T = TypeVar("T")

if TYPE_CHECKING:
    from packhound.api import Json
    from packhound.pack import Pack, PackRequest

    Call = Callable[[str, Mapping[str, object]], Json]


class Answerers:
    """The answerers of all roots; of one root its answers are as they are."""

    def __init__(
        self, roots: Sequence[Path], encoder_path: str = "", changes: Sequence[str] = ()
    ) -> None:
        from packhound.api import labels_of
        from packhound.service import real_path

        self.roots = list(dict.fromkeys(map(real_path, roots)))
        self._labels = dict(zip(map(str, self.roots), labels_of(self.roots), strict=True))
        self._overridden = bool(encoder_path or changes)
        self._settings = [folder_settings(root, encoder_path, changes) for root in self.roots]
        self._resources = ExitStack()

    def __enter__(self) -> Answerers:
        pairs = zip(self.roots, self._settings, strict=True)
        self._answerers = [
            self._resources.enter_context(Answerer(root, settings, overridden=self._overridden))
            for root, settings in pairs
        ]
        return self

    def __exit__(self, *failure: object) -> None:
        self._resources.close()

    @property
    def settings(self) -> FolderSettings:
        """The settings of the first root, which count for the command."""
        return self._settings[0]

    def search(self, query: Query) -> Results:
        """Answer a query; nodes of several roots have theirs. Raises PackhoundError."""
        from packhound.service import merge_results

        if len(self._answerers) == 1:
            return self._answerers[0].search(query)
        answers = []
        for root, answerer in zip(self.roots, self._answerers, strict=True):
            excluded = (*query.excluded_paths, *nested_globs(root, self.roots))
            answer = answerer.search(replace(query, excluded_paths=excluded))
            answers.append(_set_root(answer, str(root)))
        return merge_results(query, answers)

    def pack(self, request: PackRequest) -> Pack:
        """Make a pack. Raises PackhoundError."""
        from packhound.pack import pack_roots

        packers = [answerer.pack for answerer in self._answerers]
        return pack_roots(list(zip(map(str, self.roots), packers, strict=True)), request)

    def explain(self, query: Query, reference: str) -> Hit | None:
        """Score the node at a reference for a query, in the first root that has it.

        Raises PackhoundError.
        """
        return self._first(
            reference, lambda answerer, path, line: answerer.explain(query, path, line)
        )

    def related(self, reference: str, limit: int) -> Results:
        """Return nodes of its root like the one at a reference. Raises PackhoundError."""
        answers: list[Results] = []

        def ask(answerer: Answerer, path: str, line: int) -> Results | None:
            answers.append(_set_root(answerer.related(path, line, limit), str(answerer.root)))
            return answers[-1] if answers[-1].hits else None

        return self._first(reference, ask) or answers[0]

    def statuses(self) -> list[Status]:
        """Return the status of each root. Raises PackhoundError."""
        return [answerer.status() for answerer in self._answerers]

    def configs(self) -> list[Json]:
        """Return the settings object of each root, with the root where there are several."""
        from packhound.api import settings_json

        pairs = zip(self.roots, self._answerers, self._settings, strict=True)
        answers = [(r, each.config() or settings_json(of.read())) for r, each, of in pairs]
        if len(answers) == 1:
            return [answers[0][1]]
        return [{"root": str(root), **answer} for root, answer in answers]

    def memory(self, name: str, values: Mapping[str, object]) -> Json:
        """Run a request on notes: `list` and `search` in all roots, others where the note is.

        Raises PackhoundError.
        """
        from packhound.api import NOT_FOUND, merge_notes

        if len(self._answerers) == 1:
            return self._answerers[0].memory(name, values)
        answers = []
        for root, answerer in zip(self.roots, self._answerers, strict=True):
            whose = {"root": str(root), "label": self._labels[str(root)]}
            answer = answerer.memory(name, values)
            rows = answer.get("notes")
            if isinstance(rows, list):
                answers.append({**answer, "notes": [{**row, **whose} for row in rows]})
            elif answer.get("status") != NOT_FOUND:
                return {**answer, **whose}
        return merge_notes(name, values, answers) if answers else {"status": NOT_FOUND}

    def _first(self, reference: str, ask: Callable[[Answerer, str, int], T | None]) -> T | None:
        """Return the answer of the first root that has the place of a reference, and an answer."""
        from packhound.api import Root, without_label

        by_root = dict(zip(map(str, self.roots), self._answerers, strict=True))
        roots = [Root(root, self._labels[root], each.call) for root, each in by_root.items()]
        named, inner = without_label(roots, reference) if len(roots) > 1 else (roots, reference)
        # A folder may have the name of the root that it is in.
        places = dict.fromkeys([*product(named, [inner]), *product(roots, [reference])])
        refusals = []
        for root, place in places:
            answerer = by_root[root.path]
            try:
                if answer := ask(answerer, *answerer.locate(place)):
                    return answer
            except SettingsError as problem:
                refusals.append(problem)
        if len(refusals) == len(places):
            raise refusals[0]
        return None

    def call(self, tool: str, arguments: Json) -> Json:
        """Run a tool of agents. Raises PackhoundError."""
        return self._call([answerer.call for answerer in self._answerers], tool, arguments)

    def grep(self, values: Json) -> Json:
        """Find the lines that match a pattern. Raises PackhoundError."""
        from packhound.api import grep_request_from

        def ask(answerer: Answerer, tool: str, values: Mapping[str, object]) -> Json:
            return answerer.grep(grep_request_from(values))

        calls = [partial(ask, answerer) for answerer in self._answerers]
        return self._call(calls, "grep", values)

    def _call(self, calls: Sequence[Call], tool: str, arguments: Json) -> Json:
        from packhound.api import Root, call_roots

        pairs = zip(self._labels.items(), calls, strict=True)
        roots = [Root(root, label, call) for (root, label), call in pairs]
        return call_roots(roots, tool, arguments)

    def check_focus(self, focus: str) -> None:
        """Raise SettingsError if a focus PATH:LINE is beyond the end of its file."""
        from packhound.api import focus_position

        path, line = focus_position({"focus_path": focus}) or ("", 0)
        if not line:
            return
        try:
            file = self.call("read_node", {"path": path, "limit": 1})
        except SettingsError:
            return  # A focus that is no indexed file is named in the answer.
        n_lines = int(str(file["end_line"]))
        if line >= n_lines:
            raise SettingsError(f"'focus_path' is '{focus}'; the file has {n_lines:,} lines")

    @property
    def locate(self) -> Callable[[NodeRef], Json] | None:
        """Function that returns the root of a node for its JSON, None where there is one root."""
        return (lambda node: {"root": node.root}) if len(self.roots) > 1 else None

    def label(self, results: Results) -> Results:
        """Return results for people, whose paths begin with their root where there are several."""
        if len(self.roots) == 1:
            return results
        hits = []
        for hit in results.hits:
            label = f"{self._labels[hit.node.root]}/" if hit.node.path else ""
            hits.append(replace(hit, node=replace(hit.node, path=label + hit.node.path)))
        return replace(results, hits=tuple(hits))


def _set_root(answer: Results, root: str) -> Results:
    hits = (replace(hit, node=replace(hit.node, root=root)) for hit in answer.hits)
    return replace(answer, hits=tuple(hits))
