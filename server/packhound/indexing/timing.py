"""Every pause of the indexing of a folder, in one value that tests replace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Pauses in seconds."""

    quiet_s: float = 1.5
    """Time without work after which garbage is collected and memory given back."""
    save_s: float = 1.5
    """Quiet time after which the index is written; it doubles with every failure."""
    max_save_s: float = 300.0
    save_while_reading_s: float = 5.0
    """Time of reading after which what was read is written: hardly more is lost when it is killed,
    but in a folder whose saves take long."""
    claim_s: float = 2.0
    """Interval at which a process that may not write asks whether the writer is gone."""
    fault_s: float = 1.0
    """Pause after a failed step, so that a fault that repeats does not fill the log; it doubles."""
    max_fault_s: float = 30.0
    unparsed_s: float = 30.0
    """Pause before files are read again for which no parser could be started; it doubles."""
    embed_retry_s: float = 5.0
    """Pause before nodes are encoded again that the model failed at; it doubles."""
    first_publish_s: float = 1.0
    """Duration of a pass after which its files become visible; the interval doubles each time, up
    to `save_while_reading_s`."""
    stored_s: float = 1.0
    """Longest time that a team's store has to say which files it has before others than those that
    were asked for go to the parsers, which start meanwhile."""
    named_s: float = 5.0
    """Longest wait of a search for the definitions that it names, while a folder is first read."""
    recent_use_s: float = 0.5
    """Longer than between two keys of a typist: work in the background yields for so long."""
    preparation_slice_s: float = 0.0005
    """Work in the background between two pauses."""
    preparation_patience_s: float = 5.0
    """Time in all that a preparation waits for quiet, which constant use never leaves."""
    deep_idle_s: float = 5.0
    """Time without use after which the deep model reads in advance."""
    deep_poll_s: float = 30.0
    """Interval at which it looks for something new to read."""
    check_idle_s: float = 60.0
    """Time without use after which the tools of a folder run without a patch."""


DEFAULT_TIMING = Timing()
PULL_TIMING = Timing(stored_s=30.0)
"""For who has asked for a reading from the store."""
