"""Documents in, primary nodes out. Parsing never fails: at worst it yields window nodes."""
