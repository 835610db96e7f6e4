"""Conflation of terms into stem groups, by abbreviations and an aggressive stemmer.

The tokenizer's stemmer is light, so `validation`, `validator` and `validate` are three terms, and
programmers abbreviate: `configuration` is `config`. Stem groups have signals of their own and never
count as matches of the query's terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from packhound.text.tokenizer import stem

_ABBREVIATIONS = """
application app apps; argument arg args; attribute attr attrs; authentication auth authn;
authorization auth authz; authenticate auth; authorize auth; asynchronous async; buffer buf;
calculate calc; certificate cert certs; character char chars; command cmd; communication comm;
compare cmp; compilation compile; configuration config conf cfg; configure config conf cfg;
connection conn; context ctx; control ctrl; coordinate coord; count cnt; database db; declaration
decl; definition def; delete del; dependency dep deps; destination dest dst; development dev;
dictionary dict; difference diff; directory dir dirs; distribution dist; document doc docs;
documentation docs; element elem el; environment env; error err errors; evaluate eval; exception
exc; execute exec; execution exec; expression expr; extension ext; format fmt; function func fn;
generate gen; generator gen; handler handle; header hdr; identifier id ident; implementation impl
impls; import imports; index idx; information info; initialization init; initialize init; instance
inst; integer int; iterator iter; iterate iter; language lang; length len; library lib; literal
lit; location loc; manager mgr; maximum max; memory mem; message msg; middleware middlewares;
minimum min; miscellaneous misc; module mod; multiply mul; number num; object obj; operation op
ops; operator op ops; option opt opts; organization org; package pkg; parameter param params;
password passwd; pointer ptr; position pos; previous prev; process proc; procedure proc; property
prop props; protocol proto; query sql; random rand rng; receive recv; reference ref refs; register
reg; regular re; regex regexp; regexp regex; remove rm; repository repo; request req; response
resp res; return ret; schema ddl; semaphore sem; separator sep; sequence seq; serialize ser;
serialization ser; deserialize de; deserialization de; server srv; session sess; shell sh; source
src; specification spec; standard std; statistics stats; status stat; string str; structure
struct; synchronization sync; synchronous sync; synchronize sync; syntax syn; system sys; table
tbl; temporary temp tmp; text txt; thread threads; token tok jwt; transaction tx txn; transform
xform; translate i18n; utility util utils helper helpers; value val; variable var vars; vector vec;
version ver; virtual virt; window win; websocket ws
"""
_EXPANSIONS: dict[str, str] = {}
"""Abbreviation to term, both stemmed; of several terms the first that lists it."""
for _term, *_short_forms in (entry.split() for entry in _ABBREVIATIONS.split(";") if entry.split()):
    for _short_form in _short_forms:
        _EXPANSIONS.setdefault(stem(_short_form), stem(_term))
_SUFFIXES = (
    *("izations", "ization", "ifications", "ification", "ations", "ation", "itions", "ition"),
    *("ators", "ator", "ating", "ated", "ates", "ate", "ables", "able", "ibles", "ible"),
    *("ments", "ment", "ances", "ance", "ences", "ence", "nesses", "ness", "ities", "ity"),
    *("izers", "izer", "izing", "ized", "izes", "ize", "ifiers", "ifier", "ifying", "ified"),
    *("ions", "ion", "ings", "ing", "ers", "er", "ors", "or", "als", "al", "ies", "ied", "ed"),
    *("ives", "ive", "ly", "at", "iz", "es", "s", "e", "y"),
)
_MIN_STEM = 4


@lru_cache(maxsize=65_536)
def aggressive_stem(term: str) -> str:
    """Return the stem group of a term: `validat`, `validator` and `validation` give `valid`."""
    stemmed = _EXPANSIONS.get(term, term)
    for suffix in _SUFFIXES:
        if stemmed.endswith(suffix) and len(stemmed) - len(suffix) >= _MIN_STEM:
            stemmed = stemmed[: -len(suffix)]
            break
    has_double_end = len(stemmed) > _MIN_STEM and stemmed[-1:] == stemmed[-2:-1]
    return stemmed[:-1] if has_double_end else stemmed


def aggressive_stems(terms: Iterable[str]) -> frozenset[str]:
    """Return the stem groups of some terms."""
    return frozenset(map(aggressive_stem, terms))
