"""Files that appear when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

__all__ = ["written_whole"]


@contextmanager
def written_whole(target: Path) -> Iterator[TextIO]:
    """A text file in UTF-8 that takes its name at the end, and is gone after an error."""
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
