"""Servers for a team's store, computed from what was measured of one: size, and times by load.

    python -m benchmarks.team_servers

Repositories are spread over servers by a hash of their name, and a question to one repository asks
one server. Questions come at random moments (Poisson). A server serves as many at once as it has
cores; a question takes a time drawn from those of a single client, stretched so that a server
answers no more a second than it did for eight clients.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.stored import FOLDER, load

RESULT = FOLDER / "results" / "team_candidates.json"
REPOSITORIES, NODES_A_REPOSITORY = 10_000, 16_700
"""An assumption."""
SERVERS = (1, 2, 4, 8, 16)
RATES = (20, 100, 400)
"""Questions a second of all users."""
_QUESTIONS = 20_000


def main() -> None:
    """Print the size and the times."""
    figures = load(RESULT)
    for name, size in sizes(figures).items():
        print(f"{name}: {size}")
    for n_servers in SERVERS:
        print(n_servers, *(waiting(figures, n_servers, rate) for rate in RATES))


def sizes(figures: Mapping[str, Any]) -> dict[str, str]:
    """Return what 10,000 repositories take."""
    nodes = REPOSITORIES * NODES_A_REPOSITORY
    tables = figures["sizes"]
    of_text = sum(size for name, size in tables.items() if name != "vectors")
    hours = nodes / figures["pushed"]["nodes_a_second"] / 3_600
    return {
        "definitions": f"{nodes / 1e6:,.0f} million",
        "texts, analyses and words": f"{nodes * of_text / 1e9:,.0f} GB",
        "vectors and their indexes": f"{nodes * tables['vectors'] / 1e9:,.0f} GB",
        "first push of all, one after the other": f"{hours:,.0f} hours",
    }


def waiting(figures: Mapping[str, Any], n_servers: int, rate: float) -> float | None:
    """Return the 95th percentile of a question in milliseconds; None if servers fall behind."""
    of_server = figures["candidates"]["8 clients"]["questions_a_second"]
    if rate >= n_servers * of_server:
        return None
    quantiles = np.array(figures["candidates"]["quantiles_ms"]) / 1_000
    cores, draw = figures["cores"], random.Random(0)
    stretch = cores / of_server / float(np.mean(quantiles[1:] + quantiles[:-1]) / 2)
    free = [[0.0] * cores for _ in range(n_servers)]
    now, taken = 0.0, []
    for _ in range(_QUESTIONS):
        now += draw.expovariate(rate)
        server = free[draw.randrange(n_servers)]
        at = draw.random() * (len(quantiles) - 1)
        seconds = stretch * float(np.interp(at, range(len(quantiles)), quantiles))
        done = max(now, server[0]) + seconds
        heapq.heapreplace(server, done)
        taken.append(done - now)
    return float(np.percentile(taken, 95)) * 1_000


if __name__ == "__main__":
    main()
