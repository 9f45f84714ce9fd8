"""Records of every format, turned into examples: Alpaca, ShareGPT, OpenAI messages, preferences, KTO, plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .example import Example, Invalid, Message, checked_text, optional_text, text_of, tools_of
from .talks import openai_messages, sharegpt_turns, with_system, without_weights

Record = dict[str, Any]
# One record can hold several examples: a pair is two for KTO.
Reader = Callable[[Record], list[Example]]


def read_alpaca(record: Record) -> list[Example]:
    messages = [*_alpaca_prompt(record), {"role": "assistant", "content": text_of(record, "output")}]
    return [Example("sft", {"messages": messages}, tools_of(record))]


def _alpaca_prompt(record: Record) -> list[Message]:
    instruction, extra = text_of(record, "instruction"), optional_text(record, "input")
    # As LLaMA-Factory joins them.
    return _with_context(record, [{"role": "user", "content": f"{instruction}\n{extra}" if extra else instruction}])


def _with_context(record: Record, prompt: list[Message]) -> list[Message]:
    """A prompt with what the fields system and history put before it."""
    turns: list[Message] = []
    for user, answer in _history(record):
        turns += [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
    own = 1 if prompt[0]["role"] == "system" else 0
    return with_system(record, [*prompt[:own], *turns, *prompt[own:]])


def _history(record: Record) -> list[tuple[str, str]]:
    history = record.get("history")
    if history is None or history == "":
        return []
    if not isinstance(history, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in history):
        raise Invalid("bad_history", "history must be an array of pairs [user, assistant]")
    return [(checked_text(user, "history"), checked_text(answer, "history")) for user, answer in history]


def read_sharegpt(record: Record) -> list[Example]:
    messages = sharegpt_turns(record)
    if messages[-1]["role"] != "assistant":
        raise Invalid("odd_turns", "the last turn must be an answer, so that the number of turns is even")
    return [_talk(messages, record)]


def _talk(marked: list[Message], record: Record) -> Example:
    messages, unlearned = without_weights(marked)
    answers = {position for position, message in enumerate(messages) if message["role"] == "assistant"}
    if answers <= unlearned:
        raise Invalid("no_answer", "every answer has weight 0")
    return Example("sft", {"messages": messages}, tools_of(record), unlearned=unlearned)


def read_openai(record: Record) -> list[Example]:
    """OpenAI's messages; TRL's prompt and completion, as strings or as messages, are read as well."""
    if "messages" not in record and "prompt" in record and "completion" in record:
        prompt, completion, _ = _prompt_and(record, "completion")
        return [_talk(prompt + completion, record)]
    messages = with_system(record, openai_messages(record.get("messages")))
    if messages[-1]["role"] != "assistant":
        raise Invalid("no_answer", "the last message must be from the assistant")
    return [_talk(messages, record)]


def read_dpo(record: Record) -> list[Example]:
    """TRL's prompt, chosen, rejected; LLaMA-Factory's Alpaca and ShareGPT forms."""
    tools = tools_of(record)
    if "conversations" in record:
        prompt = sharegpt_turns(record)
        chosen, rejected = _sharegpt_answer(record, "chosen"), _sharegpt_answer(record, "rejected")
        is_plain = False
    elif "instruction" in record:
        prompt, is_plain = _alpaca_prompt(record), False
        chosen = [{"role": "assistant", "content": text_of(record, "chosen")}]
        rejected = [{"role": "assistant", "content": text_of(record, "rejected")}]
    elif record.get("prompt") is None:
        prompt, chosen, rejected = _common_prompt(record)
        is_plain = False
    else:
        prompt, chosen, is_plain = _prompt_and(record, "chosen")
        _, rejected, is_plain_too = _prompt_and(record, "rejected")
        if is_plain != is_plain_too:
            raise Invalid("mixed_types", "prompt, chosen and rejected must all be strings or all be messages")
    if prompt[-1]["role"] not in ("user", "tool"):
        raise Invalid("wrong_order", "the prompt must end with a turn of the user")
    answers = {"chosen": _compared(chosen, "chosen"), "rejected": _compared(rejected, "rejected")}
    return [Example("dpo", {"prompt": without_weights(prompt)[0], **answers}, tools, is_plain)]


def _compared(answer: list[Message], name: str) -> list[Message]:
    """An answer of a preference, which is learned from as a whole."""
    messages, unlearned = without_weights(answer)
    if unlearned:
        raise Invalid("bad_weight", f"{name} has weight 0, and a preference is learned from its answers")
    return messages


def _sharegpt_answer(record: Record, name: str) -> list[Message]:
    turn = record.get(name)
    if not isinstance(turn, dict) or turn.get("from") not in ("gpt", "assistant", "function_call"):
        raise Invalid("bad_turn", f'{name} must be an object {{"from": "gpt", "value": …}}')
    pair = {"conversations": [{"from": "human", "value": "?"}, turn]}
    return sharegpt_turns(pair)[1:]


def _prompt_and(record: Record, name: str) -> tuple[list[Message], list[Message], bool]:
    prompt, answer = record.get("prompt"), record.get(name)
    if answer is None:
        raise Invalid("missing_field", f"{name} is missing")
    if isinstance(prompt, str) or isinstance(answer, str):
        if not (isinstance(prompt, str) and isinstance(answer, str)):
            raise Invalid("mixed_types", f"prompt and {name} must both be strings or both be messages")
        asked, answered = text_of(record, "prompt"), text_of(record, name)
        messages = _with_context(record, [{"role": "user", "content": asked}])
        # With more than the one turn it is a conversation.
        return messages, [{"role": "assistant", "content": answered}], len(messages) == 1
    messages, answers = _with_context(record, openai_messages(prompt, "prompt")), openai_messages(answer, name)
    if answers[0]["role"] != "assistant" or answers[-1]["role"] != "assistant":
        raise Invalid("no_answer", f"{name} must hold a message from the assistant")
    return messages, answers, False


def _common_prompt(record: Record) -> tuple[list[Message], list[Message], list[Message]]:
    if isinstance(record.get("chosen"), str) or isinstance(record.get("rejected"), str):
        raise Invalid("missing_field", "prompt is missing")
    chosen, rejected = (
        openai_messages(record.get("chosen"), "chosen"),
        openai_messages(record.get("rejected"), "rejected"),
    )
    plain, plain_too = without_weights(chosen)[0], without_weights(rejected)[0]
    length = 0
    while length < min(len(chosen), len(rejected)) - 1 and plain[length] == plain_too[length]:
        length += 1
    if length == 0 or chosen[length]["role"] != "assistant" or rejected[length]["role"] != "assistant":
        raise Invalid(
            "no_common_prompt", "chosen and rejected must begin with the same messages and go on with answers"
        )
    return with_system(record, chosen[:length]), chosen[length:], rejected[length:]


def read_kto(record: Record) -> list[Example]:
    """TRL's prompt, completion, label; LLaMA-Factory's kto_tag; a pair gives an example of each label."""
    if "chosen" in record and "rejected" in record:
        (pair,) = read_dpo(record)
        halves = (("chosen", True), ("rejected", False))
        return [_kto(pair.fields["prompt"], pair.fields[name], label, pair) for name, label in halves]
    if "kto_tag" in record:
        (source,) = read_sharegpt(record) if "conversations" in record else read_alpaca(record)
        messages = source.fields["messages"]
        if len(messages) - 1 in source.unlearned:
            raise Invalid("bad_weight", "the answer has weight 0, and a preference is learned from its answers")
        return [_kto(messages[:-1], messages[-1:], _label(record, "kto_tag"), source)]
    label = _label(record, "label")
    prompt, completion, is_plain = _prompt_and(record, "completion")
    source = Example("kto", {}, tools_of(record), is_plain)
    return [_kto(without_weights(prompt)[0], _compared(completion, "completion"), label, source)]


def _kto(prompt: list[Message], completion: list[Message], label: bool, source: Example) -> Example:
    fields = {"prompt": prompt, "completion": completion, "label": label}
    return Example("kto", fields, source.tools, source.is_plain)


def _label(record: Record, name: str) -> bool:
    if name not in record:
        raise Invalid("missing_field", f"{name} is missing")
    # LLaMA-Factory passes over "true" without a word, which would lose the example.
    if not isinstance(record[name], bool):
        raise Invalid("wrong_type", f"{name} must be true or false, and is {record[name]!r}")
    return record[name]


def read_cpt(record: Record) -> list[Example]:
    if "text" not in record and ("instruction" in record or "messages" in record or "conversations" in record):
        raise Invalid("missing_field", "text is missing; these are questions and answers, which method sft learns from")
    return [Example("cpt", {"text": text_of(record, "text")})]


readers: dict[str, Reader] = {
    "alpaca": read_alpaca,
    "sharegpt": read_sharegpt,
    "openai": read_openai,
    "dpo": read_dpo,
    "kto": read_kto,
    "cpt": read_cpt,
}


def detect_format(record: Record) -> str | None:
    """The format that the names of a record's fields speak for."""
    names = record.keys()
    tests: tuple[tuple[str, bool], ...] = (
        ("kto", "kto_tag" in names or {"prompt", "completion", "label"} <= names),
        ("dpo", {"chosen", "rejected"} <= names),
        ("openai", "messages" in names),
        ("sharegpt", "conversations" in names),
        ("alpaca", "instruction" in names),
        ("openai", {"prompt", "completion"} <= names),
        ("cpt", "text" in names),
    )
    return next((name for name, holds in tests if holds), None)
