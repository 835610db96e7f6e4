from .sqlite_store import Store as Store
