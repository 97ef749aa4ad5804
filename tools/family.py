"""The family that a round trains on: the plan's, changed by every repair registered since."""

from sim.diagnose.repair import apply_repair
from store.records import Family, Plan, Repair
from tools.context import Context
from tools.rows import entries, entry


def family_of(context: Context, round: int) -> Family:
    """The family of a round, rebuilt from the plan row and the repair rows; each repair anchors its range."""
    family = entry(context, "plan", Plan)[1].family
    for row, repair in entries(context, "repair", Repair):
        if repair.round <= round:
            family = apply_repair(family, repair, row.id)
    return family
