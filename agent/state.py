"""What a round's thread remembers: plain JSON and messages; rows by id, arrays never."""

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages

from agent.stages import Stage


class State(TypedDict):
    """State of one round."""

    messages: Annotated[list[AnyMessage], add_messages]
    stage: Stage
    legal: list[str]
    """Tools that may be called now."""
    faults: int
    """Wrong calls in a row at this stage."""
    call: dict[str, Any]
    """The call that the guard let through: id, name, arguments."""
    approval: str
    """Ledger id of this round's approval, once it is filed."""
    rows: list[str]
    """Ledger ids of what this round did."""
    status: str
    """'running', 'done', 'repaired', 'rejected' or 'gate'."""
    why: str
    """Why it ended so."""
