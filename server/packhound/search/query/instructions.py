"""Instructions in a query, apart from what it is about.

"Write a test that checks that retries stop" is about retries that stop: `write`, `test` and
`checks` would find the tests, and whatever writes or checks.
"""

from __future__ import annotations

import re

_POLITE = (
    r"(?:please|(?:can|could|would) you|i (?:want|need|would like)(?: you)? to|help me(?: to)?)"
)
_TESTS = (
    r"(?:write|add|create|make)(?: (?:an?|some|the|more|new|failing|unit|integration|regression))*"
    r" tests?(?: cases?)? (?:that|which|to|for)(?: (?:checks?|verify|verifies|ensures?|proves?"
    r"|asserts?|shows?|covers?|makes? sure))?(?: (?:that|if|whether))?"
)
_OPTION = (
    r"(?:add|introduce|implement|provide)(?: (?:an?|the|new|command[- ]line|cli|config))*"
    r" (?:option|flag|setting|parameter|switch)s?"
    r" (?:that|which|for|so that|to(?! (?:an?|the|its|this)\b))"
)
"""Not "add a parameter to the query", which some code does."""
_ANSWER = (
    r"(?:explain|describe|tell me|show me|i want to know)(?: to me)?"
    r"(?= (?:how|why|what|where|when|which|who)\b)"
)
_THE_CODE = (
    r" the (?:code|function|method|place|class|part|piece of code) (?:that|which|where|for|to)"
)
_PLACE = rf"(?:find|locate|show me|give me|where is)(?: me)?{_THE_CODE}"
_CHANGE = rf"(?:refactor|debug)(?:{_THE_CODE}|(?= (?:the|how|what|this|our)\b))"
_TOPIC = r"(?=\S+\s+\S|\S*(?:\w_\w|(?-i:[a-z][A-Z])))"
"""Two words, or a name."""
_INSTRUCTION = re.compile(
    rf"(?:(?:{_POLITE}|{_TESTS}|{_OPTION}|{_ANSWER}|{_PLACE}|{_CHANGE}),?\s+)+{_TOPIC}", re.I
)


def without_instruction(text: str) -> tuple[str, str]:
    """Return what a query is about, and the instruction before it or ''."""
    instruction = _INSTRUCTION.match(text)
    return (text[instruction.end() :], instruction[0].rstrip(" ,")) if instruction else (text, "")
