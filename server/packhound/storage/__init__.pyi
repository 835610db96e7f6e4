from .sqlite_store import Store as Store
from .writer_lock import WriterLock as WriterLock
