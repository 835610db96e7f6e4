"""Word lists for queries. Code and its index never pass through them."""

from __future__ import annotations

_STOP_WORDS = """
a across also an and any are as at be been between both but by can could did do does doing
during each few for from had has have how i if in into is it its itself just me more most my no
not of on only or other our out over own same she should so some such than that the their them
then there these they this those through to too under until up us very via was we were what when
where which while who whom why will with within would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say nothing about code; dropped from prose, never from code."""

_PROSE_WORDS = """
a an and are do does for how in is of that the to what when where which who why with
"""
PROSE_WORDS = frozenset(_PROSE_WORDS.split())
"""Any of these makes a query prose rather than a list of key words."""

_ASKING_WORDS = """
add call called calling calls change check code created define defined defines definition file find
fix function get handle handled happens implemented let look method please see set show tell use
used uses using where work working works
"""
ASKING_WORDS = frozenset(_ASKING_WORDS.split())
"""Words around the one word that a short question is about."""

_REPORT_WORDS = """
actual actually again already always another anyone anything arch behavior behaviour believe bug
bugs cause checklist code confirm consider current currently darwin describe description desktop
different doesn don due easy edit environment etc even example expect expected explanation fail
fails feature feel file fix following gcc get gets give gives got happen happens hello help hi
however info install installed issue issues know latest let like line linux look looks macos
main make maybe minimal need new note now observe observed original outcome output pip please
possible problem produce proposal python question reason recent release report reproduce
reproduction result results return right run running same say screenshot see seem seems show
simple since slightly snippet solution something step steps still suggest supposed sure system
take tested thank thanks thing think though title tried try trying type ubuntu unexpected
unfortunately update use used user uses using version versions want way windows work working
works wrong yes yet
"""
REPORT_WORDS = frozenset(_REPORT_WORDS.split())
"""Words that bug reports are full of whatever the bug is; they count little in reports."""

_TEMPLATE_WORDS = """
additional alternatives anything considered context detail details else existing happened info log
logs motivation prerequisites related relevant search searched summary want what's willing
"""
TEMPLATE_WORDS = frozenset(_TEMPLATE_WORDS.split())
"""Words of templates' headings beside those of reports; elsewhere they may be topics."""

_TEST_WORDS = """
benchmark benchmarks fixture fixtures mock mocks spec specs test tested testing tests
"""
TEST_WORDS = frozenset(_TEST_WORDS.split())
"""Any of these in a query says that tests are wanted, so test paths are not held against it."""

_EXAMPLE_WORDS = """
demo demos example examples sample samples tutorial tutorials
"""
EXAMPLE_WORDS = frozenset(_EXAMPLE_WORDS.split())
"""Likewise for examples and demos."""

LANGUAGE_NAMES = {
    "c++": "cpp",
    "cs": "csharp",
    "c#": "csharp",
    "golang": "go",
    "js": "javascript",
    "kt": "kotlin",
    "md": "markdown",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    "ts": "typescript",
}
"""Aliases of languages after `lang:`."""
