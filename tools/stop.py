"""Reasons for a run to stop where it stands; its checkpoint stays, so it can be resumed."""


class Stop(Exception):
    """A run stops here on purpose.

    Args:
        why: one sentence for the person.
    """

    status = "stopped"
    exit_code = 130

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Cancelled(Stop):
    """Ctrl-C, SIGTERM or `regrasp stop`."""


class WaitingForPerson(Stop):
    """A pilot waits for a person's approval."""

    status = "waiting"
    exit_code = 3

    def __init__(self, why: str, approval: str) -> None:
        self.approval = approval
        super().__init__(why)


class BudgetReached(Stop):
    """Minutes, rollouts or simulated steps are spent."""

    status = "budget"
    exit_code = 4
