"""Approvals: single-use, expiring, bound to what they were given for; every change is one compare-and-set."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import duckdb

from store import chain
from store.errors import ApprovalError, NotFoundError
from store.records.approval import ApprovalRequest, ApprovalStatus
from store.records.event import ApprovalChange

if TYPE_CHECKING:
    from store.ledger import Ledger

_BOUND = ("plan_hash", "policy", "driver", "envelope_hash", "rollouts")


@dataclass(frozen=True)
class Approval:
    """What an approval is now; `created` is unix seconds, `done` the rollouts done once it is used."""

    id: str
    run_id: str
    key: str
    status: ApprovalStatus
    request: ApprovalRequest
    created: float
    person: str = ""
    why: str = ""
    claimant: str = ""
    done: int | None = None

    @property
    def expires(self) -> float:
        """Unix seconds at which it stops being usable."""
        return self.created + 60 * self.request.expires_minutes

    def as_dict(self) -> dict[str, Any]:
        """The approval as JSON values."""
        return asdict(self) | {"request": self.request.model_dump(mode="json"), "expires": self.expires}


def file(ledger: Ledger, run_id: str, request: ApprovalRequest, key: str, now: float | None = None) -> Approval:
    """Ask for a person's leave; the same key asks once."""
    with ledger.transaction() as con:
        known = chain.select(con, "key = ?", [key])
        if known:
            return _load(con, known[0].id)
        created = time.time() if now is None else now
        row = chain.insert(
            con, "approval", request.model_dump(mode="json"), run_id=run_id, key=key, meta={"at": created}
        )
        values = list(_columns(filed(row)).values())
        con.execute(f"INSERT INTO approval VALUES ({', '.join('?' for _ in values)})", values)
        return filed(row)


def pending(ledger: Ledger, now: float | None = None) -> list[Approval]:
    """Approvals that wait for a person and have not expired, oldest first."""
    moment = time.time() if now is None else now
    with ledger.reading() as con:
        return [a for a in load_all(con) if a.status == "pending" and a.expires > moment]


def get(ledger: Ledger, id: str) -> Approval:
    """One approval.

    Raises:
        NotFoundError: listing those that exist.
    """
    with ledger.reading() as con:
        return _load(con, id)


def decide(ledger: Ledger, id: str, approve: bool, person: str, why: str = "", now: float | None = None) -> Approval:
    """A named person's yes or no to a pending approval; the same answer twice is one answer.

    Raises:
        ApprovalError: nobody named, expired, or already decided otherwise.
    """
    if not person.strip():
        raise ApprovalError("an approval names the person who decides", id)
    wanted: ApprovalStatus = "approved" if approve else "rejected"
    moment = time.time() if now is None else now
    with ledger.transaction() as con:
        approval = _load(con, id)
        if approval.status == wanted:
            return approval
        if approval.status == "pending" and approval.expires > moment:
            return _change(con, approval, wanted, at=moment, person=person.strip(), why=why)
        refusal = _lapse(con, approval, moment) or _state(approval)
    raise ApprovalError(refusal, id, hint="`regrasp approvals` lists those that wait")


def claim(
    ledger: Ledger,
    id: str,
    claimant: str,
    *,
    plan_hash: str,
    policy: str,
    driver: str,
    envelope_hash: str,
    rollouts: int,
    now: float | None = None,
) -> Approval:
    """Take an approval for one pilot; the same claimant may take it again after a crash.

    Raises:
        ApprovalError: not approved, claimed by another, used, expired; or anything differs from what was
            approved, which voids it for good.
    """
    offered = {
        "plan_hash": plan_hash,
        "policy": policy,
        "driver": driver,
        "envelope_hash": envelope_hash,
        "rollouts": rollouts,
    }
    moment = time.time() if now is None else now
    with ledger.transaction() as con:
        approval = _load(con, id)
        mine = approval.status == "claimed" and approval.claimant == claimant
        refusal = _lapse(con, approval, moment)
        if refusal is None and not mine and approval.status != "approved":
            refusal = _state(approval)
        if refusal is None:
            wrong = [name for name in _BOUND if getattr(approval.request, name) != offered[name]]
            if not wrong:
                return approval if mine else _change(con, approval, "claimed", at=moment, claimant=claimant)
            refusal = "void: " + "; ".join(
                f"{name} is {offered[name]}, approved was {getattr(approval.request, name)}" for name in wrong
            )
            _change(con, approval, "expired", reason=refusal, at=moment)
    raise ApprovalError(refusal, id, hint="ask for a new approval")


def use(ledger: Ledger, id: str, done: int, now: float | None = None) -> Approval:
    """Close a claimed approval with the number of rollouts done under it; saying it twice is saying it once.

    Raises:
        ApprovalError: when it was not claimed, or was closed with another number.
    """
    moment = time.time() if now is None else now
    with ledger.transaction() as con:
        approval = _load(con, id)
        if approval.status == "claimed":
            return _change(con, approval, "used", done=done, at=moment)
    if approval.status == "used" and approval.done == done:
        return approval
    raise ApprovalError(_state(approval), id)


def filed(row: chain.Row) -> Approval:
    """The pending approval that a filing row of the chain starts."""
    request = ApprovalRequest.model_validate(row.body)
    return Approval(row.id, row.run_id, row.key or "", "pending", request, float(row.meta["at"]))


def changed(approval: Approval, row: chain.Row) -> Approval:
    """The approval after one change row of the chain."""
    change = ApprovalChange.model_validate(row.body)
    return replace(
        approval,
        status=change.status,
        person=row.meta.get("person", approval.person),
        why=change.reason or row.meta.get("why", approval.why),
        claimant=row.meta.get("claimant", approval.claimant),
        done=change.done,
    )


def load_all(con: duckdb.DuckDBPyConnection) -> list[Approval]:
    """Every approval as table `approval` has it, oldest first."""
    cursor = con.execute("SELECT * FROM approval ORDER BY created, id")
    names = [str(d[0]) for d in cursor.description or ()]
    return [_from_columns(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]


def first_broken_approval(con: duckdb.DuckDBPyConnection) -> tuple[str, str] | None:
    """Id and fault of the first approval that its history in the chain does not give, or None."""
    expected: dict[str, Approval] = {}
    for row in chain.select(con, "kind = 'approval'"):
        id = row.body.get("approval")
        expected[id or row.id] = filed(row) if id is None else changed(expected[id], row)
    stored = {a.id: a for a in load_all(con)}
    for id in sorted(expected.keys() | stored.keys()):
        if id not in stored:
            return id, "it is missing from table approval"
        if stored[id] != expected.get(id):
            return id, "table approval differs from its history in the chain"
    return None


def _change(
    con: duckdb.DuckDBPyConnection,
    approval: Approval,
    status: ApprovalStatus,
    *,
    reason: str = "",
    done: int | None = None,
    **meta: object,
) -> Approval:
    """Compare-and-set the status and append the change, in the caller's transaction."""
    change = ApprovalChange(approval=approval.id, status=status, reason=reason, done=done)
    row = chain.insert(
        con,
        "approval",
        change.model_dump(mode="json"),
        run_id=approval.run_id,
        key=f"{approval.key}:{status}",
        meta=meta,
        id=f"{approval.id}.{status}",
    )
    after = changed(approval, row)
    won = con.execute(
        "UPDATE approval SET status = ?, person = ?, why = ?, claimant = ?, done = ?"
        " WHERE id = ? AND status = ? RETURNING id",
        [after.status, after.person, after.why, after.claimant, after.done, approval.id, approval.status],
    ).fetchall()
    if len(won) != 1:
        raise ApprovalError(f"it is no longer {approval.status}", approval.id)
    return after


def _lapse(con: duckdb.DuckDBPyConnection, approval: Approval, moment: float) -> str | None:
    """Mark an open approval whose time is over as expired; what to tell the asker, or None."""
    if approval.status not in ("pending", "approved") or approval.expires > moment:
        return None
    _change(con, approval, "expired", reason="its time was over", at=moment)
    return f"it expired {approval.request.expires_minutes:g} min after it was asked for"


def _state(approval: Approval) -> str:
    if approval.status == "pending":
        return "nobody has decided it yet"
    if approval.status == "claimed":
        return f"it is claimed by {approval.claimant}"
    if approval.status == "used":
        return f"it was used for {approval.done} rollouts, and an approval is good for one use"
    by = f" by {approval.person}" if approval.person and approval.status != "expired" else ""
    why = f" ({approval.why})" if approval.why else ""
    return f"it is {approval.status}{by}{why}"


def _load(con: duckdb.DuckDBPyConnection, id: str) -> Approval:
    known = load_all(con)
    for approval in known:
        if approval.id == id:
            return approval
    raise NotFoundError(f"there is no approval {id!r}", where="ID", valid=[a.id for a in known] or "none yet")


def _columns(approval: Approval) -> dict[str, object]:
    request = approval.request.model_dump()
    return {
        "id": approval.id,
        "run_id": approval.run_id,
        "key": approval.key,
        "status": approval.status,
        **{name: request[name] for name in ("round", *_BOUND, "text", "expires_minutes")},
        "created": approval.created,
        "person": approval.person,
        "why": approval.why,
        "claimant": approval.claimant,
        "done": approval.done,
    }


def _from_columns(found: dict[str, Any]) -> Approval:
    request = ApprovalRequest.model_validate({name: found[name] for name in ApprovalRequest.model_fields})
    rest = {name: found[name] for name in ("status", "created", "person", "why", "claimant", "done")}
    return Approval(found["id"], found["run_id"], found["key"], request=request, **rest)
