"""Share of secrets that redaction takes out, of code without secrets that it alters, and speed.

    python -m benchmarks.packs.secrets_out FOLDER [OUT.json] [SEED]

Secrets are drawn anew at each run, without SEED from the clock, from the shapes of
`secret_shapes.txt`, which were written from what code, configurations and commands look like and
not from the rules. A secret leaves if its first or last half does. FOLDER has one folder a
repository; each line altered there is printed, to be read by a person: keys in tests and examples
are rightly altered, anything else is a mistake.
"""

from __future__ import annotations

import json
import random
import re
import string
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.stored import save
from packhound.files.reader import read
from packhound.files.walk import WalkLimits, walk
from packhound.redact.redact import redact

MAX_BYTES = 1_000_000
DRAWS = 12
"""Secrets of each shape."""
SHAPES = Path(__file__).with_name("secret_shapes.txt")
ALPHABETS = {
    "hex": string.digits + "abcdef",
    "dig": string.digits,
    "a-z": string.ascii_lowercase + string.digits,
    "A2-7": string.ascii_uppercase + "234567",
    "b62": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
}
KINDS = ("hex 32", "hex 40", "hex 64", "b62 20", "b62 32", "b62 40", "b64 40", "b64url 43", "uuid")
WORDS = re.findall(
    r"\w+",
    """abandon autumn basket cactus candle danger desert eagle effort fabric forest galaxy garden
    harbor hazard island jungle kitchen ladder marble museum napkin object oxygen paddle planet
    quantum rabbit ribbon saddle salmon tackle tunnel umbrella velvet victory walnut window
    zebra""",
)


class Drawer:
    """Shapes to texts with random names and values."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.names: list[str] = []

    def draw(self, shape: str) -> tuple[str, list[str]]:
        """Return a text of a shape, and the secrets in it."""
        secrets: list[str] = []
        name = self._rng.choice(self.names)

        def fill(match: re.Match[str]) -> str:
            what = match[1]
            if what.startswith("name."):
                return _styled(name, what.removeprefix("name."))
            value = self._value(what.removeprefix("!"))
            if what.startswith("!") or what == "jwt":
                secrets.append(value)
            return value

        text = shape.replace("\\n", "\n").replace("\\\\", "\\")
        return re.sub("«(.*?)»", fill, text), secrets

    def _value(self, what: str) -> str:
        prefix, _, kind = what.rpartition("/")
        if kind == "any":
            kind = "pw" if self._rng.random() < 0.15 else self._rng.choice(KINDS)
        if kind == "pw":
            return self._password()
        if kind == "uuid":
            return "-".join(self._letters("hex", n) for n in (8, 4, 4, 4, 12))
        if kind == "jwt":
            # The header of a token is the encoding of ASCII, which has next to no `-` and `_`.
            header, payload = self._letters("b62", 30), self._letters("b64url", 80)
            return f"eyJ{header}.eyJ{payload}.{self._letters('b64url', 43)}"
        if kind == "mnemonic":
            return " ".join(self._rng.sample(WORDS, 12))
        alphabet, length = kind.split()
        return prefix + self._letters(alphabet, int(length))

    def _letters(self, alphabet: str, n: int) -> str:
        return "".join(self._rng.choices(ALPHABETS[alphabet], k=n))

    def _password(self) -> str:
        """Return a password as a generator draws it, or as a person makes one up."""
        sign = self._rng.choice("!@#%^*+-_=?")
        if self._rng.random() < 0.5:
            drawn = [*self._letters("b62", self._rng.randint(11, 18)), sign, *"7k"]
            self._rng.shuffle(drawn)
            return self._letters("b62", 1) + "".join(drawn)
        word = self._rng.choice(WORDS).capitalize().replace("o", self._rng.choice("o0"))
        return f"{word}{sign}{self._rng.randint(10, 9999)}{self._rng.choice(WORDS)[:3]}"


def _styled(name: str, style: str) -> str:
    words = name.split()
    pascal = "".join(map(str.capitalize, words))
    return {
        "snake": "_".join(words),
        "UPPER": "_".join(words).upper(),
        "kebab": "-".join(words),
        "dots": ".".join(words),
        "Pascal": pascal,
        "camel": pascal[0].lower() + pascal[1:],
    }[style]


def read_shapes(drawer: Drawer) -> Iterator[tuple[str, str, str]]:
    """Yield group, language and shape; give the drawer its names."""
    group = language = ""
    for line in SHAPES.read_text("utf-8").splitlines():
        if line.startswith("== "):
            group, _, language = line.removeprefix("== ").partition(" ")
        elif group == "names" and line:
            drawer.names.append(line)
        elif group and line:
            shape = line.partition("\t")[2] if language == "positional.txt" else line
            yield group, language.partition(".")[0], shape


def secrets_out(rng: random.Random) -> dict[str, dict[str, float]]:
    """Return the share of secrets that are taken out, by group and language."""
    drawer = Drawer(rng)
    drawn: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for group, language, shape in read_shapes(drawer):
        left = []
        for _ in range(DRAWS):
            text, secrets = drawer.draw(shape)
            clean = redact(f"\n{text}\n").text
            halves = [h for s in secrets for h in (s[: len(s) // 2], s[len(s) // 2 :])]
            if any(half in clean for half in halves):
                left.append(text)
            drawn[group, language].append(not left or left[-1] is not text)
        if left:
            print(f"leaves {len(left)}/{DRAWS} {group} {language}: {left[0]!r:.200}")
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for group in dict.fromkeys(group for group, _ in drawn):
        taken = {language: flags for (g, language), flags in drawn.items() if g == group}
        everything = [flag for flags in taken.values() for flag in flags]
        shares[group]["all"] = round(sum(everything) / len(everything), 4)
        for language, flags in taken.items():
            shares[group][language] = round(sum(flags) / len(flags), 3)
    return shares


def altered_code(folder: Path) -> dict[str, float]:
    """Print the lines that redaction alters in repositories; return counts and speed."""
    n_files = n_altered = n_lines = n_characters = altered_files = 0
    took = 0.0
    for repository in sorted(folder.iterdir()):
        for path, _ in walk(repository, WalkLimits()):
            document = read(repository, path, MAX_BYTES)
            if document is None:
                continue
            text = document.source.decode("utf-8", "replace")
            began = time.process_time()
            clean = redact(text).text
            took += time.process_time() - began
            pairs = zip(text.split("\n"), clean.split("\n"), strict=True)
            altered = [after.strip() for before, after in pairs if before != after]
            for line in altered:
                print(f"{repository.name}/{path}: {line:.160}")
            n_files += 1
            n_lines += text.count("\n")
            n_characters += len(text)
            n_altered += len(altered)
            altered_files += bool(altered)
    return {
        "files": n_files,
        "altered_files": altered_files,
        "lines": n_lines,
        "altered_lines": n_altered,
        "altered_per_10k_lines": round(1e4 * n_altered / n_lines, 2),
        "megabytes_per_cpu_second": round(n_characters / took / 1e6, 1),
    }


def main() -> None:
    """Print what leaves, what is altered and one JSON object, which OUT.json keeps."""
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns() % 1_000_000
    figures = {
        "seed": seed,
        "taken_out": secrets_out(random.Random(seed)),
        "code": altered_code(Path(sys.argv[1])),
    }
    print(json.dumps(figures))
    if len(sys.argv) > 2:
        save(Path(sys.argv[2]), figures)


if __name__ == "__main__":
    main()
