"""Draw docs/search.svg, the picture in the README: a real search of this repository's server.

python docs/picture.py
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from packhound.cli import show
from packhound.core.settings_reader import settings_from
from packhound.operations import Call, answer
from packhound.service import Engine, Roots

HERE = Path(__file__).resolve().parent
QUERY = "apply an edit to a text buffer"


def main() -> None:
    """Save what the terminal shows."""
    (HERE / "search.svg").write_text(draw(), "utf-8")


def draw() -> str:
    """Search, and return what the terminal shows as SVG."""
    settings = settings_from({"index.persist": False})
    engine = Engine.open(HERE.parent / "server", settings)
    try:
        engine.settled()
        call = Call(Roots([engine]), settings)
        results = answer(call, "search", {"query": QUERY, "limit": 2, "explain": True})
    finally:
        engine.close()
    console = Console(record=True, width=104, file=io.StringIO(), highlight=False)
    console.print(f'$ packhound search "{QUERY}" --limit 2 --show-scores', style="bold")
    show.results(results, boxes=True, console=console)
    drawing = console.export_svg(title="packhound")
    # The drawing must load nothing from elsewhere: any monospaced font of the reader's will do.
    return re.sub(r"@font-face \{.*?\}", "", drawing, flags=re.S)


if __name__ == "__main__":
    main()
