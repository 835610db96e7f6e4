"""How good the ranking is: queries with known answers, and the figures they give."""
