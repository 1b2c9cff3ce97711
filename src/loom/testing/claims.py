"""Writing a claim in the oracle's world: the key's row, one beside it, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import define

from loom.errors import Blacklisted, InvalidRequest
from loom.model.identity import Address
from loom.testing.answers import Wrote
from loom.testing.customs import Custom
from loom.testing.guarding import Guarding, Writing
from loom.testing.rows import No, Row, Verdict

__all__ = ["Claims"]

#: Operations whose facts from before the key's belief go into its history (R-44).
_BACKFILLS = ("set", "bulk", "accept")


@define
class Claims(Guarding):
    """Verdicts on what is written, and their effects."""

    def _write(self, one: Writing, *, hides: bool = False) -> Wrote:
        """Judge a claim and write it; `hides`: the caller did not say the value."""
        head = self.rows.get(one.at)
        live = head if head is not None and head.current(self.now) else None
        custom = self._custom(one.said.get("tags", live.tags if live else ()))
        one = attrs.evolve(one, said=self._kept_for(one.said, live, custom))
        if one.said.get("valid_at") is not None:
            one = attrs.evolve(one, said=self._as_secret(one, "superseded"))
        elders = self._elders(one.at) if custom.newest_wins else []
        if one.buried is not None:
            elders = [row for row in elders if row.at != one.buried.at]
        self._guard(one, head, live, elders)
        claim = self._claim(one, head, live)
        before = dict(self.rows)
        if live is not None and not custom.appends and _restates(claim, live):
            row = self._restate(one, live, elders, before)
            return self._wrote(row, Verdict(name="restated"), hides=hides)
        under = _newest([*([live] if live else ()), *elders])
        if custom.newest_wins and _is_older(one, under):
            assert under is not None
            row, verdict = self._file(one, live, under)
            return self._wrote(row, verdict, hides=hides)
        twin = None
        if one.op == "bulk" and live is None and custom.dedups and not custom.appends:
            twin = self._twin(claim, one.run)
        verdict = twin or self._weighed(one, claim, custom, live, elders)
        if verdict.name == "merge":
            row = self._merge(one, verdict, elders, before)
        else:
            row = self._insert(one, claim, verdict, elders, before)
        return self._wrote(row, verdict, hides=hides)

    def _weighed(
        self, one: Writing, claim: Row, custom: Custom, live: Row | None, elders: list[Row]
    ) -> Verdict:
        # The losing side of a conflict goes, so it is compared with nothing.
        aside = None if one.buried is None else self.rows.pop(one.buried.at)
        try:
            return self._weigh(
                claim,
                custom,
                pins=one.pins,
                lives=live is not None,
                elders=elders,
                run=one.run,
            )
        except No as no:
            raise No(no.code, one.at) from None
        finally:
            if aside is not None:
                self.rows[aside.at] = aside

    def _claim(self, one: Writing, head: Row | None, live: Row | None) -> Row:
        """The row as it would be: a revision, a first version, or a fresh start.

        A row that is out of use or past its end starts afresh (R-20, R-41); a proposal
        for a key that never had a row becomes that row.
        """
        said = dict(one.said)
        if live is not None:
            if "sensitivity" not in said and not live.sensitivity_stated:
                said["sensitivity"] = ""
            return attrs.evolve(
                live,
                saying=one.saying,
                count=1,
                allowed_with=frozenset(),
                run_id=one.run or live.run_id,
                event="revised" if one.taken is None else "accepted",
                version=self.stamp,
                parent=live.version,
                **said,
            )
        begins = head or one.taken
        return Row(
            at=one.at,
            born=len(self.rows) if begins is None else begins.born,
            saying=one.saying,
            run_id=one.run,
            version=self.stamp,
            parent=0 if begins is None else begins.version,
            event="accepted"
            if one.taken
            else "renewed"
            if head is not None and head.live
            else "created",
            created_at=self.now if begins is None else begins.created_at,
            **said,
        )

    # ------------------------------------------------------------------- effects

    def _restate(
        self, one: Writing, live: Row, elders: list[Row], before: dict[Address, Row]
    ) -> Row:
        self._change(live.at, "restated", count=live.count + 1, **one.said)
        self._take_places(one, live.at, elders, before)
        self._end_moved(live, before)
        return self.rows[live.at]

    def _merge(
        self, one: Writing, verdict: Verdict, elders: list[Row], before: dict[Address, Row]
    ) -> Row:
        """Another row holds the claim: it keeps the write's pin, unless locked (R-42)."""
        assert verdict.of is not None
        row = verdict.of
        pinned = row.pinned or (one.pins and not row.locked(self.now))
        self._change(row.at, "reinforced", count=row.count + 1, pinned=pinned)
        others = [elder for elder in elders if elder.at != row.at]
        self._take_places(one, row.at, others, before)
        return self.rows[row.at]

    def _insert(
        self,
        one: Writing,
        claim: Row,
        verdict: Verdict,
        elders: list[Row],
        before: dict[Address, Row],
    ) -> Row:
        head = self.rows.get(claim.at)
        self.rows[claim.at] = claim
        if one.taken is not None and one.taken.born == claim.born:
            del self.rows[one.taken.at]  # it is that row now
        self._stand(claim.at, claim.event, attrs.evolve(verdict, against=()))
        self._take_places(one, claim.at, [*elders, *verdict.retired], before)
        self._link(claim.at, (row.at for row in verdict.against))
        if head is not None and head.live:
            self._moved_on(head, before)
        return self.rows[claim.at]

    def _take_places(
        self, one: Writing, by: Address, gone: list[Row], before: dict[Address, Row]
    ) -> None:
        """Rows that go because of the write, and the proposal that it takes."""
        self._retire(gone, by, before)
        if one.buried is not None:
            self._bury(one.buried, "resolved")
            self._moved_on(one.buried, before)
        if one.taken is not None and one.taken.at in self.rows:
            self._superseded_taken(one.taken, self.rows[by])

    def _superseded_taken(self, taken: Row, by: Row) -> Row:
        """The proposal that was taken; it is as secret as what took its place (R-46)."""
        return self._change(
            taken.at,
            "accepted",
            status="superseded",
            superseded_by=by.at,
            invalid_at=self.now,
            **({"sensitivity": "high"} if by.secret else {}),
        )

    def _file(self, one: Writing, live: Row | None, under: Row) -> tuple[Row, Verdict]:
        """A fact from before what the key holds goes into its history (R-44)."""
        own = [
            row
            for row in self._saying_so(one, "superseded")
            if row.valid_at == one.said["valid_at"]
        ]
        if own:
            row = self._again(own, one.said)
            if one.taken is not None:
                self._superseded_taken(one.taken, row)
            return row, Verdict(name="merge", of=row)
        if one.taken is not None:
            return self._superseded_taken(one.taken, under), Verdict(name="clear")
        said = {
            "memory_type": live.memory_type if live else "semantic",
            **(_stated_level(live) if live else {}),
            **one.said,
            "pinned": False,
        }
        row = self._beside(one, said, "filed")
        row = self._change(
            row.at,
            "filed",
            status="superseded",
            superseded_by=under.at,
            invalid_at=self.now,
        )
        return row, Verdict(name="clear")

    def _beside(self, one: Writing, said: Mapping[str, Any], event: str) -> Row:
        """A row of its own beside the key's (R-23)."""
        born = len(self.rows)
        row = Row(
            at=attrs.evolve(one.at, beside=f"#{born}"),
            born=born,
            saying=one.saying,
            run_id=one.run,
            version=self.stamp,
            event=event,
            created_at=self.now,
            **said,
        )
        self.rows[row.at] = row
        return row

    def _saying_so(self, one: Writing, status: str) -> list[Row]:
        """Rows beside the key's own, by the same writer, that say exactly this."""
        return [
            row
            for row in self.rows.values()
            if row.at.own == one.at
            and row.at.beside
            and row.status == status
            and row.saying == one.saying
        ]

    def _as_secret(self, one: Writing, status: str) -> dict[str, Any]:
        """What was said, as secret as what says so already, unless a level was stated."""
        secret = any(row.secret for row in self._saying_so(one, status))
        if not secret or "sensitivity" in one.said:
            return dict(one.said)
        return {**one.said, "sensitivity": "high", "sensitivity_stated": True}

    def _again(self, known: list[Row], said: Mapping[str, Any]) -> Row:
        """The newest is counted, not doubled, and as secret as what is said now (R-46)."""
        row = max(known, key=lambda r: (r.version, -r.born))
        fields = {"count": row.count + 1}
        if said.get("sensitivity") == "high":
            fields |= {n: said[n] for n in ("sensitivity", "sensitivity_stated")}
        return self._change(row.at, "reinforced", **fields)

    # ------------------------------------------------------------------ on trial

    def _propose(self, one: Writing) -> Wrote:
        """Stored beside the key's row and judged for advice; nothing that stands is changed.

        Of guards only the blacklist objects (R-23). It keeps nothing of the key's row but
        its secrecy.
        """
        head = self.rows.get(one.at)
        live = head if head is not None and head.current(self.now) else None
        said = dict(one.said)
        if live is not None and live.secret:
            said = {**_stated_level(live), **said}
        said = self._as_secret(attrs.evolve(one, said=said), "proposed")
        custom = self._custom(said.get("tags", live.tags if live else ()))
        said = self._kept_for(said, None, custom)
        if self._banned(one.saying, said.get("tags", ())):
            raise No(Blacklisted.code, one.at)
        trial = self._beside(one, said, "proposed")
        del self.rows[trial.at]
        if live is not None and not custom.appends and _restates(trial, live):
            # The key says so already: there is nothing to try, and nothing is written.
            return self._answer(live, Verdict(name="restated"), noop=True)
        if custom.newest_wins:
            custom = attrs.evolve(custom, policy="auto_reinforce")
        verdict = self._weigh(trial, custom, pins=True, lives=live is not None, run=one.run)
        pending = [r for r in self._saying_so(one, "proposed") if not trial.outlasts(r)]
        if pending:
            row = self._again(pending, said)
            return self._wrote(row, Verdict(name="merge"), noop=True)
        self.rows[trial.at] = trial
        row = self._change(trial.at, "proposed", status="proposed")
        return self._wrote(row, verdict, noop=False)

    # ------------------------------------------------------------------- answers

    def _wrote(
        self, row: Row, verdict: Verdict, *, noop: bool | None = None, hides: bool = False
    ) -> Wrote:
        """The answer, and the audit entry of the write."""
        if (
            row.valid_at is not None
            and row.valid_to is not None
            and row.valid_to < row.valid_at
        ):
            raise No(InvalidRequest.code)
        self._note("", row.at, row, verdict=verdict.name)
        return self._answer(row, verdict, noop=noop, hides=hides)

    def _answer(
        self, row: Row, verdict: Verdict, *, noop: bool | None = None, hides: bool = False
    ) -> Wrote:
        merged = verdict.name == "merge" and noop is None
        return Wrote(
            at=row.at,
            saying="" if hides and row.secret else row.saying.name,
            version=row.version,
            verdict=verdict.name,
            status=row.status,
            pinned=row.pinned,
            duplicate_of=row.duplicate_of,
            superseded_by=row.superseded_by,
            merged_into_key=row.at.memory_key if merged else "",
            noop=merged if noop is None else noop,
            count=row.count,
            peers=frozenset((r.at, kind) for r, kind in verdict.peers),
        )


def _restates(claim: Row, live: Row) -> bool:
    """The live row says exactly this, and is kept and compared where the claim would be."""
    same = claim.saying == live.saying and claim.memory_type == live.memory_type
    return same and claim.searchable == live.searchable


def _stated_level(row: Row) -> dict[str, Any]:
    if not row.sensitivity_stated:
        return {}
    return {"sensitivity": row.sensitivity, "sensitivity_stated": True}


def _newest(rows: list[Row]) -> Row | None:
    return max(rows, key=lambda r: (r.world_date, r.version), default=None)


def _is_older(one: Writing, under: Row | None) -> bool:
    """Stated to have been true before what the key holds."""
    stated = one.said.get("valid_at")
    if one.op not in _BACKFILLS or under is None or stated is None:
        return False
    return bool(stated < under.world_date)
