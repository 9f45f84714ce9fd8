"""Commands of the agent, checked: one JSON object on one line each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_LINE_BYTES = 32 * 1024 * 1024
DTYPES = ("auto", "bf16", "fp16", "fp32")
QUANTISATIONS = ("none", "nf4", "int8")
ROLES = ("system", "user", "assistant", "tool")


class BadRequest(Exception):
    """A command that cannot be followed; `request_id` is that of the chat it belongs to, where it named one."""

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id


@dataclass(frozen=True)
class Load:
    model_path: str
    adapter_path: str | None = None
    dtype: str = "auto"
    quantisation: str = "none"
    context_length: int | None = None
    chat_template: str | None = None
    trust_remote_code: bool = False


@dataclass(frozen=True)
class Generation:
    """As Generation of run-spec.ts."""

    max_new_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    stop: list[str] = field(default_factory=list)
    seed: int | None = None


@dataclass(frozen=True)
class Chat:
    request_id: str
    messages: list[dict[str, str]]
    generation: Generation


@dataclass(frozen=True)
class Cancel:
    request_id: str


@dataclass(frozen=True)
class Ping:
    id: Any


@dataclass(frozen=True)
class Unload:
    pass


Command = Load | Chat | Cancel | Ping | Unload


def parse_command(line: bytes) -> Command:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"A command is not a line of JSON: {error}.") from None
    if not isinstance(given, dict):
        raise BadRequest("A command is not a JSON object.")
    name = given.get("cmd")
    parse = _PARSERS.get(name) if isinstance(name, str) else None
    if parse is None:
        raise BadRequest(f"There is no command {_short(name)}. There are load, chat, cancel, ping and unload.")
    return parse(given)


def parse_generation(given: Any, request_id: str | None = None) -> Generation:
    """What is not given has the default of Generation."""
    if given is None:
        return Generation()
    if not isinstance(given, dict):
        raise BadRequest("generation is not an object.", request_id)
    unknown = sorted(set(given) - set(_GENERATION))
    if unknown:
        raise BadRequest(f"generation has no setting {_short(unknown[0])}.", request_id)
    for name, value in given.items():
        expected, is_right = _GENERATION[name]
        if value is None and name == "seed":
            continue
        if not is_right(value):
            raise BadRequest(f"generation.{name} is {_short(value)}; it must be {expected}.", request_id)
    return Generation(**given)


def _parse_load(given: dict[str, Any]) -> Load:
    context = given.get("context_length")
    if context is not None and not _is_whole(context, 1):
        raise BadRequest(f"context_length is {_short(context)}; it must be a number of tokens, or null.")
    adapter = given.get("adapter_path")
    return Load(
        model_path=_path(given, "model_path"),
        adapter_path=None if adapter is None else _path(given, "adapter_path"),
        dtype=_one_of(given, "dtype", DTYPES),
        quantisation=_one_of(given, "quantisation", QUANTISATIONS),
        context_length=context,
    )


def _parse_chat(given: dict[str, Any]) -> Chat:
    request_id = _request_id(given)
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a list of at least one message.", request_id)
    for index, message in enumerate(messages):
        _check_message(message, index, request_id)
    plain = [{"role": message["role"], "content": message["content"]} for message in messages]
    return Chat(request_id, plain, parse_generation(given.get("generation"), request_id))


def _check_message(message: Any, index: int, request_id: str) -> None:
    if not isinstance(message, dict):
        raise BadRequest(f"messages[{index}] is not an object.", request_id)
    if message.get("role") not in ROLES:
        raise BadRequest(f"messages[{index}].role must be one of {', '.join(ROLES)}.", request_id)
    content = message.get("content")
    if not isinstance(content, str):
        raise BadRequest(f"messages[{index}].content must be a text.", request_id)
    if not is_unicode(content):
        raise BadRequest(f"messages[{index}].content holds half a character (a lone surrogate).", request_id)


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _request_id(given: Mapping[str, Any]) -> str:
    request_id = given.get("request_id")
    if not isinstance(request_id, str) or not 0 < len(request_id) <= 200:
        raise BadRequest("request_id must be a text of 1 to 200 characters.")
    return request_id


def _path(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or value == "" or "\0" in value or not is_unicode(value):
        raise BadRequest(f"{name} must be the path of a folder.")
    return value


def _one_of(given: Mapping[str, Any], name: str, values: tuple[str, ...]) -> str:
    value = given.get(name, values[0])
    if value not in values:
        raise BadRequest(f"{name} is {_short(value)}; it must be one of {', '.join(values)}.")
    return value


def _is_whole(value: Any, least: int, most: float = math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _is_stop(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= 16
        and all(isinstance(stop, str) and 0 < len(stop) <= 1000 and is_unicode(stop) for stop in value)
    )


_GENERATION: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "max_new_tokens": ("a whole number from 1 to 1048576", lambda value: _is_whole(value, 1, 1_048_576)),
    "temperature": ("a number from 0 to 10", lambda value: _is_number(value) and 0 <= value <= 10),
    "top_p": ("a number above 0, at most 1", lambda value: _is_number(value) and 0 < value <= 1),
    "top_k": ("a whole number from 0 on", lambda value: _is_whole(value, 0, 2**31)),
    "repetition_penalty": ("a number above 0", lambda value: _is_number(value) and value > 0),
    "stop": ("a list of at most 16 texts of 1 to 1000 characters", _is_stop),
    "seed": ("a whole number from 0 to 4294967295", lambda value: _is_whole(value, 0, 4_294_967_295)),
}

_PARSERS: dict[str, Callable[[dict[str, Any]], Command]] = {
    "load": _parse_load,
    "chat": _parse_chat,
    "cancel": lambda given: Cancel(_request_id(given)),
    "ping": lambda given: Ping(given.get("id")),
    "unload": lambda _given: Unload(),
}


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
