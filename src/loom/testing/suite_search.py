"""Vector and term search: exact, filtered before the cut, in one order."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import StorageError
from loom.model.entries import Vector
from loom.model.identity import ScopeKey
from loom.model.memory import MemoryRow
from loom.model.status import Status
from loom.storage.batch import Batch
from loom.storage.contract import Storage
from loom.storage.query import Heads, Match, Near, Nearest, Replay, Versions
from loom.storage.where import ALWAYS, NEVER, Equal, HasAny, Not, Where
from loom.testing.strategies import unit_vectors
from loom.testing.suite_base import ANYWHERE, DRAWN, NUMBERS, SuiteBase
from loom.testing.writing import SCOPE, WHOLE, Drafter

__all__ = ["SearchSuite"]


class SearchSuite(SuiteBase):
    """`nearest`, `match` and `vector`."""

    @DRAWN
    @given(
        vectors=st.lists(unit_vectors(4), min_size=1, max_size=12),
        queries=st.lists(unit_vectors(4), min_size=1, max_size=3),
        limit=st.integers(0, 5),
        at_least=st.sampled_from((-1.0, 0.0, 0.5, 0.9)),
    )
    def test_nearest_is_what_comparing_with_every_row_gives(
        self,
        storage: Storage,
        vectors: list[Vector],
        queries: list[Vector],
        limit: int,
        at_least: float,
    ) -> None:
        """Recall 1.0; equal scores by version, newest first, then memory id (R-51)."""
        drafter = Drafter(space=self.space, dimension=self.dimension)
        user = f"user-{next(NUMBERS)}"
        written: list[tuple[MemoryRow, Vector]] = []
        for at, vector in enumerate(vectors):
            row = drafter.row(f"k{at}", at, user_id=user, memory_id=f"{user}-{at % 3}{at}")
            (row,) = drafter.put(storage, row, entries=[drafter.entry(row, vector)])
            written.append((row, drafter.entry(row, vector).vector))
        where = Not(Equal("memory_key", "k1"))
        found = storage.nearest(
            Nearest(
                scopes=(ScopeKey(SCOPE.org, SCOPE.namespace, user),),
                vectors=np.stack(queries),
                where=where,
                at_least=at_least,
                limit=limit,
            )
        )
        assert len(found) == len(queries)
        for query, near in zip(queries, found, strict=True):
            wanted = [
                (float(np.vecdot(vector, query)), row)
                for row, vector in written
                if row.memory_key != "k1"
                and np.vecdot(vector, query) >= np.float32(at_least)
            ]
            wanted.sort(key=lambda pair: (-pair[0], -pair[1].version, pair[1].memory_id))
            assert [(n.score, n.row) for n in near] == wanted[:limit]

    @pytest.mark.parametrize("view", [Heads(), Replay(), Versions()])
    def test_a_filter_holds_before_the_cut(
        self, storage: Storage, drafter: Drafter, view: Heads | Replay | Versions
    ) -> None:
        """R-50: 300 closer rows that do not qualify hide nothing."""
        rows = [drafter.row(f"k{at}", at, tags=("near",)) for at in range(300)]
        far = drafter.row("far", "far", tags=("far",))
        entries = [
            drafter.entry(row, [1, 0.001 * at, 0, 0], "word") for at, row in enumerate(rows)
        ]
        entries.append(drafter.entry(far, [0, 1, 0, 0], "word longer passage of terms"))
        drafter.put(storage, *rows, far, entries=entries)
        where = HasAny("tags", ("far",))
        nearest = storage.nearest(
            Nearest(
                scopes=ANYWHERE,
                vectors=drafter.direction(0),
                where=where,
                view=view,
                limit=2,
            )
        )
        assert _keys(nearest[0]) == ["far"]
        words = Match(scopes=ANYWHERE, terms=("word",), where=where, view=view, limit=2)
        assert _keys(storage.match(words)) == ["far"]
        nothing = attrs.evolve(words, where=NEVER)
        assert storage.match(nothing) == ()

    @pytest.mark.parametrize("view", [Heads(), Replay(), Versions()])
    def test_scopes_are_never_crossed(
        self, storage: Storage, drafter: Drafter, view: Heads | Replay | Versions
    ) -> None:
        """R-04: org, namespace, user and type, each alone and together."""
        places = [
            ("acme", "tools", "-", "semantic"),
            ("acme", "tools", "ana", "semantic"),
            ("acme", "tools", "ana", "decision"),
            ("acme", "other", "ana", "semantic"),
            ("acme-corp", "tools", "ana", "semantic"),
        ]
        rows = [
            drafter.row(f"k{at}", at, org=org, namespace=ns, user_id=user, memory_type=kind)
            for at, (org, ns, user, kind) in enumerate(places)
        ]
        drafter.put(
            storage, *rows, entries=[drafter.entry(r, [1, 0, 0, 0], "word") for r in rows]
        )
        for scopes, wanted in (
            ((ScopeKey("acme", "tools"),), {"k0", "k1", "k2"}),
            ((ScopeKey("acme", "tools", "ana"),), {"k1", "k2"}),
            ((ScopeKey("acme", "tools", None, "semantic"),), {"k0", "k1"}),
            ((ScopeKey("acme", "tools", "ana", "semantic"),), {"k1"}),
            ((ScopeKey("acme", "tools", "-"), ScopeKey("acme", "other")), {"k0", "k3"}),
            (
                (ScopeKey("acme", "tools"), ScopeKey("acme", "tools", "ana")),
                {"k0", "k1", "k2"},
            ),
            ((ScopeKey("acm", "tools"),), set()),
            ((), set()),
        ):
            near = storage.nearest(
                Nearest(scopes=scopes, vectors=drafter.direction(0), view=view)
            )[0]
            assert set(_keys(near)) == wanted
            assert len(near) == len(wanted)
            found = storage.match(Match(scopes=scopes, terms=("word",), view=view))
            assert set(_keys(found)) == wanted
            assert len(found) == len(wanted)

    @pytest.mark.parametrize("view", [Heads(), Replay(), Versions()])
    def test_the_best_entry_of_a_row_answers_and_says_which(
        self, storage: Storage, drafter: Drafter, view: Heads | Replay | Versions
    ) -> None:
        """R-13: a row is found once, by its excerpt or by a chunk."""
        row = drafter.row("long", "text", chunks=2)
        entries = [
            drafter.entry(row, [1, 0, 0, 0], "excerpt words"),
            drafter.entry(row, [0, 1, 0, 0], "first chunk", ordinal=0),
            drafter.entry(row, [0, 0, 1, 0], "second chunk", ordinal=1),
        ]
        drafter.put(storage, row, entries=entries)
        for axis, chunk in ((0, None), (1, 0), (2, 1)):
            (near,) = storage.nearest(
                Nearest(scopes=ANYWHERE, vectors=drafter.direction(axis), view=view)
            )
            assert [(n.chunk, n.score) for n in near] == [(chunk, 1.0)]
        for term, chunk in (("excerpt", None), ("first", 0), ("second", 1)):
            (found,) = storage.match(Match(scopes=ANYWHERE, terms=(term,), view=view))
            assert found.chunk == chunk

    @pytest.mark.parametrize(
        "term",
        ["東京", "서울", "القاهرة", "दिल्ली", "กรุงเทพ", "don't", "a:b", "🍎", "é", "c#"],
    )
    def test_terms_of_any_script_are_found(
        self, storage: Storage, drafter: Drafter, term: str
    ) -> None:
        row, other = drafter.row("k", "v"), drafter.row("j", "w")
        entries = [
            drafter.entry(row, [1, 0, 0, 0], f"some {term} here"),
            drafter.entry(other, [0, 1, 0, 0], "something else here"),
        ]
        drafter.put(storage, row, other, entries=entries)
        assert _keys(storage.match(Match(scopes=ANYWHERE, terms=(term,)))) == ["k"]

    def test_bm25_prefers_rare_terms_more_of_them_and_short_passages(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        words = {
            "rare": "common gem",
            "often": "common common common",
            "once": "common filler filler",
            "none": "filler filler",
        }
        rows = [drafter.row(key, key) for key in words]
        entries = [drafter.entry(r, [1, 0, 0, 0], words[r.memory_key]) for r in rows]
        drafter.put(storage, *rows, entries=entries)
        found = storage.match(Match(scopes=ANYWHERE, terms=("common", "gem")))
        assert _keys(found) == ["rare", "often", "once"]
        assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)
        assert storage.match(Match(scopes=ANYWHERE, terms=())) == ()
        assert storage.match(Match(scopes=ANYWHERE, terms=("absent",))) == ()
        replayed = storage.match(
            Match(scopes=ANYWHERE, terms=("common", "gem"), view=Replay())
        )
        assert replayed == found

    def test_a_score_does_not_depend_on_the_filter(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        rows = [drafter.row(f"k{at}", at, tags=(f"t{at}",)) for at in range(4)]
        entries = [
            drafter.entry(r, [1, 0, 0, 0], f"word w{at}") for at, r in enumerate(rows)
        ]
        drafter.put(storage, *rows, entries=entries)

        def score(where: Where) -> float:
            found = storage.match(Match(scopes=ANYWHERE, terms=("w2",), where=where))
            return found[0].score

        assert score(ALWAYS) == score(HasAny("tags", ("t2",)))

    # --- contents and their versions ---------------------------------------------------------

    def test_an_earlier_value_finds_its_entries_again(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-16: entries are kept by content; a revert brings none and needs none."""
        one = drafter.row("k", "one")
        first = [
            drafter.entry(one, [1, 0, 0, 0], "one"),
            drafter.entry(one, [0, 0, 0, 1], "tail", ordinal=0),
        ]
        (one,) = drafter.put(storage, one, entries=first)
        two = drafter.revised(one, "two")
        (two,) = drafter.put(
            storage, two, entries=[drafter.entry(two, [0, 1, 0, 0], "two")]
        )
        assert storage.match(Match(scopes=ANYWHERE, terms=("one",))) == ()
        found = storage.vector(one.memory_id, one.content_sha256)
        assert found is not None
        assert found.tolist() == [1, 0, 0, 0]
        assert found.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 0
        old = storage.nearest(
            Nearest(
                scopes=ANYWHERE,
                vectors=drafter.direction(0),
                view=Replay(known_by=one.version),
                at_least=0.5,
            )
        )
        assert [n.row for n in old[0]] == [one]
        (back,) = drafter.put(storage, drafter.revised(two, "one"))
        assert [n.row for n in storage.match(Match(scopes=ANYWHERE, terms=("tail",)))] == [
            back
        ]
        near = storage.nearest(
            Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), at_least=0.5)
        )
        assert [n.row for n in near[0]] == [back]

    def test_every_version_can_be_searched(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-16: `include_superseded` asks for versions."""
        one = drafter.row("k", "one")
        (one,) = drafter.put(
            storage, one, entries=[drafter.entry(one, [1, 0, 0, 0], "one")]
        )
        two = drafter.revised(one, "two")
        (two,) = drafter.put(
            storage, two, entries=[drafter.entry(two, [1, 0, 0, 0], "two")]
        )
        near = storage.nearest(
            Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), view=Versions())
        )
        assert [n.row for n in near[0]] == [two, one]
        old = storage.match(Match(scopes=ANYWHERE, terms=("one",), view=Versions()))
        assert [n.row for n in old] == [one]

    def test_a_changed_type_moves_the_row_with_its_entries(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Slots are found by memory id across partitions."""
        row = drafter.row("k", "v")
        (row,) = drafter.put(storage, row, entries=[drafter.entry(row, [1, 0, 0, 0], "v")])
        moved = drafter.revised(row, "v", memory_type="decision")
        (moved,) = drafter.put(storage, moved)
        here = ScopeKey(SCOPE.org, SCOPE.namespace, "-", "semantic")
        there = attrs.evolve(here, memory_type="decision")
        for scope, wanted in ((here, []), (there, [moved]), (SCOPE, [moved])):
            near = storage.nearest(Nearest(scopes=(scope,), vectors=drafter.direction(0)))
            assert [n.row for n in near[0]] == wanted
            found = storage.match(Match(scopes=(scope,), terms=("v",)))
            assert [n.row for n in found] == wanted

    def test_a_row_that_is_not_searchable_is_not_found(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-46: a row that becomes high loses its entries."""
        row = drafter.row("k", "v")
        (row,) = drafter.put(storage, row, entries=[drafter.entry(row, [1, 0, 0, 0], "v")])
        hidden = drafter.revised(row, "v", searchable=False)
        drafter.put(storage, hidden)
        for view in (Heads(), Replay()):
            query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), view=view)
            assert storage.nearest(query) == ((),)
            words = Match(scopes=ANYWHERE, terms=("v",), view=view)
            assert storage.match(words) == ()

    def test_a_dead_row_is_found_only_by_who_asks_for_it(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Every head has a slot, served or not: filters decide, not the index."""
        row = drafter.row("k", "v")
        (row,) = drafter.put(storage, row, entries=[drafter.entry(row, [1, 0, 0, 0], "v")])
        (dead,) = drafter.put(storage, drafter.revised(row, "v", status=Status.TOMBSTONED))
        query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0))
        assert [n.row for n in storage.nearest(query)[0]] == [dead]
        live = attrs.evolve(query, where=Equal("status", Status.ACTIVE))
        assert storage.nearest(live) == ((),)

    # --- spaces -------------------------------------------------------------------------------

    def test_vectors_of_another_space_are_never_compared(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """R-40: the row is still found by its terms."""
        row = drafter.row("k", "v")
        foreign = drafter.entry(row, [1, 0, 0], "word", space="other")
        (row,) = drafter.put(storage, row, entries=[foreign])
        query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0))
        assert storage.nearest(query) == ((),)
        assert storage.vector(row.memory_id, row.content_sha256) is None
        words = Match(scopes=ANYWHERE, terms=("word",))
        assert [n.row for n in storage.match(words)] == [row]
        with storage.writing(WHOLE) as writing:
            receipt = writing.stage(
                Batch(rows=(), vectors=(drafter.entry(row, [1, 0, 0, 0], "word"),))
            )
        receipt.wait()
        for view in (Heads(), Replay()):
            near = storage.nearest(attrs.evolve(query, view=view))
            assert [n.row for n in near[0]] == [row]
            assert [n.row for n in storage.match(attrs.evolve(words, view=view))] == [row]

    def test_entries_of_another_space_do_not_displace_the_stores_own(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        """Re-embedding writes the next space beside the present one."""
        row = drafter.row("k", "v")
        (row,) = drafter.put(storage, row, entries=[drafter.entry(row, [1, 0, 0, 0], "v")])
        with storage.writing(WHOLE) as writing:
            other = drafter.entry(row, [1, 0], "v", space="next")
            receipt = writing.stage(Batch(rows=(), vectors=(other,)))
        receipt.wait()
        for view in (Heads(), Replay()):
            query = Nearest(scopes=ANYWHERE, vectors=drafter.direction(0), view=view)
            assert [n.row for n in storage.nearest(query)[0]] == [row]

    def test_a_vector_of_the_wrong_shape_is_refused_and_leaves_nothing(
        self, storage: Storage, drafter: Drafter
    ) -> None:
        row = drafter.row("k", "v")
        for numbers in ([1, 0, 0], [float("nan"), 0, 0, 0]):
            with storage.writing(WHOLE) as writing, pytest.raises(StorageError):
                drafter.stage(writing, row, entries=[drafter.entry(row, numbers, "v")])
        assert storage.row(row.address) is None
        drafter.put(storage, row)


def _keys(found: tuple[Near, ...]) -> list[str]:
    return [near.row.memory_key for near in found]
