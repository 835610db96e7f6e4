from .client import Connection as Connection
from .client import connect as connect
from .server import serve_daemon as serve_daemon
