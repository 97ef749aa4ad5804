"""A real chat model class against a tiny server that speaks OpenAI's chat format."""

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from quick_tools import Stage, options

from agent.builtin.planner import BuiltinPlanner
from agent.loop import run_rounds
from agent.models import check_planner, planner
from store.errors import UserError


class Server(ThreadingHTTPServer):
    """Answers every request with a call of the one tool it is offered first."""

    seen: list[dict[str, Any]]
    fail: bool = False


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append({"path": self.path, **body})
        names = [tool["name"] if "name" in tool else tool["function"]["name"] for tool in body["tools"]]
        name, id = "no_such_tool" if server.fail else names[0], f"call_{len(server.seen)}"
        answer = anthropic(body, id, name) if self.path == "/v1/messages" else openai(body, id, name)
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        return None


def openai(body: dict[str, Any], id: str, name: str) -> dict[str, Any]:
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }  # fmt: skip


def anthropic(body: dict[str, Any], id: str, name: str) -> dict[str, Any]:
    return {
        "id": "1", "type": "message", "role": "assistant", "model": body["model"], "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}],
        "usage": {"input_tokens": 11, "output_tokens": 3},
    }  # fmt: skip


@pytest.fixture
def server() -> Generator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.seen = []
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def environment(server: Server) -> dict[str, str]:
    return {"REGRASP_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1"}


def test_a_chat_model_drives_a_run(tmp_path: Path, server: Server) -> None:
    stage = Stage(tmp_path, planner("openai:local-model", environment(server)), given=options(rounds=0))
    run_rounds(stage.loop, stage.context)
    assert stage.kinds()[-1] == "outcome"
    calls = stage.ledger.rows(stage.run_id, "llm_call")
    assert len(calls) == len(server.seen) == 10
    assert all(row.meta["input_tokens"] == 11 and row.meta["output_tokens"] == 3 for row in calls)
    assert not any("answered_by" in row.body for row in calls)
    first, last = server.seen[0], server.seen[-1]
    assert first["path"] == "/v1/chat/completions" and first["model"] == "local-model"
    assert [tool["function"]["name"] for tool in first["tools"]] == ["plan"], "only what is legal is shown"
    assert last["messages"][0]["role"] == "system"
    assert [m["role"] for m in last["messages"][1:4]] == ["user", "assistant", "tool"]


def test_anthropics_format_works_as_well(tmp_path: Path, server: Server) -> None:
    base = {"REGRASP_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}"}
    stage = Stage(tmp_path, planner("anthropic:local-model", base), given=options(rounds=0))
    run_rounds(stage.loop, stage.context)
    assert stage.kinds()[-1] == "outcome"
    assert {request["path"] for request in server.seen} == {"/v1/messages"}
    assert not any("answered_by" in row.body for row in stage.ledger.rows(stage.run_id, "llm_call"))


def test_wrong_calls_over_the_wire_end_in_a_finished_run(tmp_path: Path, server: Server) -> None:
    server.fail = True
    stage = Stage(tmp_path, planner("openai:local-model", environment(server)), given=options(rounds=0))
    run_rounds(stage.loop, stage.context)
    assert stage.kinds()[-1] == "outcome"
    assert sum("answered_by" in row.body for row in stage.ledger.rows(stage.run_id, "llm_call")) == 10


def test_planner_names() -> None:
    assert isinstance(planner("builtin"), BuiltinPlanner)
    assert check_planner("openai:gpt-4.1", {"OPENAI_API_KEY": "k"}).model == "gpt-4.1"
    assert check_planner("openai:llama3.2:3b", {"REGRASP_BASE_URL": "http://x"}).model == "llama3.2:3b"
    for wrong in ("", "gpt", "openai:", "nobody:m"):
        with pytest.raises(UserError):
            check_planner(wrong, {})
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        check_planner("openai:gpt-4.1", {})
