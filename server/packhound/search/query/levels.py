"""Levels of exact matches, below that of a path: what has a higher one comes first."""

OWNED, NAMED, FOLDED, PARTS = 3.0, 2.0, 1.9, 1.8
"""Levels below that of a path: a name with its owner, letter for letter, in another case, of these
parts."""
LINE, TEXT, MESSAGE, CALLED = 1.65, 1.5, 1.4, 1.3
"""Levels: the query's text as a whole line, as any text; the end of it, as a message; the name that
it calls with arguments."""
WORDS, OTHER_CASE, IDENTIFIER, NEAR, STEMS, COMMON, PREFIX = 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6
"""Levels: all words as written, in another letter case; an identifier; a name written nearly so;
all words as stems; the query's text, which many places have; a name that begins so."""

TOGETHER = 0.07
"""Level of plain words in one place: as much as other signals say, a test's price among them, since
a question of two words may be about what has neither."""

SAME_LEVEL = 0.05
"""Levels that differ by less are one: of files of a name the one with the shorter path is first."""

MOST_PLACES = 5
"""A text or word in more nodes than this is no fact about one of them."""
MOST_COMMON = 60
"""A text of several words in more nodes than this is no news of any."""
MOST_NAMED = 400
"""Nodes of one name that are looked at."""
