"""Values, errors, settings and small tools of every package; imports none of the others."""
