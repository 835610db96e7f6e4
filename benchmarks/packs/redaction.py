"""How much redaction alters code that holds no secrets of anyone, and how fast it is.

    python -m benchmarks.packs.redaction FOLDER [OUT.json]

FOLDER has one folder a repository. Every altered line is printed, to be read by a person: keys in
tests and examples are rightly altered, anything else is a mistake.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.stored import save
from packhound.files.reader import read
from packhound.files.walk import WalkLimits, walk
from packhound.redact.redact import redact

MAX_BYTES = 1_000_000


def main() -> None:
    """Redact every file; print the altered lines and one JSON object."""
    n_files = n_altered = n_lines = n_characters = altered_files = 0
    took = 0.0
    for repository in sorted(Path(sys.argv[1]).iterdir()):
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
    figures = {
        "files": n_files,
        "altered_files": altered_files,
        "lines": n_lines,
        "altered_lines": n_altered,
        "altered_per_10k_lines": round(1e4 * n_altered / n_lines, 2),
        "megabytes_per_cpu_second": round(n_characters / took / 1e6, 1),
    }
    print(json.dumps(figures))
    if len(sys.argv) > 2:
        save(Path(sys.argv[2]), figures)


if __name__ == "__main__":
    main()
