"""Conversations of ShareGPT and of OpenAI's form, turned into messages with roles system, user, assistant, tool."""

from __future__ import annotations

import json
from typing import Any

from .example import Invalid, Message, checked_text, optional_text, shown

_SHAREGPT_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "system": "system",
    "function_call": "function_call",
    "observation": "tool",
    "tool": "tool",
}
_OPENAI_ROLES = {"system", "developer", "user", "assistant", "tool", "human", "gpt"}


def sharegpt_turns(record: dict[str, Any]) -> list[Message]:
    """`conversations` as messages, system first where there is one; user and assistant must take turns. Marked by weight."""
    turns = record.get("conversations")
    if not isinstance(turns, list) or not turns:
        raise Invalid("missing_field", "conversations must be an array of turns")
    messages = with_system(record, [_sharegpt_turn(turn, position) for position, turn in enumerate(turns, 1)])
    _check_turns(messages)
    return messages


def with_system(record: dict[str, Any], messages: list[Message]) -> list[Message]:
    """The messages after that of the field system, which may repeat a first message from system but not differ from it."""
    system = optional_text(record, "system")
    if not system:
        return messages
    if messages[0]["role"] != "system":
        return [{"role": "system", "content": system}, *messages]
    if messages[0]["content"] != system:
        raise Invalid("two_systems", "there is a field system and a first message from system that says something else")
    return messages


def without_weights(messages: list[Message]) -> tuple[list[Message], frozenset[int]]:
    """The messages as templates take them, and the positions of the answers of weight 0."""
    unlearned = frozenset(position for position, message in enumerate(messages) if "weight" in message)
    return [{name: value for name, value in one.items() if name != "weight"} for one in messages], unlearned


def _weighed(message: Message, given: dict[str, Any], name: str) -> Message:
    """An answer of weight 0 is marked with it; one of weight 1 is learned from as one without a weight is."""
    weight = given.get("weight")
    if weight is not None and weight not in (0, 1):
        raise Invalid("bad_weight", f"{name} has weight {shown(weight)}, which must be 0 or 1")
    return {**message, "weight": 0} if weight == 0 and message["role"] == "assistant" else message


def _sharegpt_turn(turn: Any, position: int) -> Message:
    name = f"turn {position}"
    if not isinstance(turn, dict) or "from" not in turn or "value" not in turn:
        raise Invalid("bad_turn", f"{name} must be an object with from and value")
    role = _SHAREGPT_ROLES.get(turn["from"]) if isinstance(turn["from"], str) else None
    if role is None:
        raise Invalid("unknown_role", f"{name} is from {turn['from']!r}")
    value = checked_text(turn["value"], name, may_be_blank=role in ("tool", "system"))
    message = _function_call(value, name) if role == "function_call" else {"role": role, "content": value}
    return _weighed(message, turn, name)


def _function_call(value: str, name: str) -> Message:
    try:
        calls = json.loads(value)
    except ValueError as error:
        raise Invalid("bad_function_call", f"{name} is a function_call that is not JSON: {error}") from None
    calls = calls if isinstance(calls, list) else [calls]
    if not calls or not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        raise Invalid("bad_function_call", f"{name} must be JSON with name and arguments")
    functions = [{"name": call["name"], "arguments": call.get("arguments", {})} for call in calls]
    tool_calls = [{"type": "function", "function": function} for function in functions]
    return {"role": "assistant", "content": "", "tool_calls": tool_calls}


def _check_turns(messages: list[Message]) -> None:
    talk = messages[1:] if messages[0]["role"] == "system" else messages
    for position, message in enumerate(talk):
        wanted = ("user", "tool") if position % 2 == 0 else ("assistant",)
        if message["role"] == "system":
            raise Invalid("system_in_the_middle", "a turn from system must be the first one")
        if message["role"] not in wanted:
            place = f"turn {position + 1} after the system's" if talk is not messages else f"turn {position + 1}"
            raise Invalid("wrong_order", f"{place} is from {message['role']}, where {' or '.join(wanted)} was to come")


def openai_messages(value: Any, name: str = "messages") -> list[Message]:
    """An array of {role, content}, marked by weight; of tool calls, their form and their order are checked too."""
    if not isinstance(value, list) or not value:
        raise Invalid("missing_field", f"{name} must be an array of messages")
    messages: list[Message] = []
    for position, one in enumerate(value, 1):
        message = _openai_message(one, f"{name}, message {position}")
        if message["role"] == "system" and position > 1:
            raise Invalid("system_in_the_middle", f"{name}, message {position}: system must be the first one")
        if message["role"] == "tool" and not _answers_a_call(messages):
            raise Invalid("tool_without_call", f"{name}, message {position}: tool follows no tool_calls")
        messages.append(message)
    return messages


def _openai_message(one: Any, name: str) -> Message:
    if not isinstance(one, dict) or not isinstance(one.get("role"), str):
        raise Invalid("bad_turn", f"{name} must be an object with role and content")
    role = one["role"]
    if role not in _OPENAI_ROLES:
        raise Invalid("unknown_role", f"{name} has role {role!r}")
    role = {"developer": "system", "human": "user", "gpt": "assistant"}.get(role, role)
    calls = one.get("tool_calls")
    content = one.get("content")
    if isinstance(content, list):
        raise Invalid("content_parts", f"{name} has a content of parts; only text is learned from")
    if content is None and not calls:
        raise Invalid("blank", f"{name} has neither content nor tool_calls")
    may_be_blank = bool(calls) or role in ("tool", "system")
    message: Message = {"role": role, "content": checked_text(content or "", name, may_be_blank=may_be_blank)}
    if calls:
        message["tool_calls"] = _tool_calls(calls, role, name)
    for extra in ("tool_call_id", "name"):
        if isinstance(one.get(extra), str):
            message[extra] = one[extra]
    return _weighed(message, one, name)


def _tool_calls(calls: Any, role: str, name: str) -> list[Any]:
    if role != "assistant":
        raise Invalid("bad_tool_calls", f"{name} has tool_calls and is not from the assistant")
    if not isinstance(calls, list) or not all(_is_call(call) for call in calls):
        raise Invalid("bad_tool_calls", f"{name}: tool_calls must be an array of {{function: {{name, arguments}}}}")
    return [_parsed_call(call, name) for call in calls]


def _is_call(call: Any) -> bool:
    return (
        isinstance(call, dict)
        and isinstance(call.get("function"), dict)
        and isinstance(call["function"].get("name"), str)
    )


def _parsed_call(call: dict[str, Any], name: str) -> dict[str, Any]:
    # OpenAI gives the arguments as JSON text; chat templates print them, and would print the text's quotes as well.
    arguments = call["function"].get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            raise Invalid("bad_tool_calls", f"{name}: the arguments of a tool call are not JSON") from None
    return {**call, "function": {**call["function"], "arguments": arguments}}


def _answers_a_call(before: list[Message]) -> bool:
    if not before:
        return False
    last = before[-1]
    return last["role"] == "tool" or (last["role"] == "assistant" and "tool_calls" in last)
