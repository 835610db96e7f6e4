"""Titles of nodes: the qualified name, but of a Rust impl `impl Drop for Ring`; and operators."""

from __future__ import annotations

import re

_IMPL = ("impl ", "impl<")
_SEPARATOR = re.compile(r"::|->|[.#\\]")
_OPERATOR = re.compile(
    r"(?:(.*[\w>\])])(?:::|->|[.#\\]))?((?:operator *)?(?:\(\)|[^\w\s()\"'`,;]+))"
)
"""Owners and signs: `Ring<T>::operator==`, `Row#[]=`, `List.:::`."""


def is_impl_title(qualname: str) -> bool:
    """Return True if a qualified name is the title of an impl, which is no path of names."""
    return qualname.startswith(_IMPL)


def heading(kind: str, qualname: str) -> str:
    """Return the kind and the qualified name, without saying `impl` twice."""
    return qualname if is_impl_title(qualname) else f"{kind} {qualname}"


def name_parts(text: str) -> list[str]:
    """Return the owners and the name of a qualified name; that of an operator is its signs."""
    operator = _OPERATOR.fullmatch(text)
    owners, signs = operator.groups() if operator else (text, "")
    return [part for part in (*_SEPARATOR.split(owners or ""), signs) if part]


def spellings(name: str) -> tuple[str, ...]:
    """Return the names that languages give to an operator of these signs; of others the name."""
    signs = signs_of(name)
    if not signs:
        return (name,)
    return signs, f"operator{signs}", f"operator {signs}", f"({signs})", f"( {signs} )"


def signs_of(name: str) -> str:
    """Return the signs of an operator, as `==` of `operator==` and `(==)`; "" of other names."""
    signs = name.removeprefix("operator").strip()
    signs = signs if signs == "()" else signs.strip("() ")
    return "" if re.search(r"[\w\s]", signs) else signs


def is_title(kind: str, name: str, signature: str) -> bool:
    """Return True if a test is called by a text, as `describe "Row#[]"` is, and not a function."""
    is_quoted = any(f"{quote}{name}{quote}" in signature for quote in "\"'`")
    return kind == "test" and (is_quoted or not name.isidentifier())
