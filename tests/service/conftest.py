from tests.memory.conftest import data
from tests.support.project import cache, engine, root

__all__ = ["cache", "data", "engine", "root"]
