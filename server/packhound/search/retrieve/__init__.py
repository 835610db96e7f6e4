"""First stage: term matches, nearest vectors and names give the candidates to rank."""
