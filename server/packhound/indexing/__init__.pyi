from .indexer import Indexer as Indexer
from .malloc import collect_all_and_trim as collect_all_and_trim
from .malloc import collect_and_trim as collect_and_trim
from .malloc import limit_malloc_arenas as limit_malloc_arenas
from .malloc import raise_gc_threshold as raise_gc_threshold
from .timing import DEFAULT_TIMING as DEFAULT_TIMING
from .timing import Timing as Timing
from .work_queue import WorkQueue as WorkQueue
