"""StorageSuite: what every backend must do, as tests to subclass.

```python
class TestMyBackend(StorageSuite):
    def open(self, place, clock): return open_mine(place / "store", clock=clock, ...)
    def raw_bytes(self, place, storage): return (place / "store").read_bytes()
```

A subclass says how a store is opened (`open`), what of it lies where its methods do not
reach (`raw_bytes`), and what it promises by its `capabilities`. Everything else is here.
The tests use the contract alone.
"""

from __future__ import annotations

from loom.testing.suite_blocks import BlockSuite
from loom.testing.suite_namespaces import NamespaceSuite
from loom.testing.suite_places import PlaceSuite
from loom.testing.suite_rows import RowSuite
from loom.testing.suite_scrub import ScrubSuite
from loom.testing.suite_search import SearchSuite
from loom.testing.suite_threads import ThreadSuite
from loom.testing.suite_versions import VersionSuite

__all__ = ["StorageSuite"]


class StorageSuite(
    RowSuite,
    VersionSuite,
    BlockSuite,
    NamespaceSuite,
    PlaceSuite,
    SearchSuite,
    ScrubSuite,
    ThreadSuite,
):
    """Subclass it in a test module and pytest runs it."""
