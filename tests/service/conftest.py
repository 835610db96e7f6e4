from tests.support.project import cache, engine, root

__all__ = ["cache", "engine", "root"]
