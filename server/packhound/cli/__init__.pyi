from . import operations as operations
from . import show as show
from .commands import main as main
