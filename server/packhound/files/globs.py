"""Globs to regular expressions that match in time linear in the path for each of their wildcards.

Ignore files and filters are written by strangers, and a match does not release the interpreter. Two
rules bound it: the text between two wildcards is matched at its first occurrence without
backtracking, which loses nothing since the next wildcard matches the rest; and only the last
wildcard of a name, or of a path, backtracks.

`*` and `?` do not cross a `/`, a name that is `**` crosses any number of them, `[a-z]`, `[!a-z]`
and `[[:alpha:]]` are one character, and a backslash takes the next character as it is. In globs of
a request `{py,md}` is either, and one that begins with `!` leaves out what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_SLASH = re.compile(r"(?<!\\)\\/|/")
_STARS = re.compile(r"\*{2,}")
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
_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_MAX_ALTERNATIVES = 100
_NEVER = "(?!)"
_STAR = "[^/]*"
_DEEPER = "(?:[^/]+/)*"


def glob_to_regex(glob: str, group: str = "g") -> str:
    """Return the regular expression of a glob of a whole path; its groups start with `group`.

    Every glob is legal: what git would not accept matches nothing.
    """
    # As in git's wildmatch, more than two stars are no other than two.
    names = ("**" if _STARS.fullmatch(name) else name for name in _SLASH.split(glob))
    parts = _split_at(names, "**")
    runs = [_run(names, f"{group}_{n}_") for n, names in enumerate(parts)]
    if len(runs) == 1:
        return runs[0]
    head, *middle, last = runs
    regex = f"{head}/" if head else ""
    for n, run in enumerate(run for run in middle if run):
        regex += _atomic(f"(?:[^/]+/)*?{run}/", f"{group}{n}")
    return regex + (_DEEPER + last if last else "(?s:.+)")


def path_pattern(glob: str, group: str = "g") -> str:
    """Return the regular expression of the paths that a glob means by the rules of `.gitignore`.

    A name without a `/` before its end is found at any depth, anything else starts at the root.
    What lies below a folder matches with it; a `/` at the end means folders alone.
    """
    below = "/.*" if glob.endswith("/") else "(?:/.*)?"
    return f"(?s:{glob_to_regex(anchor(glob), group)}{below})"


def anchor(glob: str) -> str:
    """Return a glob of whole paths for one of `.gitignore`, without the `/` at its end."""
    glob = glob.removesuffix("/")
    return glob.removeprefix("/") if "/" in glob else f"**/{glob}"


def without_negated(
    globs: Iterable[str], excluded: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return globs of what is let through, and of what is not: those with a `!` too."""
    globs = tuple(globs)
    negated = (glob[1:] for glob in globs if glob.startswith("!"))
    return tuple(glob for glob in globs if not glob.startswith("!")), (*excluded, *negated)


def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Compile the globs of a request to a pattern whose `fullmatch` finds the paths of any of them.

    `./` before a glob is dropped; an empty one means every path.
    """
    relative = (each.removeprefix("./") for glob in globs for each in _alternatives(glob))
    patterns = (
        path_pattern(glob if glob.strip("/") else "**", f"g{n}_") for n, glob in enumerate(relative)
    )
    return re.compile("|".join(patterns) or _NEVER)


def _alternatives(glob: str) -> list[str]:
    """Return a glob for each choice of alternatives in braces; the glob where they are too many."""
    pending, plain = [glob], list[str]()
    while pending:
        each = pending.pop()
        if match := _BRACES.search(each):
            start, end = match.span()
            pending += [f"{each[:start]}{part}{each[end:]}" for part in match[1].split(",")]
        else:
            plain.append(each)
        if len(pending) + len(plain) > _MAX_ALTERNATIVES:
            return [glob]
    return plain


def _run(names: Sequence[str], group: str) -> str:
    """Translate names one below the other."""
    return "/".join(_name(name, f"{group}{n}_") for n, name in enumerate(names))


def _name(name: str, group: str) -> str:
    """Translate one name of a path."""
    parts = ["".join(part) for part in _split_at(_items(name), _STAR)]
    if len(parts) == 1:
        return parts[0] or _NEVER  # No name is empty.
    head, *middle, last = parts
    inner = (_atomic(f"[^/]*?{part}", f"{group}{n}") for n, part in enumerate(filter(None, middle)))
    # Two stars in a row are one, and a name is never empty.
    return "".join((head, *inner, _STAR, last)) if any(parts) else "[^/]+"


def _atomic(pattern: str, group: str) -> str:
    """Return an atomic group, which Python 3.10 lacks: the first match is never tried again."""
    return f"(?=(?P<{group}>{pattern}))(?P={group})"


def _items(name: str) -> Iterator[str]:
    offset = 0
    while offset < len(name):
        item = _ITEM.match(name, offset)
        if item is None:  # A backslash at the end.
            yield _NEVER
            return
        offset = item.end()
        if item["stars"]:
            yield _STAR
        elif item["any"]:
            yield "[^/]"
        elif item["class"] is not None:
            yield _class(item["class"], "^" if item["not"] else "")
        elif item["plain"] == "[":  # It has no end.
            yield _NEVER
        else:
            yield re.escape(item["escaped"] or item["plain"])


def _class(members: str, inverted: str) -> str:
    """Translate a class of characters; a range that runs backwards is its first, as in git."""
    members_regex = ""
    for member in _MEMBER.finditer(members):
        low, high = member["low"], member["high"]
        if member["named"] in _NAMED:
            members_regex += _NAMED[member["named"]]
        elif member["named"]:
            return _NEVER
        elif high is not None and low <= high:
            members_regex += f"{re.escape(low)}-{re.escape(high)}"
        else:
            members_regex += re.escape(low)
    return f"(?!/)[{inverted}{members_regex}]"


def _split_at(items: Sequence[str] | Iterator[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for item in items:
        if item == separator:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts
