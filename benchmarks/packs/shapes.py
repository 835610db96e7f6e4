"""How many secrets of published shapes are taken out: tokens drawn from a file of gitleaks rules.

    python -m benchmarks.packs.shapes RULES.toml [OUT.json] [SEED]

RULES is a file in the format of gitleaks (its own has some 220 rules); what each rule finds is
drawn from its expression at random, and redacted. Tokens that nobody would call
secrets, of low entropy, do not count. What each rule missed is printed with one example.
"""

from __future__ import annotations

import json
import random
import re
import sre_constants as sre
import sre_parse
import string
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tomllib

from benchmarks.stored import save
from packhound.redact.entropy import entropy
from packhound.redact.redact import redact

A_RULE, ATTEMPTS = 20, 400
LEAST_ENTROPY = 3.0
PLAIN = string.ascii_letters + string.digits + "_-+/=.~!@#$%^&* "
ON_A_LINE = set(string.printable) - set("\r\n\x0b\x0c")
CLASSES = {
    sre.CATEGORY_DIGIT: string.digits,
    sre.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
    sre.CATEGORY_SPACE: " \t",
    sre.CATEGORY_NOT_DIGIT: string.ascii_letters,
    sre.CATEGORY_NOT_WORD: " ",
    sre.CATEGORY_NOT_SPACE: string.ascii_letters + string.digits,
}


GO_CLASSES = {"[[:alnum:]]": "[0-9A-Za-z]", "[[:alpha:]]": "[A-Za-z]", r"\z": r"\Z"}
INLINE_FLAG = re.compile(r"(?<!^)\(\?i\)")


def main() -> None:
    """Draw, redact, and print one JSON object."""
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    chance, n, n_missed = random.Random(seed), 0, 0
    rules = read_rules(Path(sys.argv[1]))
    for kind, pattern in rules:
        tokens = drawn(pattern, chance)
        missed = [text for text, secret in tokens if secret in redact(f"x = 1\n{text}\n").text]
        n, n_missed = n + len(tokens), n_missed + len(missed)
        if missed:
            print(f"{len(missed)} of {len(tokens)} {kind}: {missed[0]!r:.120}")
    figures = {
        "rules": len(rules),
        "seed": seed,
        "tokens": n,
        "missed": n_missed,
        "redacted": round(1 - n_missed / n, 4),
    }
    print(json.dumps(figures))
    if len(sys.argv) > 2:
        save(Path(sys.argv[2]), figures)


def read_rules(path: Path) -> list[tuple[str, re.Pattern[str]]]:
    """Return id and expression of each rule that Python can run."""
    rules = []
    for row in tomllib.loads(path.read_text("utf-8")).get("rules", ()):
        if "regex" in row and row["id"] != "generic-api-key":
            try:
                rules.append((row["id"], re.compile(from_go(row["regex"]))))
            except re.error:
                continue
    return rules


def from_go(expression: str) -> str:
    """Translate Go's dialect, in which flags in the middle hold to the end of their group."""
    for go, python in GO_CLASSES.items():
        expression = expression.replace(go, python)
    while (flag := INLINE_FLAG.search(expression)) is not None:
        end = group_end(expression, flag.end())
        inner = expression[flag.end() : end]
        expression = f"{expression[: flag.start()]}(?i:{inner}){expression[end:]}"
    return expression


def group_end(expression: str, start: int) -> int:
    """Return where the group closes that is open at `start`."""
    depth, position, in_class = 0, start, False
    while position < len(expression):
        character = expression[position]
        if character == "\\":
            position += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return position
        position += 1
    return len(expression)


def drawn(pattern: re.Pattern[str], chance: random.Random) -> list[tuple[str, str]]:
    """At most `A_RULE` texts that a rule matches, each with the secret that it finds there."""
    parsed, pairs = sre_parse.parse(pattern.pattern), []
    for _ in range(ATTEMPTS):
        match = pattern.search(text(parsed, chance))
        secret = match and ((match[1] if pattern.groups else None) or match[0])
        if match and secret and entropy(secret) > LEAST_ENTROPY:
            pairs.append((match.string, secret))
        if len(pairs) == A_RULE:
            break
    return pairs


def text(parsed: Iterable[Any], chance: random.Random) -> str:
    """Some text that an expression could match; what it asserts is left to a search for it."""
    return "".join(part(kind, value, chance) for kind, value in parsed)


def part(kind: Any, value: Any, chance: random.Random) -> str:  # noqa: ANN401
    """The same for one part of it."""
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.NOT_LITERAL:
        return chance.choice(PLAIN.replace(chr(value), ""))
    if kind is sre.ANY:
        return "."
    if kind is sre.IN:
        return chance.choice(characters(value))
    if kind is sre.BRANCH:
        return text(chance.choice(value[1]), chance)
    if kind is sre.SUBPATTERN:
        return text(value[3], chance)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, most, repeated = value
        most = min(most, least + (12 if least > 5 else 3))
        return "".join(text(repeated, chance) for _ in range(chance.randint(least, most)))
    return ""


def characters(members: Iterable[Any]) -> str:
    """What a set of characters allows, of those that can be printed."""
    charset: set[str] = set()
    for kind, value in members:
        if kind is sre.LITERAL:
            charset.add(chr(value))
        elif kind is sre.RANGE:
            charset |= set(map(chr, range(value[0], value[1] + 1)))
        elif kind is sre.CATEGORY:
            charset |= set(CLASSES[value])
    if any(kind is sre.NEGATE for kind, _ in members):
        return "".join(sorted(set(PLAIN) - charset)) or "x"
    return "".join(sorted(charset & ON_A_LINE or charset))


if __name__ == "__main__":
    main()
