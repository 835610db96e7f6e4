"""Context packs: a prompt and a budget of tokens become the code that a language model should read.

Candidates come from the prompt, the search and the reference graph; a knapsack chooses nodes and
their tier of detail; the text is rendered with its secrets removed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
