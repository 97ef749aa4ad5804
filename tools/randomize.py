"""Register the family that a round trains on."""

from store.hashing import effect_key
from store.ledger import Row
from store.records import Plan
from tools.arguments import NoArguments
from tools.context import Context
from tools.family import family_of
from tools.notes import note
from tools.rows import entry
from tools.summary import range_words


def randomize(context: Context, arguments: NoArguments) -> Row:
    """Register this round's family: the plan's in round 0, with every registered repair applied later."""
    plan_row, _ = entry(context, "plan", Plan)
    family = family_of(context, context.round)
    key = effect_key("randomize", {"round": context.round, "family": family.content_hash}, [plan_row.id])
    text = "Trains on " + ("; ".join(range_words(r) for r in family.ranges) or "nominal values") + "."
    return note(context, "family", text, family.model_dump(mode="json"), key=key)
