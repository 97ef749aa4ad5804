"""Who approves a pilot: the flag for a twin, the person at the terminal, or somebody later."""

import getpass
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager

from agent.cli.display import Display
from store import approvals
from store.approvals import Approval
from store.records import Plan
from tools.context import Context
from tools.rig import describe_rig
from tools.rows import entry
from tools.stop import Cancelled, WaitingForPerson

FLAG = "flag --approve twin"


class Consent:
    """Brings a pending approval to a decision.

    Args:
        display: bars that make way for a question.
        may_ask: whether a person is at the terminal.
    """

    def __init__(self, display: Display, *, may_ask: bool) -> None:
        self.display = display
        self.may_ask = may_ask

    def __call__(self, context: Context, approval: Approval) -> None:
        """Decide, or raise WaitingForPerson."""
        if context.options.approve == "twin":
            plan = entry(context, "plan", Plan)[1]
            rig = describe_rig(context.options, plan)
            # what a driver says of itself is not enough: only the shipped twin is known to move nothing
            if plan.driver == "twin" and rig.kind == "twin":
                approvals.decide(context.ledger, approval.id, True, FLAG)
                self.display.line(f"{approval.id}: approved by {FLAG} ({rig.name}, rig {rig.rig}, a twin)")
                return
            self.display.line(
                f"--approve twin covers the shipped twin alone, not driver '{plan.driver}' ({rig.name}, {rig.kind})"
            )
        if not self.may_ask:
            raise WaitingForPerson(f"{approval.id} waits for a person: {approval.request.text}", approval.id)
        self._ask(context, approval)

    def _ask(self, context: Context, approval: Approval) -> None:
        person = getpass.getuser()
        self.display.pause()
        try:
            with _interruptible():
                self.display.line(f"{approval.id}: {approval.request.text}")
                sys.stderr.write(f"{person}, allow it? [yes / no / later] ")
                sys.stderr.flush()
                answer = sys.stdin.readline().strip().lower()
        except KeyboardInterrupt:
            raise Cancelled("stopped while asking") from None
        finally:
            self.display.go_on()
        if answer in ("yes", "y"):
            approvals.decide(context.ledger, approval.id, True, person)
        elif answer in ("no", "n"):
            approvals.decide(context.ledger, approval.id, False, person, "said no at the terminal")
        else:
            raise WaitingForPerson(f"{approval.id} waits for a person: {approval.request.text}", approval.id)


@contextmanager
def _interruptible() -> Generator[None]:
    """Let Ctrl-C end a question, which the run's own handler would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
