"""The table of settings: one definition of names, defaults, limits and texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from packhound.core.deep_settings import DeepSettings
from packhound.core.parameters import Parameter, array, boolean, choice, integer, number, text
from packhound.core.setting_fields import public
from packhound.core.types import MAX_HITS

Hover = Literal["results", "always", "off"]

MAX_TIME_MS, MAX_CANDIDATES = 60_000, 100_000
MAX_PLUGIN_NAME = 100
"""Characters of the name of a fuser, a scorer or an extractor."""
_MAX_PATH = 4_096
GRAPH_FROM = 150_000
"""Where a scan takes milliseconds; `python -m benchmarks.graph` compares it with a graph."""
_MAX_FACTOR, _MAX_TOP_K = 10.0, 1_000


def _setting(
    default: object,
    name: str,
    parameter: Parameter,
    *,
    renamed: bool = False,
    harmless: bool = False,
) -> Any:  # noqa: ANN401 - as `dataclasses.field`
    """Return a field with the metadata of `public`."""
    metadata = public(name, parameter, renamed=renamed, harmless=harmless)
    return field(default=default, metadata=metadata)


def _harmless(default: object, name: str, parameter: Parameter) -> Any:  # noqa: ANN401 - as above
    """Return the field of a setting that untrusted folders may change."""
    return _setting(default, name, parameter, harmless=True)


def _factor(name: str, what: str) -> Any:  # noqa: ANN401 - as `_setting`
    """Return the field of a factor of fitted weights."""
    description = f"Factor of the weights of {what} in the ranking: 1 as fitted, 0 for none."
    return _setting(1.0, name, number(description, 0, _MAX_FACTOR), harmless=True)


def _top_k(default: int, name: str, description: str) -> Any:  # noqa: ANN401 - as `_setting`
    """Return the field of a number of candidates."""
    return _setting(default, name, integer(description, 0, _MAX_TOP_K), harmless=True)


# No public name may begin with a former one and a dot (`git`, `model`, `hover`, ...): VS Code
# ignores `packhound.git.enabled` as long as `packhound.git` is there too.
@dataclass(frozen=True, slots=True)
class Settings(DeepSettings):
    """One workspace's settings; `SETTINGS` holds their public names."""

    limit: int = _setting(
        10,
        "search.limit",
        integer("How many hits a search shows.", 1, MAX_HITS),
        renamed=True,
        harmless=True,
    )
    fuser: str = _setting(
        "linear",
        "search.fuser",
        text(
            "How candidates become one order: by the learned `linear` ranker, by a weighted "
            "`blend` of words and meaning, by `rrf` (reciprocal rank fusion), or by the fuser of "
            "an installed plugin.",
            MAX_PLUGIN_NAME,
            1,
        ),
        renamed=True,
        harmless=True,
    )
    hover: Hover = _setting(  # noqa: RUF009 - a field
        "results",
        "search.hover",
        choice(
            "When hovers explain scores: over `results` of the last query, `always`, or `off`.",
            get_args(Hover),
        ),
        renamed=True,
        harmless=True,
    )
    time_ms: int = _harmless(
        0,
        "search.timeMs",
        integer(
            "Milliseconds after which a search stops with what it has; 0 means 1,000 in editors, "
            "3,000 for the command line and agents.",
            0,
            MAX_TIME_MS,
        ),
    )
    candidates: int = _harmless(
        400,
        "search.candidates",
        integer("Definitions ranked at most; of files a quarter as many.", 4, MAX_CANDIDATES),
    )
    mmr_lambda: float = _harmless(
        1.0,
        "search.mmrLambda",
        number(
            "Share of relevance against novelty among hits (maximal marginal relevance): 1 by "
            "relevance alone, less puts hits that repeat a better one lower.",
            0.1,
            1,
        ),
    )
    scorers: tuple[str, ...] = _harmless(
        (),
        "search.scorers",
        array(
            "Scorers of installed plugins that score the 50 best hits again, each `NAME` or "
            "`NAME=WEIGHT`.",
            text("A scorer.", MAX_PLUGIN_NAME, 1),
        ),
    )
    words_weight: float = _factor("words.weight", "words and names")
    k1: float = _harmless(
        1.2,
        "words.k1",
        number(
            "BM25's k1: how much repeating a word in a definition adds; less means less.", 0.01, 10
        ),
    )
    b: float = _harmless(
        0.75,
        "words.b",
        number(
            "BM25's b for bodies: how much long ones lose, 0 nothing; other fields in proportion.",
            0,
            1,
        ),
    )
    words_top_k: int = _top_k(100, "words.topK", "Definitions that words make candidates.")
    meaning: bool = _harmless(
        True,
        "meaning.enabled",
        boolean(
            "Search by meaning too; when off, no encoder is loaded. Switching it rebuilds the "
            "index."
        ),
    )
    meaning_weight: float = _factor("meaning.weight", "meaning")
    meaning_top_k: int = _top_k(100, "meaning.topK", "Definitions that meaning makes candidates.")
    names_top_k: int = _top_k(100, "names.topK", "Definitions that names make candidates.")
    graph_top_k: int = _top_k(
        12, "graph.topK", "How many neighbours of a definition a pack considers, of each kind."
    )
    git: bool = _setting(
        False,
        "ranking.gitHistory",
        boolean("Rank files higher that changed lately, by git's history."),
        renamed=True,
    )
    activation: bool = _setting(
        False,
        "ranking.activity",
        boolean(
            "Rank higher what you opened, edited, picked from results and committed lately; "
            "remembered on this machine only, and `packhound clear --activation` deletes it."
        ),
        renamed=True,
    )
    activity_weight: float = _factor("ranking.activityWeight", "what you use")
    exclude: tuple[str, ...] = _setting(
        (),
        "index.exclude",
        array(
            "Files and folders to leave out of the index besides those in ignore files, in the "
            "syntax of .gitignore.",
            text("A pattern."),
        ),
        renamed=True,
        harmless=True,
    )
    max_files: int = _setting(
        100_000,
        "index.maxFiles",
        integer("How many files of a folder are indexed.", 1, 5_000_000),
        renamed=True,
        harmless=True,
    )
    max_file_kilobytes: int = _setting(
        1_000,
        "index.maxFileKilobytes",
        integer("Larger files are not indexed.", 1, 100_000),
        renamed=True,
    )
    extractors: tuple[str, ...] = _harmless(
        (),
        "index.extractors",
        array(
            "Extractors of installed plugins that say which definitions a file of their suffixes "
            "has. Changing them rebuilds the index.",
            text("An extractor.", MAX_PLUGIN_NAME, 1),
        ),
    )
    workers: int = _setting(
        2,
        "index.workers",
        integer(
            "How many parser processes run during a first indexing; one stays afterwards.", 1, 64
        ),
        renamed=True,
    )
    index_home: bool = _setting(
        False,
        "index.allowHome",
        boolean("Index a home directory or the root of a disk when it is opened as a folder."),
        renamed=True,
    )
    persist: bool = _setting(
        True,
        "index.persist",
        boolean("Keep the index in the cache folder between sessions."),
        renamed=True,
    )
    graph_from: int = _setting(
        GRAPH_FROM,
        "index.graphFrom",
        integer(
            "Nodes from which on a search by meaning asks a graph (hnswlib) instead of "
            "comparing with all of them; 0 means never. Smaller folders gain nothing.",
            0,
            100_000_000,
        ),
    )
    poll_seconds: float = _setting(
        3.0,
        "index.pollSeconds",
        number(
            "How often files are checked where the editor does not watch them; less often in "
            "large folders, and 0 means never.",
            0,
            86_400,
        ),
        renamed=True,
    )
    model: str = _setting(
        "",
        "encoder.path",
        text(
            "Folder with `model.onnx` and `tokenizer.json` of a sentence-embedding model; "
            "empty means the bundled one.",
            _MAX_PATH,
        ),
        renamed=True,
    )
    reranker: str = _setting(
        "",
        "rerank.path",
        text(
            "Folder with `model.onnx` and `tokenizer.json` of a cross-encoder that scores the "
            "40 best hits of a description again, which takes hundreds of milliseconds; empty "
            "means none.",
            _MAX_PATH,
        ),
        renamed=True,
    )
    mcp_tools: tuple[str, ...] = _setting(
        (),
        "mcp.tools",
        array(
            "Tools that agents are offered, by name or by group; empty means the group `default`.",
            text("A tool or a group."),
        ),
    )
    mcp_structured: bool = _setting(
        False,
        "mcp.structuredContent",
        boolean(
            "Send agents each answer as JSON too, for clients that are programs; some give a model "
            "that instead of the text, which costs up to four times the tokens."
        ),
    )
    rerank_weight: float = _setting(
        0.5,
        "rerank.weight",
        number("Weight of the cross-encoder's log-odds beside the ranker's score.", 0, 100),
        renamed=True,
    )
