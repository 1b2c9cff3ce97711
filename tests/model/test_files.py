"""Paths of files that memories are about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import InvalidRequest
from loom.model.files import parse_file


@pytest.mark.parametrize(
    "path, kept",
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("././src//app.py", "src/app.py"),
        ("src\\app.py", "src/app.py"),
        (".\\src\\app.py", "src/app.py"),
        ("src/./app.py", "src/app.py"),
        ("docs/../README.md", "README.md"),
        ("src/", "src"),
        ("Src/App.py", "Src/App.py"),
        ("docs/cafe\u0301.md", "docs/café.md"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("a file with spaces.txt", "a file with spaces.txt"),
        ("...", "..."),
        ("a:b", "a:b"),
        ("~x", "~x"),
    ],
)
def test_one_file_has_one_path(path: str, kept: str) -> None:
    """A-183: forward slashes, from the root of the repository, NFC, in its case."""
    assert parse_file(path) == kept


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "//host/x", "\\\\host\\x", "C:\\x", "c:/x", "~/x"),
        *("..", "../x", "a/../../x", ".\\..\\x", "", ".", "./", "a/..", " "),
        *("a\nb", "a\x00b", "a\x1bb", "a\u2028b", "a\x7fb"),
    ],
)
def test_what_is_no_path_inside_a_repository_is_refused(path: str) -> None:
    """A-183: absolute, leading out, naming nothing, with a control character."""
    with pytest.raises(InvalidRequest) as caught:
        parse_file(path)
    assert caught.value.details["field"] == "files"
    assert len(path.strip(" .")) < 4 or path not in str(caught.value)


@given(st.one_of(st.text(), st.text("./\\ab:~", max_size=12)))
def test_a_path_that_is_kept_is_kept_as_it_is(path: str) -> None:
    """A-183: idempotent; no segment is empty, `.` or `..`."""
    try:
        kept = parse_file(path)
    except InvalidRequest:
        return
    assert parse_file(kept) == kept
    assert not {"", ".", ".."} & set(kept.split("/"))
