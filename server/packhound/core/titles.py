"""Titles of nodes: the qualified name, but of a Rust impl `impl Drop for Ring`."""

from __future__ import annotations

_IMPL = ("impl ", "impl<")


def is_impl_title(qualname: str) -> bool:
    """Return True if a qualified name is the title of an impl, which is no path of names."""
    return qualname.startswith(_IMPL)


def heading(kind: str, qualname: str) -> str:
    """Return the kind and the qualified name, without saying `impl` twice."""
    return qualname if is_impl_title(qualname) else f"{kind} {qualname}"
