"""List the sources: what an assembled corpus was made from -> training/sources.json.

python training/listing.py --arrays ARRAYS --out training/sources.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arrays", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sources = json.loads((options.arrays / "sources.json").read_text())
    rows = [json.dumps(source) for source in sorted(sources, key=lambda one: one["repo"].lower())]
    options.out.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(f"{len(sources)} repositories")
    for title in ("licence", "language"):
        print(title, dict(Counter(source[title] for source in sources).most_common()))
    totals: Counter[str] = Counter()
    for source in sources:
        totals.update(source["pairs"])
    print("pairs", dict(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
