"""Globs to regular expressions that match in time linear in the path for each of their wildcards.

Ignore files and filters are written by strangers, and a match keeps the interpreter to itself. Two
rules keep it short: what stands between two wildcards is found where it occurs first and never
looked for again, which loses nothing since the next wildcard takes what is left; and only the last
wildcard of a name, or of a path, tries one place after the other.

`*` and `?` do not cross a `/`, a name that is `**` crosses any number of them, `[a-z]`, `[!a-z]`
and `[[:alpha:]]` are one character, and a backslash takes the next character as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_SLASH = re.compile(r"(?<!\\)\\/|/")
_ITEM = re.compile(
    r"\\(?P<escaped>.)"
    r"|\[(?:(?P<not>[!^])|(?![!^]))(?P<class>\]?(?:\[:\w+:\]|\\.|[^\]\\])+|\])\]"
    r"|(?P<stars>\*+)|(?P<any>\?)|(?P<plain>.)",
    re.DOTALL,
)
_MEMBER = re.compile(r"\[:(?P<named>\w+):\]|\\?(?P<low>.)(?:-\\?(?P<high>[^\]]))?", re.DOTALL)
_NAMED = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9a-fA-F",
    "word": r"\w",
}
_NEVER = "(?!)"
_STAR = "[^/]*"
_DEEPER = "(?:[^/]+/)*"


def glob_to_regex(glob: str, group: str = "g") -> str:
    """The regular expression of a glob of a whole path; its groups are named after `group`.

    There is none that is not legal: what git would not take matches nothing.
    """
    parts = _between(_SLASH.split(glob), "**")
    runs = [_run(names, f"{group}_{n}_") for n, names in enumerate(parts)]
    if len(runs) == 1:
        return runs[0]
    head, *middle, last = runs
    made = f"{head}/" if head else ""
    for n, run in enumerate(run for run in middle if run):
        made += _first(f"(?:[^/]+/)*?{run}/", f"{group}{n}")
    return made + (_DEEPER + last if last else "(?s:.+)")


def path_pattern(glob: str, group: str = "g") -> str:
    """Return the regular expression of the paths that a glob means by the rules of `.gitignore`.

    A name without a `/` before its end is found at any depth, anything else starts at the root.
    What lies below a folder matches with it; a `/` at the end means folders alone.
    """
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    glob = glob.removesuffix("/")
    anchored = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    return f"(?s:{glob_to_regex(anchored, group)}{below})"


@lru_cache(maxsize=64)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Compile the globs of a request to a pattern whose `fullmatch` finds the paths of any of them.

    `./` before a glob is dropped; an empty one means every path.
    """
    relative = (glob.removeprefix("./") for glob in globs)
    patterns = (
        path_pattern(glob if glob.strip("/") else "**", f"g{n}_") for n, glob in enumerate(relative)
    )
    return re.compile("|".join(patterns) or _NEVER)


def _run(names: Sequence[str], group: str) -> str:
    """Names one below the other, each of which ends where it must."""
    return "/".join(_name(name, f"{group}{n}_") for n, name in enumerate(names))


def _name(name: str, group: str) -> str:
    """One name of a path; what is between stars is taken where it is found first."""
    parts = ["".join(part) for part in _between(_items(name), _STAR)]
    if len(parts) == 1:
        return parts[0] or _NEVER  # No name is empty.
    head, *middle, last = parts
    found = (_first(f"[^/]*?{part}", f"{group}{n}") for n, part in enumerate(filter(None, middle)))
    # Two stars in a row are one, and a name is never empty.
    return "".join((head, *found, _STAR, last)) if any(parts) else "[^/]+"


def _first(pattern: str, group: str) -> str:
    """What matches first and is never tried again: an atomic group, which Python 3.10 lacks."""
    return f"(?=(?P<{group}>{pattern}))(?P={group})"


def _items(name: str) -> Iterator[str]:
    at = 0
    while at < len(name):
        found = _ITEM.match(name, at)
        if found is None:  # A backslash at the end.
            yield _NEVER
            return
        at = found.end()
        if found["stars"]:
            yield _STAR
        elif found["any"]:
            yield "[^/]"
        elif found["class"] is not None:
            yield _class(found["class"], "^" if found["not"] else "")
        elif found["plain"] == "[":  # It has no end.
            yield _NEVER
        else:
            yield re.escape(found["escaped"] or found["plain"])


def _class(members: str, inverted: str) -> str:
    """One character of a class; of a range that runs backwards only its first, as in git."""
    made = ""
    for member in _MEMBER.finditer(members):
        low, high = member["low"], member["high"]
        if member["named"] in _NAMED:
            made += _NAMED[member["named"]]
        elif member["named"]:
            return _NEVER
        elif high is not None and low <= high:
            made += f"{re.escape(low)}-{re.escape(high)}"
        else:
            made += re.escape(low)
    return f"(?!/)[{inverted}{made}]"


def _between(items: Sequence[str] | Iterator[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for item in items:
        if item == separator:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts
