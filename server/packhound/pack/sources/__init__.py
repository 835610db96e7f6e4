"""Sources of candidates and their utility, in the order in which `gather` asks them."""
