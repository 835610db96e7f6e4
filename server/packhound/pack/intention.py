"""Intention of a prompt: what is to be done with the code.

Rules read the first words, since a person who wants a test, a fix or an explanation says so there,
or begins a later sentence with it, after what is the case. Who says how something should be, and
asks nothing, wants it changed.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from packhound.pack.sources.neighbourhood import asks_for_changes
from packhound.search import content_of, is_report

Intention = Literal["fix", "explain", "add", "test", "refactor", "change", "review", "find"]

WORDS: dict[Intention, str] = {
    "fix": "something to fix",
    "explain": "something to explain",
    "add": "something to add",
    "test": "a test to write",
    "refactor": "code to change wherever it is used",
    "change": "behaviour to change",
    "review": "code to review",
    "find": "code to find",
}

_POLITE = (
    r"(?:[^\w`]|_|(?:please|hi|hello|hey|todo|task|feature request|proposal|now|also|just|kindly"
    r"|(?:can|could|would|will) you|(?:can|could|shall) we"
    r"|(?:i|we) (?:want|need|would like|have|should|must)(?: you)?"
    r"(?: to)?|i'd like(?: you)?(?: to)?|let'?s|help me(?: to)?|try to"
    r"|it would be (?:nice|great) to)\b)*"
)
_TESTS = r"(?:tests?|specs?|test[- ](?:case|suite)s?)\b(?! (?:pass|green|again|work|run))"
_A = r"(?:an?|another|one|some|new)\b"
_THE = r"(?:an?|any|all|each|every|no|how|th\w+|its?)\b"
_MODAL = r"(?:should(?:n't)?|shall|must(?:n't)?|ought to|needs? to|ha(?:s|ve) to)\b"
_WANTED = (
    rf"\b(?:(?<!that )(?<!which )(?<!who ){_MODAL}"
    r"|(?:wants?|wish|(?:would|'d) (?:like|prefer|rather|expect))\b)"
)
_RATHER = r"(?:instead(?: of)?|rather than|in place of)\b"
_Rules: TypeAlias = tuple[tuple[Intention, re.Pattern[str]], ...]


def _rules(*rules: tuple[Intention, str], before: str = "") -> _Rules:
    return tuple((intention, re.compile(before + words, re.I)) for intention, words in rules)


_BEGINS = _rules(
    ("review", r"(?:code[- ])?review\b"),
    (
        "test",
        r"(?:(?:write|add|create|make|generate|extend|have|provide)\b(?: [\w-]+){0,5} "
        rf"{_TESTS}|(?:unit |integration |an? )*tests? (?:for|that)\b"
        r"|(?:increase|improve) (?:the )?(?:test )?coverage|cover .* (?:with|by) (?:\w+ )?tests?"
        r"|(?:make sure|ensure|check|verify|prove) (?:with|by|in) (?:an?|some) (?:\w+ )?tests?)",
    ),
    (
        "refactor",
        r"(?:refactor|factor|pull|change (?:it|them|this|that|all)\b|rename|restructure"
        r"|reorganis?z?e|simplify|de-?duplicate|inline|extract|split|merge|move|migrate|consolidate"
        r"|clean up|tidy|decouple|unify|convert|port|replace|get rid of|remove|delete|deprecate"
        r"|drop|use\b.* (?:everywhere|throughout|in all))\b",
    ),
    (
        "fix",
        r"(?:(?:fix|debug|solve|repair|investigate|correct|stop|prevent|avoid|handle)\b|bug\b"
        r"|(?:make|get)\b.* (?:pass|again)\b)",
    ),
    (
        "add",
        r"(?:(?:add|implement|support|introduce|create|allow|provide|enable|build|extend|expose"
        rf"|teach|offer|give (?:us|me))\b|write (?!it|them|th)|(?:make|have|get) {_A}(?! look)"
        r"|make\b.* (?:configurable|possible|available|optional|selectable|public|accessible)\b"
        r"|let (?:[\w-]+ ){1,3}(?:choose|set|configure|pass|specify|select|define|override"
        r"|register|pick|provide|add)\b)",
    ),
    (
        "change",
        r"(?:(?:make|let|treat|switch|turn|increase|decrease|lower|reduce|limit|cap|bump|adjust"
        r"|adapt|tweak|alter|modify|relax|tighten|speed up|improve|optimi[sz]e|ensure|change|only"
        r"|keep|never|always|don't|do not|write|warn) (?!of|to\b)"
        rf"|(?:have|raise) {_THE}|use (?!of|cases?)|{_RATHER})",
    ),
    (
        "explain",
        r"(?:show (?:me|us) (?:how|why)|who should|(?:in|at|by|from) (?:which|what)"
        r"|which\b.* (?:and|or) why)\b",
    ),
    (
        "find",
        r"(?:find|locate|where|which|who|list|search|look|(?:i'm|i am) (?:looking|searching)"
        r"|show (?:me|us|where|which|who|the)|(?:the |an? )?(?:code|function|method|class|place"
        r"|file|module)s? (?:that|which|where|for|of|to))\b",
    ),
    (
        "explain",
        r"(?:explain|describe|how|what(?! (?:i|we)\b)|walk|tell|understand|summari[sz]e|document|is"
        r"|are|does|do|when (?:is|are|do|does|did|will|would|should|can|has|have))\b",
    ),
    # What should be otherwise is no imperative.
    before=rf"{_POLITE}(?!(?:search|split|merge|list|look|port|tests?|build|support) {_MODAL})",
)
_ASKED_LATER = (
    *_rules(
        (
            "change",
            r"(?:(?:print|show|return|send|log|skip|ignore|keep|accept|reject|round|truncate|cut"
            rf"|shorten|close|wait|reset|store|sort|write|drop|hide) (?:{_THE}|`)"
            rf"|(?:print|show|return|use|drop|keep|send|write)\b.*\b{_RATHER})",
        ),
        before=_POLITE,
    ),
    *(rule for rule in _BEGINS if rule[0] in ("test", "refactor", "add", "change")),
    *_rules(
        (
            "explain",
            r"(?:explain|describe|walk|summari[sz]e|what exactly|how (?:is|are|does|do)"
            r"|why (?:is|are|does|do|would))\b",
        ),
        before=_POLITE,
    ),
)
"""Beginnings of later clauses that say what is wanted."""
_WISHES = _rules(
    ("fix", r"\b(?:should|expected)\b.*\bbut (?:\w+s|was|did|got)\b"),
    ("test", rf"{_WANTED} (?:be|have)(?: [\w-]+){{0,4}} {_TESTS}"),
    (
        "refactor",
        r"\b(?:all|every|each) (?:callers?|users?|uses?|usages?|call sites?|references?)\b"
        rf".*\b(?:should|must)\b|\b{_MODAL} be (?:one\b|split|merged|renamed|moved|extracted"
        r"|removed|replaced|inlined|unified|converted|deprecated|simplified)",
    ),
    (
        "add",
        rf"\bthere (?:should|were|was)(?: be)? {_A}"
        r"|\b(?:should|must) (?:also )?(?:be able to|be possible to|support)\b"
        rf"|{_WANTED} {_A} (?:[\w-]+ )?(?:option|flag|command|setting|way)\b"
        r"|\b(?:an?|another) (?:\w+ )?(?:option|flag|command|setting|way)\b.* would be\b",
    ),
    (
        "change",
        rf"{_WANTED}|\b(?:(?:is|are) (?:expected|supposed) to|so that|{_RATHER}|could (?:the|it"
        r"|this|that)|(?:would|'d) be (?:better|nicer?|good|great|helpful)|only (?:when|if))\b",
    ),
)
"""Wished-for behaviour, anywhere in a sentence that is no question."""
_CLAUSE = re.compile(r"[.!?:;,]\s+|\n\s*|\s-+>?\s+")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*|,\s+(?=(?:it|they|this|that)\b)")
_QUESTION = re.compile(
    rf"{_POLITE}(?:how|what(?! (?:i|we)\b)|why|where|which|who|do|does|is|are"
    r"|(?:should|shall) (?:i|we|it|the|this))\b|(?!could (?:the|it|this|that)\b).*\?\W*$",
    re.I,
)
_TEST_TO_WRITE = re.compile(rf"{_POLITE}(?:write|add|cover) (?:one|it|them|some|an?)\b", re.I)
_TEST = re.compile(r"\btests?\b", re.I)
_VAGUE = ("find", "explain", "change")
_TEMPLATE = re.compile(r"^ {0,3}(?:#{1,6} |\*\*|[-*] |\d+[.)] |```|~~~)", re.M)
"""Headings, lists and quoted code, as reports have them."""
_FAULT = re.compile(
    r"\b(?:bug|crash\w*|fail(?:s|ed|ing|ure)?|broken|breaks|regression|traceback|\w*exceptions?"
    r"|panics?|hangs?|leaks?|wrong\w*|incorrect\w*|segfaults?|throws?|raises?|\w*errors?"
    r"|(?:does|is|do|wo|ca)n't|not work\w*|deadlocks?|ignored|lost|loses|missing|unexpected\w*"
    r"|invalid|undefined|although|times out|since (?:v?\d|the last|yesterday))\b",
    re.I,
)


def intention_of(prompt: str) -> Intention:
    """Return what a prompt wants; what says nothing of it looks for code."""
    text, report = content_of(prompt).strip(), is_report(prompt)
    # A diff that is quoted looks like the lists of a report.
    if asks_for_changes(prompt) or _BEGINS[0][1].match(text):
        return "review"
    if report and _TEMPLATE.search(prompt):
        return "fix"
    # A report tells what is the case in any words.
    begun = (i for i, begins in _BEGINS if begins.match(text) and not (report and i in _VAGUE))
    imperative = next(begun, None) or _asked_later(text, report=report)
    if imperative is None and report:
        return "fix"
    return imperative or _wished(text)


def _asked_later(text: str, *, report: bool) -> Intention | None:
    """Return what the beginning of a later clause asks for; write one, after a test, is a test."""
    clauses = _CLAUSE.split(text)[1:]
    if _TEST.search(text) and any(map(_TEST_TO_WRITE.match, clauses)):
        return "test"
    rules = [rule for rule in _ASKED_LATER if not (report and rule[0] == "change")]
    wants = (i for clause in clauses for i, begins in rules if begins.match(clause))
    return next(wants, None)


def _wished(text: str) -> Intention:
    """Return what sentences without an imperative want; what is wrong comes before what should be
    otherwise."""
    sentences = _SENTENCE.split(text)
    stated = [sentence for sentence in sentences if not _QUESTION.match(sentence)]
    wishes = [next((i for i, wish in _WISHES if wish.search(each)), None) for each in stated]
    wished: Intention | None = next(filter(None, wishes), None)
    facts = [each for each, wish in zip(stated, wishes, strict=True) if not wish]
    if wished in (None, "change") and any(map(_FAULT.search, facts if wished else sentences)):
        return "fix"
    return wished or ("explain" if len(stated) < len(sentences) else "find")
