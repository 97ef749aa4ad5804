"""Every tool by name, in the order in which a round calls them."""

from collections.abc import Mapping

from tools.approve import request_approval
from tools.arguments import DecisionArguments
from tools.audit import audit
from tools.diagnose import diagnose
from tools.evaluate import evaluate
from tools.outcome import report
from tools.pilot import pilot
from tools.plan import plan
from tools.randomize import randomize
from tools.repair import finish, repair, why_no_repair
from tools.tool import Tool
from tools.train import train


def all_tools() -> Mapping[str, Tool]:
    """Every tool, in the order in which a round calls them."""
    tools = (
        Tool("plan", plan),
        Tool("randomize", randomize),
        Tool("train", train, costs=True),
        Tool("evaluate", evaluate, costs=True),
        Tool("request_approval", request_approval),
        Tool("pilot", pilot, costs=True),
        Tool("audit", audit, costs=True),
        Tool("diagnose", diagnose, costs=True),
        Tool("repair", repair, DecisionArguments, refused=why_no_repair),
        Tool("finish", finish, DecisionArguments),
        Tool("report", report),
    )
    return {tool.name: tool for tool in tools}
