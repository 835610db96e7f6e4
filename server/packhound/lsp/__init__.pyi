from .hosted import LspSessions as LspSessions
from .server import serve as serve
from .tcp import TcpAddress as TcpAddress
