"""What claims are to each other in the oracle's world, and what follows for other rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
from attrs import define

from loom.errors import PinnedConflict
from loom.model.identity import Address
from loom.testing.customs import Custom
from loom.testing.rows import No, Row, Verdict
from loom.testing.sayings import FLOOR, cosine, relation, replaces
from loom.testing.steps import Who
from loom.testing.world import World, answered_by, may_touch, reaches

__all__ = ["Weighing"]


@define
class Weighing(World):
    """Verdicts, and how the rows around a change follow it."""

    # ------------------------------------------------------------------ judging

    def _peers(self, claim: Row, custom: Custom) -> tuple[tuple[Row, str], ...]:
        """Rows it is compared with, closest first, ties newest first (R-32, R-51)."""
        if not claim.searchable or custom.appends:
            return ()
        found = [
            (row, _kind(claim, row, dedups=custom.dedups))
            for row in self.rows.values()
            if row.at != claim.at
            and row.served(self.now)
            and row.searchable
            and row.memory_type == claim.memory_type
            and may_touch(claim.at.user_id, claim.at.session_id, row.at)
            and _gathered(claim, row)
        ]
        found.sort(
            key=lambda p: (-cosine(claim.saying, p[0].saying), -p[0].version, p[0].born)
        )
        return tuple(found)

    def _weigh(
        self,
        claim: Row,
        custom: Custom,
        *,
        pins: bool,
        lives: bool,
        elders: Sequence[Row] = (),
        run: str = "",
    ) -> Verdict:
        """Canonical; a close pinned peer; refines; same; every conflict (R-33).

        Args:
            claim: the row as it would be.
            custom: what its namespace and tags say.
            pins: the write pins, so that pins do not stand against it.
            lives: it has a row of its own, so it does not vanish into another (R-31).
            elders: older rows of the key, which a newest_wins write retires anyway.
            run: the writer's; what another run holds does not swallow its copy.
        """
        judged = self._peers(claim, custom)
        gone = {row.at for row in elders}

        def swallows(row: Row, kind: str) -> bool:
            mine = not run or row.run_id == run
            return kind == "canonical" and not lives and mine

        peers = [(r, k) for r, k in judged if r.at not in gone or swallows(r, k)]
        for row, kind in peers:
            if kind == "canonical":
                name = "merge" if swallows(row, kind) else "duplicate"
                return Verdict(name=name, of=row, peers=judged)
        if not pins and any(r.pinned for r, kind in peers if kind != "apart"):
            raise No(PinnedConflict.code)
        against = [row for row, kind in peers if kind == "conflict"]
        retired = [r for r in against if custom.newest_wins and self._gives_way(r, claim)]
        kept = tuple(row for row in against if row not in retired)
        if retired:
            return Verdict(
                name="refines", retired=tuple(retired), against=kept, peers=judged
            )
        for row, kind in peers:
            if kind == "same":
                return Verdict(name="duplicate", of=row, peers=judged)
        name = "refines" if elders else "conflict" if kept else "clear"
        return Verdict(name=name, against=kept, peers=judged)

    def _gives_way(self, row: Row, claim: Row) -> bool:
        """What fills the same place otherwise, is no newer, and held by nothing (R-42, R-44)."""
        held = row.pinned or row.locked(self.now) or self._custom(row.tags).shields
        same_key = row.at.memory_key == claim.at.memory_key
        date = self.now if claim.valid_at is None else claim.valid_at
        return (
            not held
            and replaces(claim.saying, row.saying, same_key=same_key)
            and row.world_date <= date
        )

    def _reweigh(self, row: Row, *, pins: bool) -> Verdict:
        """The verdict on a claim that is stored: it retires nothing."""
        custom = self._custom(row.tags)
        if custom.newest_wins:
            custom = attrs.evolve(custom, policy="auto_reinforce")
        return self._weigh(row, custom, pins=pins, lives=True)

    def _elders(self, at: Address) -> list[Row]:
        """Current rows of the key by others of the user, newest first (R-44)."""
        who = Who(at.agent, at.user_id, at.session_id)
        return [
            row
            for row in self._under(who, at.memory_key)
            if row.current(self.now) and row.at != at and not self._custom(row.tags).shields
        ]

    def _twin(self, claim: Row, run: str) -> Verdict | None:
        """The bulk path takes a live row of the same hash for the fact (R-37, A-96).

        One of the agent's own, for nobody's session of that session (R-04), for a run of
        that run, that stands at least as long as the claim; a secret has none (R-46).
        """
        at = claim.at
        mine = Who(at.agent, at.user_id, at.session_id)
        twins = [
            row
            for row in self.rows.values()
            if row.served(self.now)
            and row.saying == claim.saying
            and row.at.agent == at.agent
            and reaches(mine, row.at)
            and (not run or row.run_id == run)
            and not (row.secret or claim.secret)
            and not claim.outlasts(row)
            and not (row.saying.bare and row.at.memory_key != at.memory_key)
        ]
        twins.sort(key=lambda r: (r.created_at, -r.version, r.born))
        return Verdict(name="merge", of=twins[0]) if twins else None

    # ---------------------------------------------------------------- following

    def _link(self, at: Address, others: Iterable[Address]) -> None:
        """Conflict links have two sides (R-22)."""
        for other in others:
            for one, two in ((at, other), (other, at)):
                links = self.rows[one].conflict_with | {two}
                self._change(one, "relinked", status="conflicted", conflict_with=links)

    def _stand(self, at: Address, event: str, verdict: Verdict, **fields: Any) -> Row:
        """Give a row the standing that a verdict on its claim means."""
        duplicate = verdict.name == "duplicate"
        standing: dict[str, Any] = {
            "status": "duplicate" if duplicate else "active",
            "duplicate_of": verdict.of.at if duplicate and verdict.of else None,
            "conflict_with": frozenset(),
        }
        self._change(at, event, **{**standing, **fields})
        self._link(at, (r.at for r in verdict.against))
        return self.rows[at]

    def _moved_on(self, old: Row, before: Mapping[Address, Row]) -> None:
        """A row left or says something else: its partners and duplicates follow."""
        for partner in old.conflict_with:
            row = self.rows[partner]
            if old.at in row.conflict_with and partner not in self._links(old.at):
                rest = row.conflict_with - {old.at}
                free = not rest and row.status == "conflicted"
                status = "active" if free else row.status
                self._change(partner, "relinked", conflict_with=rest, status=status)
        duplicates = [r for r in before.values() if answered_by(r, old.at)]
        for row in sorted(duplicates, key=lambda r: (r.version, r.born)):
            if answered_by(self.rows[row.at], old.at):
                verdict = self._reweigh(self.rows[row.at], pins=True)
                self._stand(row.at, "relinked", verdict)

    def _end_moved(self, old: Row, before: Mapping[Address, Row]) -> None:
        """A restated row was given another end: what it answers for may outlast it now."""
        row = self.rows[old.at]
        if row.ends_at == old.ends_at:
            return
        if row.status == "duplicate":
            self._stand(row.at, "restated", self._reweigh(row, pins=True))
        self._moved_on(old, before)

    def _links(self, at: Address) -> frozenset[Address]:
        return self.rows[at].conflict_with

    def _bury(self, row: Row, event: str) -> None:
        self._change(
            row.at,
            event,
            status="tombstoned",
            tombstoned_at=self.now,
            conflict_with=frozenset(),
            duplicate_of=None,
        )

    def _retire(self, gone: Sequence[Row], by: Address, before: dict[Address, Row]) -> None:
        """Another row takes their place; what depended on them follows (R-24)."""
        for row in gone:
            self._change(
                row.at,
                "superseded",
                status="superseded",
                superseded_by=by,
                invalid_at=self.now,
                conflict_with=frozenset(),
                duplicate_of=None,
            )
        for row in gone:
            self._moved_on(row, before)


def _same_key(a: Row, b: Row) -> bool:
    return a.at.memory_key == b.at.memory_key


def _kind(claim: Row, row: Row, *, dedups: bool) -> str:
    """What two claims are to each other; none vanishes with a row that ends sooner."""
    kind = str(relation(claim.saying, row.saying, same_key=_same_key(claim, row)))
    answers = kind in ("canonical", "same")
    if answers and (claim.outlasts(row) or not dedups):
        return "apart"
    if kind == "conflict" and (row.at, row.saying.name) in claim.allowed_with:
        return "compatible"
    return kind


def _gathered(claim: Row, row: Row) -> bool:
    """Close by vector, or found by its words or its key."""
    near = claim.saying.topic == row.saying.topic
    near = near and cosine(claim.saying, row.saying) >= FLOOR
    return near or claim.saying.form == row.saying.form or _same_key(claim, row)
