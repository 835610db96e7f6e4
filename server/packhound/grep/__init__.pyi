from .grep import Grep as Grep
from .pattern import CASES as CASES
from .request import GrepGroup as GrepGroup
from .request import GrepLine as GrepLine
from .request import GrepRequest as GrepRequest
from .request import GrepResults as GrepResults
from .request import merge_pages as merge_pages
from .request import next_request as next_request
