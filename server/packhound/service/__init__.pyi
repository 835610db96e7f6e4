from .engine import Engine as Engine
from .engine_pool import EnginePool as EnginePool
from .roots import check_root as check_root
from .roots import clear_index as clear_index
from .roots import index_folder as index_folder
from .roots import real_path as real_path
from .workspace import Workspace as Workspace
from .workspace import merge_results as merge_results
