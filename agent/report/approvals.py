"""Who allowed what, and when: every change of an approval as one line of the page."""

from store.approvals import Approval, changed, filed
from store.ledger import Row
from tools.report import RunStory

WORDS = {
    "pending": "asked", "approved": "approved", "rejected": "rejected", "claimed": "taken by the pilot",
    "used": "used up", "expired": "void",
}  # fmt: skip


def approval_rows(story: RunStory) -> list[dict[str, str]]:
    """The history of every approval of a run, in order."""
    known: dict[str, Approval] = {}
    lines: list[dict[str, str]] = []
    for row in story.approvals:
        name = row.body.get("approval")
        approval = filed(row) if name is None else changed(known[name], row)
        known[approval.id] = approval
        lines.append({
            "id": approval.id, "status": WORDS[approval.status], "person": _person(approval, row),
            "when": f"{row.created:%Y-%m-%d %H:%M:%S} UTC", "text": _text(approval),
        })  # fmt: skip
    return lines


def _person(approval: Approval, row: Row) -> str:
    """The person of this change; a pilot that takes or uses an approval is no person."""
    return str(row.meta.get("person") or "\u2013") if approval.status in ("approved", "rejected") else "\u2013"


def _text(approval: Approval) -> str:
    request = approval.request
    if approval.status == "pending":
        return (
            f"{request.text} Round {request.round}, driver {request.driver}, at most {request.rollouts} rollouts, "
            f"policy {request.policy[:12]}, plan {request.plan_hash[:12]}, envelope {request.envelope_hash[:12]}; "
            f"lapses after {request.expires_minutes:g} min."
        )
    if approval.status == "used":
        return f"{approval.done} rollouts done under it."
    return approval.why
