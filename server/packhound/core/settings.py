"""Settings: one definition of names, defaults, limits and texts, and the reader of clients' values.

Bad values never stop the server: each is reported in one line that names it and what is expected,
and the default stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, get_args

from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, array, boolean, choice, integer, number, text
from packhound.core.setting_fields import public
from packhound.core.source_settings import SourceSettings
from packhound.core.types import MOST_HITS

Hover = Literal["results", "always", "off"]
FuserName = Literal["linear", "rrf"]
DeepMode = Literal["auto", "on", "off"]

_MAX_PATH = 4_096

GRAPH_FROM = 150_000
"""Where a scan takes milliseconds; `python -m benchmarks.graph` compares it with a graph."""


# No public name may begin with a former one and a dot (`git`, `model`, `hover`, ...): VS Code
# ignores `packhound.git.enabled` as long as `packhound.git` is there too.
@dataclass(frozen=True, slots=True)
class Settings(SourceSettings):
    """One workspace's settings; `SETTINGS` holds their public names."""

    limit: int = field(
        default=10,
        metadata=public(
            "search.limit", integer("How many hits a search shows.", 1, MOST_HITS), harmless=True
        ),
    )
    fuser: FuserName = field(
        default="linear",
        metadata=public(
            "search.fuser",
            choice(
                "How candidates become one order: by the learned `linear` ranker, or by `rrf` "
                "(reciprocal rank fusion).",
                get_args(FuserName),
            ),
            harmless=True,
        ),
    )
    hover: Hover = field(
        default="results",
        metadata=public(
            "search.hover",
            choice(
                "When hovers explain scores: over `results` of the last query, `always`, or `off`.",
                get_args(Hover),
            ),
            harmless=True,
        ),
    )
    deep: DeepMode = field(
        default="auto",
        metadata=public(
            "search.deep",
            choice(
                "When the transformer of the extra `packhound[deep]` reads the 50 best hits of a "
                "description again: `auto` for the command line, agents and packs, not while you "
                "type in an editor, `on` for every search, or `off`.",
                get_args(DeepMode),
            ),
            renamed=False,
            harmless=True,
        ),
    )
    git: bool = field(
        default=False,
        metadata=public(
            "ranking.gitHistory",
            boolean("Rank files higher that changed lately, by git's history."),
        ),
    )
    activation: bool = field(
        default=False,
        metadata=public(
            "ranking.activity",
            boolean(
                "Rank higher what you opened, edited, picked from results and committed lately; "
                "remembered on this machine only, and `packhound clear --activation` deletes it."
            ),
        ),
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=public(
            "index.exclude",
            array(
                "Files and folders to leave out of the index besides those in ignore files, in the "
                "syntax of .gitignore.",
                text("A pattern."),
            ),
            harmless=True,
        ),
    )
    max_files: int = field(
        default=100_000,
        metadata=public(
            "index.maxFiles",
            integer("How many files of a folder are indexed.", 1, 5_000_000),
            harmless=True,
        ),
    )
    max_file_kilobytes: int = field(
        default=1_000,
        metadata=public(
            "index.maxFileKilobytes", integer("Larger files are not indexed.", 1, 100_000)
        ),
    )
    workers: int = field(
        default=2,
        metadata=public(
            "index.workers",
            integer(
                "How many parser processes run during a first indexing; one stays afterwards.",
                1,
                64,
            ),
        ),
    )
    index_home: bool = field(
        default=False,
        metadata=public(
            "index.allowHome",
            boolean("Index a home directory or the root of a disk when it is opened as a folder."),
        ),
    )
    persist: bool = field(
        default=True,
        metadata=public(
            "index.persist", boolean("Keep the index in the cache folder between sessions.")
        ),
    )
    graph_from: int = field(
        default=GRAPH_FROM,
        metadata=public(
            "index.graphFrom",
            integer(
                "Nodes from which on a search by meaning asks a graph (hnswlib) instead of "
                "comparing with all of them; 0 means never. Smaller folders gain nothing.",
                0,
                100_000_000,
            ),
            renamed=False,
        ),
    )
    poll_seconds: float = field(
        default=3.0,
        metadata=public(
            "index.pollSeconds",
            number(
                "How often files are checked where the editor does not watch them; less often in "
                "large folders, and 0 means never.",
                0,
                86_400,
            ),
        ),
    )
    model: str = field(
        default="",
        metadata=public(
            "encoder.path",
            text(
                "Folder with `model.onnx` and `tokenizer.json` of a sentence-embedding model; "
                "empty means the bundled one.",
                _MAX_PATH,
            ),
        ),
    )
    reranker: str = field(
        default="",
        metadata=public(
            "rerank.path",
            text(
                "Folder with `model.onnx` and `tokenizer.json` of a cross-encoder that scores the "
                "40 best hits of a description again, which takes hundreds of milliseconds; empty "
                "means none.",
                _MAX_PATH,
            ),
        ),
    )
    rerank_weight: float = field(
        default=0.5,
        metadata=public(
            "rerank.weight",
            number("Weight of the cross-encoder's log-odds beside the ranker's score.", 0, 100),
        ),
    )


class Setting(NamedTuple):
    """A setting as clients see it; `former_name`, if any, is honoured for one release."""

    name: str
    former_name: str
    field: str
    default: Any
    parameter: Parameter
    harmless: bool


class SettingsRead(NamedTuple):
    """Values read, by field, and one line for each problem and for each former name."""

    changes: Mapping[str, object]
    problems: tuple[str, ...]
    deprecations: tuple[str, ...]


def _camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


_OF_SOURCES = {each.name for each in fields(SourceSettings)}
SETTINGS: dict[str, Setting] = {
    each.metadata["name"]: Setting(
        each.metadata["name"],
        _camel_case(each.name) if each.metadata["renamed"] else "",
        each.name,
        each.default,
        each.metadata["parameter"],
        each.metadata["harmless"],
    )
    for each in sorted(fields(Settings), key=lambda each: each.name in _OF_SOURCES)
}
FORMER_NAMES: dict[str, Setting] = {
    setting.former_name: setting for setting in SETTINGS.values() if setting.former_name
}


def read_settings(
    values: Mapping[str, object], base: Settings | None = None
) -> tuple[Settings, tuple[str, ...], tuple[str, ...]]:
    """Return `base` changed by `values`, the problems and the notes on former names."""
    changes, problems, deprecations = read_changes(values)
    return replace_fields(base or Settings(), changes), problems, deprecations


def read_changes(values: Mapping[str, object]) -> SettingsRead:
    """Read settings by name: nested objects or dotted keys, camelCase or snake_case."""
    changes: dict[str, object] = {}
    problems: list[str] = []
    deprecations: list[str] = []
    flat = dict(_flatten(values))
    # A client that knows both names of a setting sends both, one of them with its default.
    for key, value in sorted(flat.items(), key=lambda item: _camel_case(item[0]) in SETTINGS):
        name = _camel_case(key)
        setting = SETTINGS.get(name) or FORMER_NAMES.get(name)
        if setting is None:
            problems.append(f"unknown setting '{key}'; expected one of: {', '.join(SETTINGS)}")
            continue
        try:
            read = None if value is None else setting.parameter.read(f"setting '{key}'", value)
        except SettingsError as problem:
            problems.append(str(problem))
            continue
        is_former = name not in SETTINGS
        if read is None or (read == setting.default and setting.field in changes):
            continue
        if is_former and read != setting.default:
            deprecations.append(
                f"setting '{key}' is now '{setting.name}'; the old name ends with the next release"
            )
        changes[setting.field] = read
    return SettingsRead(changes, tuple(problems), tuple(deprecations))


def replace_fields(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Return `settings` with checked values of some fields."""
    return replace(settings, **changes)  # type: ignore[arg-type]


def _flatten(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{inner}", nested) for inner, nested in value.items())
        else:
            yield key, value
