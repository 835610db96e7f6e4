"""The index: analysed files in, snapshots out that can be searched.

`writer.Index` is the one mutable object. Each publication is a `snapshot.Snapshot`, which never
changes and shares its arrays with the others. It has a row per node id; dead rows are tombstones
until a compaction. Nothing here touches the disk.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
