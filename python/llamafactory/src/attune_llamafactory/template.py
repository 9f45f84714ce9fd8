"""Whether LLaMA-Factory writes conversations as the model's own chat template does, with which it is served later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attune_trainer.data.example import Example, Message

# How many examples are looked at.
LOOKED_AT = 100


@dataclass(frozen=True)
class Difference:
    looked_at: int
    unlike: int
    # Of the first one.
    wanted: str
    written: str

    def __str__(self) -> str:
        return (
            f"LLaMA-Factory makes a template of its own out of the tokenizer's, and writes {self.unlike} of {self.looked_at} "
            f"conversations otherwise than that; the first one as {_short(self.written)} and not as {_short(self.wanted)}."
        )


def compare_templates(examples: list[Example], template: Any, tokenizer: Any) -> Difference | None:
    """Compares as text, since LLaMA-Factory makes tokens of each turn by itself."""
    looked_at = unlike = 0
    first = ("", "")
    for example in examples[:LOOKED_AT]:
        if example.kind == "cpt":
            return None
        messages = _messages(example)
        wanted = tokenizer.apply_chat_template(messages, tokenize=False)
        written = _write(template, messages, tokenizer)
        looked_at += 1
        # LLaMA-Factory ends with the end of the last answer; some templates write a line break after it.
        if written.rstrip() != wanted.rstrip():
            unlike += 1
            first = first if unlike > 1 else (wanted, written)
    return Difference(looked_at, unlike, *first) if unlike > 0 else None


def _messages(example: Example) -> list[Message]:
    fields = example.fields
    if example.kind == "sft":
        return list(fields["messages"])
    return [*fields["prompt"], *fields["completion" if example.kind == "kto" else "chosen"]]


class _AsText:
    """Stands for the tokenizer, and makes of every piece of text itself."""

    def __init__(self, tokenizer: Any) -> None:
        self.bos_token_id = tokenizer.bos_token
        self.eos_token_id = tokenizer.eos_token

    def encode(self, text: str, add_special_tokens: bool = False) -> list[str]:
        return [text]

    def convert_tokens_to_ids(self, token: str) -> str:
        return token


def _write(template: Any, messages: list[Message], tokenizer: Any) -> str:
    has_system = messages[0]["role"] == "system"
    system = messages[0]["content"] if has_system else ""
    pairs = template.encode_multiturn(_AsText(tokenizer), messages[1:] if has_system else messages, system, "")
    return "".join(piece for pair in pairs for part in pair for piece in part)


def _short(text: str) -> str:
    return repr(text if len(text) <= 300 else f"{text[:300]}…")
