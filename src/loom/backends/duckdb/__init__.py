"""The DuckDB backend: a live view over append-only version rows in one file."""

from __future__ import annotations

from loom.backends.duckdb.registry import open_duckdb

__all__ = ["open_duckdb"]
