from . import doctor as doctor
from . import operations as operations
from . import show as show
from .commands import run as run
