"""Examples in the form that TRL's trainers read, and which answers are learned from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..protocol import EXIT_BAD_DATASET, EXIT_MODEL_LOAD, RunError
from ..spec import bad_spec
from .example import Example, Message

Row = dict[str, Any]


@dataclass(frozen=True)
class SftForm:
    """
    How conversations are given to TRL. `completion`: prompt and completion, the last answer is learned from; `marked`: whole
    conversations, the template marks every answer; `each`: a prompt and completion for every answer; `whole`: everything is
    learned from.
    """

    name: str
    assistant_only_loss: bool
    completion_only_loss: bool


def choose_sft_form(examples: Iterable[Example], training: dict[str, Any], can_mark_answers: bool) -> SftForm:
    """By default every answer is learned from, and nothing else."""
    asked, completion_only = training["assistant_only_loss"], training.get("completion_only_loss")
    if asked and completion_only is not None:
        raise bad_spec("training.assistant_only_loss and training.completion_only_loss are both given; choose one.")
    has_weights = has_many = is_last_unlearned = False
    for example in examples:
        has_weights = has_weights or bool(example.unlearned)
        has_many = has_many or _count_answers(example) > 1
        is_last_unlearned = is_last_unlearned or len(example.fields["messages"]) - 1 in example.unlearned
    if (has_weights and (asked or completion_only is False)) or (is_last_unlearned and completion_only is True):
        raise bad_spec(
            "The data hold answers of weight 0, which cannot be kept apart with the loss that was asked for."
        )
    if asked:
        if not can_mark_answers:
            raise chat_template_missing(
                "The chat template marks no answers with {% generation %}, as assistant_only_loss needs."
            )
        return SftForm("marked", True, False)
    if completion_only is False:
        return SftForm("whole", False, False)
    if completion_only is True or not (has_many or has_weights):
        return SftForm("completion", False, True)
    return SftForm("each", False, True) if has_weights or not can_mark_answers else SftForm("marked", True, False)


def chat_template_missing(message: str) -> RunError:
    return RunError("chat_template_missing", message, EXIT_MODEL_LOAD)


def to_rows(examples: Iterable[Example], form: SftForm | None, has_template: bool) -> list[Row]:
    """Rows of one and the same shape, as TRL looks at the first one only."""
    rows: list[Row] = []
    for example in examples:
        if example.kind == "sft" and form is not None:
            rows.extend(_with_tools(row, example) for row in _sft_rows(example, form))
        elif example.is_plain and not has_template:
            rows.append({name: _plain(value) for name, value in example.fields.items()})
        else:
            rows.append(_with_tools(example.fields, example))
    if len({"tools" in row for row in rows}) > 1:
        for row in rows:
            row.setdefault("tools", None)
    return rows


def needs_template(examples: Iterable[Example]) -> bool:
    return any(example.kind != "cpt" and not example.is_plain for example in examples)


def _count_answers(example: Example) -> int:
    return sum(message["role"] == "assistant" for message in example.fields["messages"])


def _sft_rows(example: Example, form: SftForm) -> list[Row]:
    messages = example.fields["messages"]
    if form.name in ("marked", "whole"):
        return [{"messages": messages}]
    if form.name == "completion":
        return [_cut(messages, len(messages) - 1)]
    answers = [position for position, message in enumerate(messages) if message["role"] == "assistant"]
    return [_cut(messages, position) for position in answers if position not in example.unlearned]


def _cut(messages: list[Message], position: int) -> Row:
    return {"prompt": messages[:position], "completion": messages[position : position + 1]}


def _plain(value: Any) -> Any:
    return value[0]["content"] if isinstance(value, list) else value


def _with_tools(row: Row, example: Example) -> Row:
    return row if example.tools is None else {**row, "tools": example.tools}


def to_dataset(rows: list[Row]) -> Any:
    """A dataset in memory; messages with tool calls are kept as they are, where columns would add empty fields to them."""
    from datasets import Dataset, Features, Json, List, Value

    if not rows:
        raise RunError("nothing_to_learn", "There is no example.", EXIT_BAD_DATASET)
    has_odd_messages = any("tools" in row for row in rows) or any(_is_odd(row) for row in rows)
    if not has_odd_messages:
        return Dataset.from_list(rows)
    types: dict[str, Any] = {}
    for name in rows[0]:
        value = rows[0][name]
        types[name] = Json() if name == "tools" else List(Json()) if isinstance(value, list) else Value(_scalar(value))
    return Dataset.from_list([{name: row.get(name) for name in types} for row in rows], features=Features(types))


def _scalar(value: Any) -> str:
    return "bool" if isinstance(value, bool) else "string"


def _is_odd(row: Row) -> bool:
    parts = [part for part in row.values() if isinstance(part, list)]
    return any(isinstance(message, dict) and message.keys() - {"role", "content"} for part in parts for message in part)
