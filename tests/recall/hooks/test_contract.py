"""Each client's own words for the same call and the same reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.hooks.contract import Client, Event, Reply, call, client_of, document

DENIED = Reply(deny="HEAD moved")
ASKED = Reply(ask="write it down")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
)


@pytest.mark.parametrize("client", [Client.CLAUDE_CODE, Client.CODEX, Client.GEMINI])
def test_context_goes_where_every_client_looks_for_it(client: Client) -> None:
    said = document(Reply(context="where we stand"), Event.SESSION_START, client)
    assert said == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "where we stand"}
    }


@pytest.mark.parametrize("client", [Client.CLAUDE_CODE, Client.CODEX])
def test_claude_code_and_codex_deny_a_tool_by_a_permission(client: Client) -> None:
    assert document(DENIED, Event.PRE_TOOL, client) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "HEAD moved",
        }
    }


def test_gemini_denies_by_a_decision() -> None:
    assert document(DENIED, Event.PRE_TOOL, Client.GEMINI) == {"decision": "deny", "reason": "HEAD moved"}


def test_an_agent_is_asked_to_go_on_by_a_decision() -> None:
    assert document(ASKED, Event.STOP, Client.CLAUDE_CODE)["decision"] == "block"
    assert document(ASKED, Event.STOP, Client.GEMINI)["decision"] == "deny"


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize("client", list(Client))
def test_nothing_to_say_is_an_empty_object(event: Event, client: Client) -> None:
    assert document(Reply(), event, client) == {}


def test_control_and_half_characters_reach_no_model() -> None:
    said = document(Reply(context="a\x1b[2Jb\ud800c\nd"), Event.PROMPT, Client.CODEX)
    context = said["hookSpecificOutput"]["additionalContext"]
    assert "\x1b" not in context
    assert context.encode("utf-8")
    assert context.endswith("\nd")


@pytest.mark.parametrize(
    ("payload", "env", "client"),
    [
        ({"hook_event_name": "BeforeTool"}, {}, Client.GEMINI),
        ({"hook_event_name": "SessionStart"}, {"GEMINI_SESSION_ID": "1"}, Client.GEMINI),
        ({"hook_event_name": "SessionStart"}, {}, Client.CLAUDE_CODE),
        ({}, {}, Client.CLAUDE_CODE),
    ],
)
def test_a_client_is_told_by_what_it_says(
    payload: dict[str, Any], env: dict[str, str], client: Client
) -> None:
    assert client_of(payload, env) is client


def test_a_command_of_codex_is_a_program_and_its_arguments() -> None:
    told = call({"tool_name": "shell", "tool_input": {"command": ["recall", "bootstrap"]}})
    assert (told.tool, told.command) == ("shell", "recall bootstrap")


@given(
    st.dictionaries(
        st.sampled_from(["session_id", "cwd", "source", "prompt", "tool_name", "tool_input"]), JSON
    )
)
def test_whatever_a_client_sends_becomes_a_call_of_texts(payload: dict[str, Any]) -> None:
    told = call(payload)
    assert all(isinstance(part, str | bool) for part in told)
    assert json.dumps(
        document(Reply(context=told.prompt, deny=told.tool), Event.PROMPT, client_of(payload, {}))
    )
