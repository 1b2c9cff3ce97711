"""Temporary: the storage engineer replaces this file."""
from loom.backends.memory import open_memory


def connect(url, *, clock, space, dimension):
    return open_memory(clock=clock, space=space, dimension=dimension)
