"""What is cache stays within its bytes, and of it the longest unused goes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from packhound.core.caching import BoundedMemo, ByteLru, empty_large_memos


def test_the_longest_unused_goes_first() -> None:
    cache = ByteLru[str, bytes](10, len)
    cache.put({"a": b"1234", "b": b"123", "c": b"12"})
    assert (cache.keys, cache.n_bytes) == (("a", "b", "c"), 9)
    cache.put({"a": b"1234"})
    cache.put({"d": b"123"})
    assert (cache.keys, cache.n_bytes) == (("c", "a", "d"), 9)
    assert cache.get("b") is None
    assert cache.get("c") == b"12"


def test_what_is_larger_than_all_may_be_is_not_kept() -> None:
    cache = ByteLru[str, bytes](10, len)
    cache.put({"a": b"12345678901"})
    assert (cache.keys, cache.n_bytes) == ((), 0)


def test_many_threads_leave_the_count_right() -> None:
    cache = ByteLru[int, bytes](4_000, len)

    def work(seed: int) -> None:
        for i in range(3_000):
            key = (i * seed) % 211
            cache.put({key: cache.get(key) or b"x" * key})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 9)))
    remaining = [cache.get(key) for key in cache.keys]
    assert cache.n_bytes == sum(len(value) for value in remaining if value is not None) <= 4_000


def test_large_memos_alone_are_emptied() -> None:
    large, small = BoundedMemo[int, str](str, 100_000), BoundedMemo[int, str](str, 100_000)
    assert [large[i] for i in range(20_000)][-1] == "19999"
    assert small[1] == "1"
    empty_large_memos()
    assert (len(large), len(small)) == (0, 1)
    assert large[7] == "7"
