from .hosted import LspSessions as LspSessions
from .jsonrpc.tcp import TcpAddress as TcpAddress
from .server import serve as serve
