from .hosted import serve_editor as serve_editor
from .server import serve as serve
from .tcp import TcpAddress as TcpAddress
