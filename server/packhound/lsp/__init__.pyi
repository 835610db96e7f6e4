from .jsonrpc.tcp import TcpAddress as TcpAddress
from .server import serve as serve
