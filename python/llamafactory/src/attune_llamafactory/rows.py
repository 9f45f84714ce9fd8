"""Examples as rows of LLaMA-Factory's ShareGPT form, and the file that tells it what is in which column."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from attune_trainer.data.example import Example, Invalid, Message

_TAGS = {
    "role_tag": "from",
    "content_tag": "value",
    "user_tag": "human",
    "assistant_tag": "gpt",
    "observation_tag": "observation",
    "function_tag": "function_call",
    "system_tag": "system",
}
_NAMES = {"user": "human", "assistant": "gpt"}
# Rows of a group in the files, so that few are in memory at once.
_GROUP_ROWS = 10_000


def check_example(example: Example) -> None:
    """What LLaMA-Factory would leave out without a count, or learn in another form than it is served. @raises Invalid"""
    if example.kind == "cpt":
        return
    if example.tools is not None:
        raise Invalid(
            "tools", "tools are not learned from with LLaMA-Factory, whose form of them is not the model's own"
        )
    if example.unlearned:
        raise Invalid("weight", "LLaMA-Factory learns from every answer, and an answer here has weight 0")
    for name in ("chosen", "rejected", "completion"):
        if len(example.fields.get(name, [None])) != 1:
            raise Invalid("long_answer", f"{name} holds several messages, and LLaMA-Factory compares single answers")
    _check_turns(_asked(example))


def _asked(example: Example) -> list[Message]:
    """All turns, with an answer last."""
    fields = example.fields
    if example.kind == "sft":
        return list(fields["messages"])
    return [*fields["prompt"], *(fields["completion"] if example.kind == "kto" else fields["chosen"])]


def _check_turns(messages: list[Message]) -> None:
    talk = messages[1:] if messages[0]["role"] == "system" else messages
    for position, message in enumerate(talk):
        if message["role"] not in _NAMES or message.get("tool_calls"):
            raise Invalid(
                "tools", "calls of tools are not learned from with LLaMA-Factory, whose form is not the model's own"
            )
        wanted = ("user", "assistant")[position % 2]
        if message["role"] != wanted:
            place = f"turn {position + 1} is from {message['role']}, where {wanted} was to come"
            raise Invalid("wrong_order", f"{place}: LLaMA-Factory takes user and assistant by turns")
    if len(talk) % 2 != 0:
        raise Invalid("odd_turns", "LLaMA-Factory takes pairs of a question and an answer")


def to_row(example: Example) -> dict[str, Any]:
    if example.kind == "cpt":
        return {"text": example.fields["text"]}
    asked = _asked(example)
    if example.kind == "dpo":
        asked = asked[:-1]
    system = asked[0]["content"] if asked[0]["role"] == "system" else ""
    row: dict[str, Any] = {
        "conversations": [_turn(message) for message in asked if message["role"] != "system"],
        "system": system,
    }
    if example.kind == "dpo":
        row |= {name: _turn(example.fields[name][0]) for name in ("chosen", "rejected")}
    if example.kind == "kto":
        row["kto_tag"] = example.fields["label"]
    return row


def _turn(message: Message) -> dict[str, str]:
    return {"from": _NAMES[message["role"]], "value": message["content"]}


def write_data(folder: Path, method: str, examples: dict[str, list[Example]], seed: int) -> None:
    """
    Writes dataset_info.json and a Parquet file for each name. Parquet and not JSON, of which the library that reads it makes
    times and numbers where all texts of a block look like these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    information: dict[str, Any] = {}
    for name, some in examples.items():
        if method == "kto":
            # Its KL term pairs an answer with that of the row before, which must not be that of the same question.
            some = random.Random(seed).sample(some, len(some))
        _write_rows(folder / f"{name}.parquet", method, some)
        information[name] = {"file_name": f"{name}.parquet", **_description(method)}
    (folder / "dataset_info.json").write_text(json.dumps(information, indent=2) + "\n", "utf-8")


def _description(method: str) -> dict[str, Any]:
    if method == "cpt":
        return {"formatting": "alpaca", "columns": {"prompt": "text"}}
    columns = {"messages": "conversations", "system": "system"}
    extra = {"dpo": ("chosen", "rejected"), "kto": ("kto_tag",)}.get(method, ())
    # A column that is not named counts as not there.
    columns |= {name: name for name in extra}
    return {"formatting": "sharegpt", "ranking": method == "dpo", "columns": columns, "tags": _TAGS}


def _write_rows(path: Path, method: str, examples: list[Example]) -> None:
    import pyarrow
    import pyarrow.parquet

    schema = _schema(method)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, len(examples), _GROUP_ROWS):
            rows = [to_row(example) for example in examples[start : start + _GROUP_ROWS]]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))


def _schema(method: str) -> Any:
    import pyarrow

    text = pyarrow.large_string()
    turn = pyarrow.struct([("from", text), ("value", text)])
    if method == "cpt":
        return pyarrow.schema([("text", text)])
    fields = [("conversations", pyarrow.list_(turn)), ("system", text)]
    extra = {"dpo": [("chosen", turn), ("rejected", turn)], "kto": [("kto_tag", pyarrow.bool_())]}
    return pyarrow.schema([*fields, *extra.get(method, [])])
