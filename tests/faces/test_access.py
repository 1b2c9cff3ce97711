"""Answers read as attributes and as mappings, and cannot be changed."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import attrs
import pytest

import loom
from loom.faces.display import plain
from loom.model.readable import Readable


@pytest.fixture
def store() -> Iterator[loom.Loom]:
    with loom.open(":memory:") as opened:
        yield opened


@pytest.fixture
def answers(store: loom.Loom) -> dict[str, Any]:
    """One answer of each kind, holding values that look like markup."""
    agent = store.agent("a<b>")
    memory = agent.memory
    first = memory.set(
        "door/code", "The <b>door</b> & gate open at 09:30 on Monday.", tags=["<i>"]
    )
    second = memory.set("door/hours", "The <b>door</b> & gate open at 09:45 on Monday.")
    return {
        "set": first,
        "conflict": second,
        "bulk": memory.bulk_set([{"memory_key": "x", "value": "<script>x</script>"}, {}]),
        "get": memory.get("door/code"),
        "list": memory.list(),
        "search": memory.search("when does the door open", explain=True),
        "abstention": memory.search("zeppelin"),
        "version": memory.history("door/code")[0],
        "delete": memory.delete("door/hours"),
        "restore": memory.restore("door/hours"),
        "pattern": agent.blacklist.add("<secret>", sweep=True),
        "stats": agent.namespace.stats(),
        "export": agent.namespace.export(),
        "capabilities": store.capabilities(),
    }


def test_a_field_is_an_attribute_and_an_item(answers: dict[str, Any]) -> None:
    """Design: `out.conflict_verdict` and `out["conflict_verdict"]` are one."""
    for answer in answers.values():
        assert isinstance(answer, Readable)
        kind: Any = type(answer)
        names = [field.name for field in attrs.fields(kind)]
        assert list(answer) == names
        assert dict(answer) == {name: getattr(answer, name) for name in names}
        assert answer.get("no such field", 7) == 7
        with pytest.raises(KeyError):
            answer["no such field"]


def test_an_answer_is_never_false(answers: dict[str, Any]) -> None:
    """Design: `if out:` asks whether there is an answer, not how long it is."""
    assert all(answers.values())


def test_an_answer_cannot_be_changed(answers: dict[str, Any]) -> None:
    """R-17: a read hands out immutable values."""
    for answer in answers.values():
        name = next(iter(answer))
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(answer, name, None)


def test_plain_is_json_with_the_fields_names(answers: dict[str, Any]) -> None:
    """Design: stable field names for scripts."""

    def is_plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(isinstance(k, str) and is_plain(v) for k, v in value.items())
        if isinstance(value, list):
            return all(map(is_plain, value))
        return value is None or type(value) in (str, int, float, bool)

    for answer in answers.values():
        said = plain(answer)
        assert list(said) == list(answer)
        assert is_plain(said)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_tables_with_everything_escaped(
    store: loom.Loom, answers: dict[str, Any]
) -> None:
    """Design: `_repr_html_` is a small table; a stored value is never markup."""
    for answer in (*answers.values(), store):
        tags = _Tags()
        tags.feed(answer._repr_html_())
        assert not tags.open
        assert tags.seen <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "&lt;b&gt;door&lt;/b&gt; &amp; gate" in answers["get"]._repr_html_()


def test_a_store_shows_its_counts_and_no_memory(store: loom.Loom, answers: object) -> None:
    """Design: `store` shows its counts."""
    shown = store._repr_html_()

    assert "3 (1 active, 2 conflicted)" in shown
    assert "door" not in shown


def test_a_store_shows_no_counts_to_a_caller_who_may_not_see_them() -> None:
    """R-04: counts reveal no rows outside the caller's reach."""
    reader = loom.Caller(subject="r", roles={"dev/local": loom.Role.VIEWER})
    with loom.open(":memory:", caller=reader) as store:
        assert "does not administer" in store._repr_html_()
