from .copy import Copy as Copy
from .copy import CopyLimits as CopyLimits
from .copy import Written as Written
from .copy import materialize as materialize
from .copy import of_patch as of_patch
from .copy import remove_leavings as remove_leavings
