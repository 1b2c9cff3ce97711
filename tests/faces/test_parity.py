"""One list of operations: the table, both faces, and the documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loom.faces import groups
from loom.faces.bind import aop, op
from loom.operations.table import OPERATIONS
from tests.conftest import ROOT

REFERENCE = ROOT / "docs" / "reference" / "operations.md"
SYNC = {
    "memory": groups.Memories,
    "blacklist": groups.Blacklist,
    "calibration": groups.Calibration,
    "conflicts": groups.Conflicts,
    "erasure": groups.Erasure,
    "namespace": groups.Namespace,
}
ASYNC = {
    "memory": groups.AsyncMemories,
    "blacklist": groups.AsyncBlacklist,
    "calibration": groups.AsyncCalibration,
    "conflicts": groups.AsyncConflicts,
    "erasure": groups.AsyncErasure,
    "namespace": groups.AsyncNamespace,
}


def _names(faces: Mapping[str, type], kind: type[Any]) -> dict[str, Any]:
    """From a dotted name to the request class behind the method."""
    return {
        # A keyword cannot be an attribute: `import_` stands for `import`.
        f"{group}.{name.rstrip('_')}": method._request
        for group, face in faces.items()
        for name, method in vars(face).items()
        if isinstance(method, kind)
    }


def test_the_synchronous_face_has_every_operation() -> None:
    """Design: no operation is missing from a face, none is there twice."""
    assert _names(SYNC, op) == dict(OPERATIONS)


def test_the_asynchronous_face_has_every_operation() -> None:
    """Design: the faces are one."""
    assert _names(ASYNC, aop) == dict(OPERATIONS)


def _documented(page: Path) -> dict[str, str]:
    """From an operation's name to the role that the page says it takes."""
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \|", page.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len({name for name, _ in rows})
    return dict(rows)


def test_the_reference_lists_every_operation_with_its_role() -> None:
    """Design: the documentation follows the table (R-07 for the roles)."""
    assert _documented(REFERENCE) == {
        name: request.role.name.lower() for name, request in OPERATIONS.items()
    }


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_says_what_it_does(name: str) -> None:
    """Design: every operation has a docstring that `help()` shows."""
    assert OPERATIONS[name].__doc__
    assert OPERATIONS[name].name == name
