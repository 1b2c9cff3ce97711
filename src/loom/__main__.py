"""`python -m loom`: the command line."""

from __future__ import annotations

from loom.faces.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
