from .shared_rows import MemoryRows as MemoryRows
from .sibling import copy_index as copy_index
from .sibling import sample_files as sample_files
from .sibling import saved_indexes as saved_indexes
from .sqlite_store import Store as Store
from .vector_store import VectorStore as VectorStore
