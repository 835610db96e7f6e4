"""Words of one family: what else code may call what the query says.

The tokenizer's stemmer is light, so `validation`, `validator` and `validate` are three terms, and
programmers shorten: `configuration` is `config`. Families have signals of their own and never
count as the query's words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from packhound.text.tokenizer import stem

_SHORT_FORMS = """
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
tbl; temporary temp tmp; text txt; thread threads; token tok; transaction tx txn; transform xform;
translate i18n; utility util utils helper helpers; value val; variable var vars; vector vec;
version ver; virtual virt; window win; websocket ws
"""
_WHOLE: dict[str, str] = {}
"""The term that each short form stands for, the first that lists it."""
for _whole, *_shorts in (entry.split() for entry in _SHORT_FORMS.split(";") if entry.split()):
    for _short in _shorts:
        _WHOLE.setdefault(stem(_short), stem(_whole))
_ENDINGS = (
    *("izations", "ization", "ifications", "ification", "ations", "ation", "itions", "ition"),
    *("ators", "ator", "ating", "ated", "ates", "ate", "ables", "able", "ibles", "ible"),
    *("ments", "ment", "ances", "ance", "ences", "ence", "nesses", "ness", "ities", "ity"),
    *("izers", "izer", "izing", "ized", "izes", "ize", "ifiers", "ifier", "ifying", "ified"),
    *("ions", "ion", "ings", "ing", "ers", "er", "ors", "or", "als", "al", "ies", "ied", "ed"),
    *("ives", "ive", "ly", "at", "iz", "es", "s", "e", "y"),
)
_SHORTEST = 4


@lru_cache(maxsize=65_536)
def root_of(term: str) -> str:
    """What all terms of one family share: `validat`, `validator` and `validation` give `valid`."""
    short = _WHOLE.get(term, term)
    for ending in _ENDINGS:
        if short.endswith(ending) and len(short) - len(ending) >= _SHORTEST:
            short = short[: -len(ending)]
            break
    return short[:-1] if len(short) > _SHORTEST and short[-1:] == short[-2:-1] else short


def roots_of(terms: Iterable[str]) -> frozenset[str]:
    """The families of some terms."""
    return frozenset(map(root_of, terms))
