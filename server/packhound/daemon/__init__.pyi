from .client import Connection as Connection
from .client import connect as connect
from .server import serve_daemon as serve_daemon
from .socket_server import Session as Session
from .socket_server import SocketServer as SocketServer
