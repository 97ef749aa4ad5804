"""The planner. LangGraph reads this switch when it is imported: checkpoints hold plain JSON and messages only."""

import os

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
