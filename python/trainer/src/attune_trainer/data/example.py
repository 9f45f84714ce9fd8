"""What every format is turned into before it becomes TRL's form."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from .read import Problem

Message = dict[str, Any]
Kind = Literal["sft", "dpo", "kto", "cpt"]


@dataclass(frozen=True)
class Example:
    """
    One example to learn from. sft: `messages`; dpo: `prompt`, `chosen`, `rejected`; kto: `prompt`, `completion`, `label`;
    cpt: `text`. `is_plain` says that a preference was given as bare strings.
    """

    kind: Kind
    fields: dict[str, Any]
    tools: list[Any] | None = None
    is_plain: bool = False
    # Answers that are not to be learned from (weight 0), by their position in `messages`.
    unlearned: frozenset[int] = field(default=frozenset())

    def key(self) -> str:
        """Equal for examples of equal content, wherever they stand and whatever format they came in."""
        content = [self.kind, self.fields, self.tools, sorted(self.unlearned)]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Invalid(Exception):
    """Raised while a record is read; `problem` says why it cannot be used."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = Problem(reason, detail)


def text_of(record: dict[str, Any], name: str, *, may_be_blank: bool = False) -> str:
    """A string field that must be there; blank is refused unless said otherwise."""
    if name not in record or record[name] is None:
        raise Invalid("missing_field", f"{name} is missing{_other_names(record)}")
    return checked_text(record[name], name, may_be_blank=may_be_blank)


def optional_text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return "" if value is None else checked_text(value, name, may_be_blank=True)


def checked_text(value: Any, name: str, *, may_be_blank: bool = False) -> str:
    if not isinstance(value, str):
        raise Invalid("wrong_type", f"{name} must be a string, and is {shown(value)}")
    if not may_be_blank and not value.strip():
        raise Invalid("blank", f"{name} is empty")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid("lone_surrogate", f"{name} holds half of a surrogate pair, which is no character") from None
    return value


def tools_of(record: dict[str, Any]) -> list[Any] | None:
    """`tools` as an array or as the JSON text of one."""
    value = record.get("tools")
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise Invalid("bad_tools", f"tools is a string that is not JSON: {error}") from None
    if not isinstance(value, list):
        raise Invalid("bad_tools", f"tools must be an array or the JSON text of one, and is {shown(value)}")
    return value or None


def shown(value: Any) -> str:
    """A value as JSON has it, not at full length."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


_ALIASES = {"question", "answer", "query", "response", "prompt", "completion", "input", "output", "reply", "content"}


def _other_names(record: dict[str, Any]) -> str:
    others = sorted(_ALIASES & record.keys())
    return f"; the record has {', '.join(others)}: rename what is meant" if others else ""
