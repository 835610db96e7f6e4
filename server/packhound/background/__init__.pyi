from .server import serve_engine as serve_engine
