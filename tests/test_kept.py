"""What is kept stays within its bytes, and of it the longest unused goes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from packhound.core.caching import Kept


def test_the_longest_unused_goes_first() -> None:
    kept = Kept[str, bytes](10, len)
    kept.keep({"a": b"1234", "b": b"123", "c": b"12"})
    assert (kept.keys, kept.n_bytes) == (("a", "b", "c"), 9)
    kept.keep({"a": b"1234"})
    kept.keep({"d": b"123"})
    assert (kept.keys, kept.n_bytes) == (("c", "a", "d"), 9)
    assert kept.get("b") is None
    assert kept.get("c") == b"12"


def test_what_is_larger_than_all_may_be_is_not_kept() -> None:
    kept = Kept[str, bytes](10, len)
    kept.keep({"a": b"12345678901"})
    assert (kept.keys, kept.n_bytes) == ((), 0)


def test_many_threads_leave_the_count_right() -> None:
    kept = Kept[int, bytes](4_000, len)

    def work(seed: int) -> None:
        for i in range(3_000):
            key = (i * seed) % 211
            kept.keep({key: kept.get(key) or b"x" * key})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 9)))
    left = [kept.get(key) for key in kept.keys]
    assert kept.n_bytes == sum(len(value) for value in left if value is not None) <= 4_000
