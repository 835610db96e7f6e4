"""Query text to `ParsedQuery`: kind, filters, terms, names and stack frames."""
