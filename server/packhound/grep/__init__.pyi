from .grep import Grep as Grep
from .literals import Alternatives as Alternatives
from .request import Case as Case
from .request import GrepGroup as GrepGroup
from .request import GrepRequest as GrepRequest
from .request import GrepResults as GrepResults
from .request import merge_grep_notes as merge_grep_notes
from .scan import Source as Source
