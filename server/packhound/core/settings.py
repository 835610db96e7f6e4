"""Settings in groups: names, types, defaults, limits and texts, each declared here once.

A setting's public name is its group and its field in camelCase: `index.maxFiles`. The page of the
docs, the manifest of the extension and Neovim's help are made from here by `docs/settings.py`.

Of what is said of a setting `former` is the name of 0.1, honoured for one release; a `harmless` one
may come from the folder of a stranger; one `of_session` is followed by each client for itself, or
changes no answer, all others hold for a folder whoever asks; one `of_user` counts in no folder's
file, trusted or not; `scope` is VS Code's; `name` replaces the field in the public name, and
`choices` has a sentence for each.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from packhound.core.records import SOURCE_NAMES, SourceName
from packhound.core.typed import about, number, sized
from packhound.core.types import MAX_HITS

Hover = Literal["results", "always", "off"]
DeepMode = Literal["auto", "on", "off"]

MAX_TIME_MS, MAX_CANDIDATES = 60_000, 100_000
DEEP_TIME_MS = 3_000
"""For callers that wait for the deep model: a first search loads it, and reads 50 nodes with it."""
GRAPH_FROM = 150_000
"""Where a scan takes milliseconds; `python -m benchmarks.graph` compares it with a graph."""
MAX_PLUGIN_NAME = 100
"""Characters of the name of a fuser, a scorer or an extractor."""
_MAX_IDLE_NODES = 20_000
"""Half of the vectors that are saved, so that those of searches stay."""
_MAX_PATH, _MAX_ITEM, _MAX_ITEMS = 4_096, 1_000, 100
_MAX_FACTOR, _MAX_TOP_K = 10, 1_000

_Text: TypeAlias = Annotated[str, Meta(max_length=_MAX_ITEM)]
_Plugin: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MAX_PLUGIN_NAME)]
_Folder: TypeAlias = Annotated[str, Meta(min_length=1, max_length=_MAX_PATH)]


def _text(description: str, maximum: int = _MAX_PATH, **more: object) -> Meta:
    """Describe a string of at most some characters."""
    return sized(description, maximum, None, **more)


def _list(description: str, **more: object) -> Meta:
    return sized(description, _MAX_ITEMS, None, **more)


def _factor(what: str) -> Meta:
    """Describe a factor of fitted weights."""
    description = f"Factor of the weights of {what} in the ranking: 1 as fitted, 0 for none."
    return number(description, 0, _MAX_FACTOR, harmless=True)


def _top_k(description: str) -> Meta:
    return number(description, 0, _MAX_TOP_K)


def _group(
    title: str, scope: str = "window", *, harmless: bool = False, of_user: bool = False
) -> Meta:
    """Describe a group: its title in VS Code, and what holds for settings that say nothing else."""
    return Meta(title=title, extra={"scope": scope, "harmless": harmless, "of_user": of_user})


class SearchSettings(Struct, frozen=True):
    """Defaults of searches."""

    limit: Annotated[
        int, number("How many hits a search shows.", 1, MAX_HITS, former="limit", of_session=True)
    ] = 10
    fuser: Annotated[
        str,
        Meta(min_length=1),
        _text(
            "How candidates become one order: by the learned `linear` ranker, by a weighted "
            "`blend` of words and meaning, by `rrf` (reciprocal rank fusion), or by the fuser of "
            "an installed plugin.",
            MAX_PLUGIN_NAME,
            former="fuser",
        ),
    ] = "linear"
    hover: Annotated[
        Hover,
        about(
            "When hovers explain scores: over `results` of the last query, `always`, or `off`.",
            former="hover",
            of_session=True,
            choices=(
                "For results of the last query.",
                "For every definition, scored for the last query.",
                "Never.",
            ),
        ),
    ] = "results"
    code_lens: Annotated[
        bool,
        about(
            "A line above each definition that counts its callers, tests and notes.",
            of_session=True,
        ),
    ] = False
    time_ms: Annotated[
        int,
        number(
            "Milliseconds after which a search stops with what it has; 0 means 1,000 in editors, "
            "3,000 for the command line and agents.",
            0,
            MAX_TIME_MS,
        ),
    ] = 0
    candidates: Annotated[
        int, number("Definitions ranked at most; of files a quarter as many.", 4, MAX_CANDIDATES)
    ] = 400
    mmr_lambda: Annotated[
        float,
        number(
            "Share of relevance against novelty among hits (maximal marginal relevance): 1 by "
            "relevance alone, less puts hits that repeat a better one lower.",
            0.1,
            1,
        ),
    ] = 1.0
    scorers: Annotated[
        tuple[_Plugin, ...],
        _list(
            "Scorers of installed plugins that score the 50 best hits again, each `NAME` or "
            "`NAME=WEIGHT`.",
            harmless=False,
        ),
    ] = ()
    sources: Annotated[
        tuple[SourceName, ...],
        _list(
            "Sources that a search without `type:` asks beside code, of those switched on.",
            scope="resource",
        ),
    ] = ()
    deep: Annotated[
        DeepMode,
        about(
            "When the bundled transformer reads the 50 best hits of a "
            "description again: `auto` for the command line, agents, packs, and lists in VS "
            "Code and Neovim when typing rests, `on` for every search, or `off`.",
            choices=(
                "For the command line, agents, packs, and the list of a search when typing rests.",
                "For every search.",
                "Never.",
            ),
        ),
    ] = "auto"


class DeepSettings(Struct, frozen=True):
    """Work of the deep model beside searches."""

    idle_nodes: Annotated[
        int,
        number(
            "How many definitions that transformer reads in advance while nobody uses the "
            "index, so that searches find them by it and need not wait; 0 means none.",
            0,
            _MAX_IDLE_NODES,
        ),
    ] = 10_000


class WordSettings(Struct, frozen=True):
    """Search by words."""

    weight: Annotated[float, _factor("words and names")] = 1.0
    k1: Annotated[
        float,
        number(
            "BM25's k1: how much repeating a word in a definition adds; less means less.", 0.01, 10
        ),
    ] = 1.2
    b: Annotated[
        float,
        number(
            "BM25's b for bodies: how much long ones lose, 0 nothing; other fields in proportion.",
            0,
            1,
        ),
    ] = 0.75
    top_k: Annotated[int, _top_k("Definitions that words make candidates.")] = 100


class MeaningSettings(Struct, frozen=True):
    """Search by meaning."""

    enabled: Annotated[
        bool,
        about(
            "Search by meaning too; when off, no encoder is loaded. Switching it rebuilds the "
            "index."
        ),
    ] = True
    weight: Annotated[float, _factor("meaning")] = 1.0
    top_k: Annotated[int, _top_k("Definitions that meaning makes candidates.")] = 100


class NameSettings(Struct, frozen=True):
    """Search by names."""

    top_k: Annotated[int, _top_k("Definitions that names make candidates.")] = 100


class GraphSettings(Struct, frozen=True):
    """Neighbours of definitions."""

    top_k: Annotated[
        int, _top_k("How many neighbours of a definition a pack considers, of each kind.")
    ] = 12


class RankingSettings(Struct, frozen=True):
    """Ranking by what happened to the code."""

    git_history: Annotated[
        bool, about("Rank files higher that changed lately, by git's history.", former="git")
    ] = False
    activity: Annotated[
        bool,
        about(
            "Rank higher what you opened, edited, picked from results and committed lately; "
            "remembered on this machine only, and `packhound clear --activation` deletes it.",
            former="activation",
        ),
    ] = False
    activity_weight: Annotated[float, _factor("what you use")] = 1.0


class IndexSettings(Struct, frozen=True):
    """Reading of files, and the place of the index."""

    enabled: Annotated[
        bool,
        about(
            "Read this folder. Off, nothing of it is read, kept in memory or found, for whoever "
            "else has it open too, until all have it on; the saved index stays on disk.",
            harmless=True,
        ),
    ] = True
    exclude: Annotated[
        tuple[_Text, ...],
        _list(
            "Files and folders to leave out of the index besides those in ignore files, in the "
            "syntax of .gitignore.",
            former="exclude",
            harmless=True,
        ),
    ] = ()
    max_files: Annotated[
        int,
        number(
            "How many files of a folder are indexed.",
            1,
            5_000_000,
            former="maxFiles",
            harmless=True,
        ),
    ] = 100_000
    max_file_kilobytes: Annotated[
        int,
        number(
            "Of larger files the index has the path and first lines; grep reads all, up to 30 MB.",
            1,
            100_000,
            former="maxFileKilobytes",
        ),
    ] = 4_000
    extractors: Annotated[
        tuple[_Plugin, ...],
        _list(
            "Extractors of installed plugins that say which definitions a file of their suffixes "
            "has. Changing them rebuilds the index.",
        ),
    ] = ()
    workers: Annotated[
        int,
        number(
            "How many parser processes run during a first indexing; one stays afterwards.",
            1,
            64,
            former="workers",
            of_session=True,
            scope="machine-overridable",
        ),
    ] = 2
    allow_home: Annotated[
        bool,
        about(
            "Index a home directory or the root of a disk when it is opened as a folder.",
            former="indexHome",
            scope="machine-overridable",
        ),
    ] = False
    persist: Annotated[
        bool,
        about(
            "Keep the index in the cache folder between sessions.",
            former="persist",
            scope="machine-overridable",
        ),
    ] = True
    graph_from: Annotated[
        int,
        number(
            "Nodes from which on a search by meaning asks a graph (hnswlib) instead of "
            "comparing with all of them; 0 means never. Smaller folders gain nothing.",
            0,
            100_000_000,
            scope="machine-overridable",
        ),
    ] = GRAPH_FROM
    poll_seconds: Annotated[
        float,
        number(
            "How often files are checked where the editor does not watch them; less often in "
            "large folders, and 0 means never.",
            0,
            86_400,
            former="pollSeconds",
            of_session=True,
            scope="machine-overridable",
        ),
    ] = 3.0


class EncoderSettings(Struct, frozen=True):
    """The model that embeds."""

    path: Annotated[
        str,
        _text(
            "Folder with `model.onnx` and `tokenizer.json` of a sentence-embedding model; "
            "empty means the bundled one.",
            former="model",
        ),
    ] = ""


class RerankSettings(Struct, frozen=True):
    """A cross-encoder of the user's."""

    path: Annotated[
        str,
        _text(
            "Folder with `model.onnx` and `tokenizer.json` of a cross-encoder that scores the "
            "40 best hits of a description again, which takes hundreds of milliseconds; empty "
            "means none.",
            former="reranker",
        ),
    ] = ""
    weight: Annotated[
        float,
        number(
            "Weight of the cross-encoder's log-odds beside the ranker's score.",
            0,
            100,
            former="rerankWeight",
        ),
    ] = 0.5


class McpSettings(Struct, frozen=True):
    """Tools and answers of agents."""

    tools: Annotated[
        tuple[_Text, ...],
        _list(
            "Tools that agents are offered, by name or by group; empty means the group `default`.",
            of_session=True,
        ),
    ] = ()
    structured_content: Annotated[
        bool,
        about(
            "Send agents each answer as JSON too, for clients that are programs; some give a model "
            "that instead of the text, which costs up to four times the tokens.",
            of_session=True,
        ),
    ] = False


class PackSettings(Struct, frozen=True):
    """Defaults of what requests for packs leave out."""

    sources: Annotated[
        tuple[SourceName, ...],
        _list(
            "Sources that packs take besides code, a tenth of the budget each: `notes` are "
            "those on the code in the pack, the others what they have for the prompt; "
            "`episodes` also names the earlier pack for a like one.",
            scope="resource",
        ),
    ] = ("notes",)
    model: Annotated[str, _text("Language model to state the price of packs for.", 200)] = ""
    tokenizer: Annotated[
        str, _text("A `tokenizer.json`, or `tiktoken:NAME`, to count the tokens of packs with.")
    ] = ""
    reserve: Annotated[
        int, number("Tokens of a pack's budget to leave free for your own text.", 0, 10_000_000)
    ] = 0


class SourceSettings(Struct, frozen=True):
    """Sources beside code: which of them answer when they are asked for."""

    notes: Annotated[
        bool,
        about(
            "Search notes, decisions and stashes, and mark the code that they are about.",
            name="notes.enabled",
        ),
    ] = True
    knowledge: Annotated[
        bool,
        about(
            "Search conversation logs, notes in Markdown, and the files that agents keep.",
            name="knowledge.enabled",
        ),
    ] = True
    skills: Annotated[
        bool,
        about(
            "Search the workspace's SKILL.md files and skills that were recorded.",
            name="skills.enabled",
        ),
    ] = True
    episodes: Annotated[
        bool,
        about(
            "Remember what was asked, packed and picked, without secrets and on this machine "
            "only, and search it.",
            name="episodes.enabled",
        ),
    ] = False
    commits: Annotated[
        bool,
        about(
            "Search the last 5,000 commits: subject, body and touched paths.",
            name="commits.enabled",
        ),
    ] = False

    def has(self, name: str) -> bool:
        """Return True if a source is switched on."""
        return name in SOURCE_NAMES and bool(getattr(self, name))


class NoteSettings(Struct, frozen=True):
    """The place of new notes."""

    shared: Annotated[
        bool,
        about(
            "Write new notes to `.packhound/notes` of the workspace, if it is trusted, for a "
            "team to share with git."
        ),
    ] = False


class KnowledgeSettings(Struct, frozen=True):
    """Places of knowledge."""

    folders: Annotated[
        tuple[_Folder, ...],
        _list(
            "Folders of conversation logs and Markdown that are knowledge besides the "
            "workspace's, also outside of it."
        ),
    ] = ()


class EpisodeSettings(Struct, frozen=True):
    """Places of agents' sessions."""

    session_logs: Annotated[
        tuple[_Folder, ...],
        _list(
            "Folders of the session logs (JSON lines) of coding agents; what they did in the "
            "workspace is searched with the episodes."
        ),
    ] = ()


class FolderTrustSettings(Struct, frozen=True):
    """Folders that the user trusts."""

    trusted: Annotated[
        tuple[_Folder, ...],
        _list(
            "Folders whose settings files and shared notes count, with all below them; editors "
            "may trust more. It counts in your own settings, never in a folder's."
        ),
    ] = ()


class TeamSettings(Struct, frozen=True):
    """A team's store; these count in a user's own settings, never in a folder's."""

    store: Annotated[
        str,
        _text(
            "URL of a team's Postgres, such as `postgresql://me@db.example.org/packhound`, from "
            "which folders are read instead of parsed, as far as your team has pushed them. It "
            "counts in your own settings, never in a folder's; the password is in ~/.pgpass or "
            "PGPASSWORD.",
            of_user=True,
        ),
    ] = ""
    remotes: Annotated[
        tuple[_Text, ...],
        _list(
            "Repositories of the store that are searched beside the open folder, such as "
            "`github.com/shop/*` or `kitchen@main`, one after the other as far as "
            "`team.remoteMegabytes` goes. It counts in your own settings, never in a folder's.",
            of_user=True,
        ),
    ] = ()
    remote_megabytes: Annotated[
        int,
        number(
            "Size of the texts of repositories that are pulled from the store; beyond it those not "
            "used for longest are deleted.",
            1,
            1_000_000,
            of_user=True,
        ),
    ] = 500
    notes: Annotated[
        bool,
        about(
            "Send notes, decisions and stashes to the store, without secrets, for those who may "
            "read the folder's repository there, and show theirs. It counts in your own settings, "
            "never in a folder's.",
            of_user=True,
        ),
    ] = False
    link: Annotated[
        str,
        _text(
            "Link to a line of a repository of the store, such as "
            "`https://{repository}/blob/{branch}/{path}#L{line}`, also with `{commit}`; hits have "
            "none without it.",
            of_user=True,
        ),
    ] = ""


class ChangeSettings(Struct, frozen=True):
    """Checks of patches: what runs, and what it may take."""

    run: Annotated[
        bool,
        about(
            "Allow checks of patches, which run the tests and tools of folders that you trust, in "
            "private copies. It counts in your own settings, never in a folder's; agents need "
            "`check` among `mcp.tools` too."
        ),
    ] = False
    warm_up: Annotated[
        bool,
        about(
            "Run them without a patch too, once a folder has not been used for a minute, so that "
            "the next check waits for one run alone."
        ),
    ] = False
    seconds: Annotated[
        int, number("Seconds after which a tool of a check is ended.", 1, 86_400)
    ] = 300
    memory_megabytes: Annotated[
        int, number("Memory of each process of a check.", 64, 1_000_000)
    ] = 4_000
    max_files: Annotated[int, number("Files that the copy for a check may have.", 1, 1_000_000)] = (
        50_000
    )
    max_megabytes: Annotated[
        int, number("Size of that copy, and of what a tool may write there.", 1, 1_000_000)
    ] = 2_000
    include: Annotated[
        tuple[_Text, ...],
        _list(
            "Globs of files that the copy shall have though their names are those of secrets, such "
            "as certificates of tests."
        ),
    ] = ()


# No public name may begin with a former one and a dot (`git`, `model`, `hover`, ...): VS Code
# ignores `packhound.git.enabled` as long as `packhound.git` is there too.
class Settings(Struct, frozen=True):
    """One workspace's settings; `SETTINGS` in `settings_reader` holds their public names."""

    search: Annotated[SearchSettings, _group("Search", harmless=True)] = SearchSettings()
    deep: Annotated[DeepSettings, _group("Search")] = DeepSettings()
    words: Annotated[WordSettings, _group("Words", harmless=True)] = WordSettings()
    meaning: Annotated[MeaningSettings, _group("Meaning", harmless=True)] = MeaningSettings()
    names: Annotated[NameSettings, _group("Names", harmless=True)] = NameSettings()
    graph: Annotated[GraphSettings, _group("Graph", harmless=True)] = GraphSettings()
    ranking: Annotated[RankingSettings, _group("Ranking")] = RankingSettings()
    pack: Annotated[PackSettings, _group("Packs")] = PackSettings()
    index: Annotated[IndexSettings, _group("Index")] = IndexSettings()
    encoder: Annotated[EncoderSettings, _group("Encoder", "machine-overridable")] = (
        EncoderSettings()
    )
    rerank: Annotated[RerankSettings, _group("Reranker", "machine-overridable")] = RerankSettings()
    sources: Annotated[SourceSettings, _group("Sources", "resource")] = SourceSettings()
    notes: Annotated[NoteSettings, _group("Sources", "resource")] = NoteSettings()
    knowledge: Annotated[KnowledgeSettings, _group("Sources", "machine-overridable")] = (
        KnowledgeSettings()
    )
    episodes: Annotated[EpisodeSettings, _group("Sources", "machine-overridable")] = (
        EpisodeSettings()
    )
    folders: Annotated[FolderTrustSettings, _group("Sources", "machine")] = FolderTrustSettings()
    team: Annotated[TeamSettings, _group("Team", "machine")] = TeamSettings()
    changes: Annotated[ChangeSettings, _group("Checks", "machine", of_user=True)] = ChangeSettings()
    mcp: Annotated[McpSettings, _group("Agents", "machine-overridable")] = McpSettings()
