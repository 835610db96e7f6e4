from .fusion import fuse as fuse
from .protocol import Source as Source
from .record_hits import hits_of as hits_of
from .record_snapshot import RecordQuery as RecordQuery
from .registry import SourceFactory as SourceFactory
from .registry import SourceRegistry as SourceRegistry
