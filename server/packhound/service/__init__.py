"""The engine of one folder and the workspace of several: what every front end calls.

An engine opens the models and the saved index, follows the folder, and answers each question from
one snapshot. Front ends hold no search logic.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
