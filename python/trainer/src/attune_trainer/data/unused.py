"""Fields of a record that hold text and that nothing is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_OPENAI_FIELDS = {"role", "content", "tool_calls", "tool_call_id", "name", "weight"}
_SHAREGPT_FIELDS = {"from", "value", "weight"}
# Fields of a record in which messages stand.
_OF_MESSAGES = ("messages", "conversations", "prompt", "completion", "chosen", "rejected")


class Tracked(dict[str, Any]):
    """A record that remembers which of its fields were read."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def unused_fields(record: Tracked) -> set[str]:
    """Names of fields with text that were not read, those of messages after the name of the field they stand in."""
    unused = {name for name, value in record.items() if name not in record.read and _holds_text(value)}
    for field in record.read & set(_OF_MESSAGES):
        value = record.get(field)
        # A conversation of ShareGPT has its answers of a preference as single turns.
        is_sharegpt = field == "conversations" or isinstance(value, dict)
        known = _SHAREGPT_FIELDS if is_sharegpt else _OPENAI_FIELDS
        for message in [value] if isinstance(value, dict) else value if isinstance(value, list) else []:
            names = message.keys() - known
            unused |= {f"{field}.{name}" for name in names if _holds_text(message[name])}
    return unused


def texts_in(value: Any) -> Iterator[str]:
    """Every string of a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)


def _holds_text(value: Any) -> bool:
    return any(text.strip() for text in texts_in(value))
