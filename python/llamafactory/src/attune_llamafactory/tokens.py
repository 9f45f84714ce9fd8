"""Counts what becomes of the examples while LLaMA-Factory makes tokens of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from attune_trainer.protocol import EXIT_BAD_DATASET, EXIT_ENVIRONMENT, RunError
from attune_trainer.trainer import Ledger

# Longer than any example, and none of the numbers that stand for no limit.
_UNBOUNDED = 2**31
_IGNORED = -100


@dataclass
class Counter:
    """Stands in the place of LLaMA-Factory's own function that makes tokens of one of its data sets."""

    make_tokens: Callable[..., Any]
    ledger: Ledger
    phase: Callable[[], AbstractContextManager[None]]
    # Tokens at the end of documents that did not fill a whole piece.
    left_over: int = 0

    def __call__(
        self,
        dataset: Any,
        data_args: Any,
        training_args: Any,
        stage: str,
        template: Any,
        tokenizer: Any,
        processor: Any = None,
        is_eval: bool = False,
    ) -> Any:
        """As LLaMA-Factory calls its own. @raises RunError nothing_to_learn"""
        if dataset is None:
            return None

        def make(some: Any, arguments: Any) -> Any:
            return self.make_tokens(
                some, arguments, training_args, stage, template, tokenizer, processor, is_eval=is_eval
            )

        work = _Work(dataset, data_args, make, template, tokenizer)
        with self.phase():
            try:
                made, counts = _COUNTS[stage](work)
            except RuntimeError as error:
                if str(error).startswith("Cannot find "):
                    raise _nothing(is_eval) from error
                raise
        if counts.useful == 0:
            raise _nothing(is_eval)
        self._enter(counts, is_eval)
        return made

    def _enter(self, counts: _Counts, is_eval: bool) -> None:
        if is_eval:
            self.ledger.eval = counts.examples
            return
        self.ledger.truncated, self.ledger.fully_masked = counts.truncated, counts.masked
        self.ledger.tokens, self.ledger.train = counts.tokens, counts.examples
        self.ledger.packed_sequences = counts.packed
        self.left_over = counts.left_over


@dataclass
class _Work:
    dataset: Any
    data_args: Any
    make: Callable[[Any, Any], Any]
    template: Any
    tokenizer: Any

    @property
    def bound(self) -> int:
        return int(self.data_args.cutoff_len)


@dataclass
class _Counts:
    examples: int = 0
    truncated: int = 0
    masked: int = 0
    tokens: int = 0
    # Examples that change something.
    useful: int = 0
    packed: int | None = None
    left_over: int = 0


def _nothing(is_eval: bool) -> RunError:
    what = "example to evaluate with" if is_eval else "example to learn from"
    message = f"No {what} has a token that counts: all are masked, cut off at max_length, or alike in what is compared."
    return RunError("nothing_to_learn", message, EXIT_BAD_DATASET)


def _all_of(made: Any, work: _Work) -> Any:
    """LLaMA-Factory passes over what it takes for invalid with a word in the log alone; nothing of ours may be."""
    if len(made) == len(work.dataset):
        return made
    lost = len(work.dataset) - len(made)
    message = f"LLaMA-Factory left out {lost} of {len(work.dataset)} examples; its log names them."
    raise RunError("engine_failed", message, EXIT_ENVIRONMENT)


def _count_sft(work: _Work) -> tuple[Any, _Counts]:
    apart = copy.copy(work.data_args)
    apart.packing = apart.neat_packing = False
    plain = _all_of(work.make(work.dataset, apart), work)
    counts = _Counts()
    learned = []
    for position, labels in enumerate(plain["labels"]):
        if all(label == _IGNORED for label in labels):
            counts.masked += 1
        else:
            learned.append(position)
        counts.tokens += len(labels)
        counts.truncated += len(labels) >= work.bound and _is_cut(work, position, len(labels))
    counts.examples = counts.useful = len(learned)
    if not learned or not work.data_args.packing:
        return (plain if counts.masked == 0 else plain.select(learned)), counts
    packed = work.make(work.dataset.select(learned), work.data_args)
    counts.packed = len(packed)
    return packed, counts


def _is_cut(work: _Work, position: int, length: int) -> bool:
    row = work.dataset[position]
    pairs = work.template.encode_multiturn(
        work.tokenizer, row["_prompt"] + row["_response"], row["_system"], row["_tools"]
    )
    whole = sum(len(part) for pair in pairs for part in pair) + (1 if work.template.efficient_eos else 0)
    return whole > length


def _count_pairs(work: _Work) -> tuple[Any, _Counts]:
    made = _all_of(work.make(work.dataset, work.data_args), work)
    counts = _Counts(examples=len(made))
    for position, (chosen, rejected) in enumerate(
        zip(made["chosen_input_ids"], made["rejected_input_ids"], strict=True)
    ):
        lengths = (len(chosen), len(rejected))
        counts.tokens += sum(lengths)
        counts.masked += chosen == rejected
        counts.truncated += max(lengths) >= work.bound and _is_answer_cut(work, position, lengths)
    counts.useful = counts.examples - counts.masked
    return made, counts


def _count_feedback(work: _Work) -> tuple[Any, _Counts]:
    made = _all_of(work.make(work.dataset, work.data_args), work)
    counts = _Counts(examples=len(made), useful=len(made))
    for position, ids in enumerate(made["input_ids"]):
        counts.tokens += len(ids)
        counts.truncated += len(ids) >= work.bound and _is_answer_cut(work, position, (len(ids),))
    return made, counts


def _is_answer_cut(work: _Work, position: int, lengths: tuple[int, ...]) -> bool:
    row = work.dataset[position]
    answers = [answer for answer in row["_response"] if answer["content"]] if len(lengths) == 1 else row["_response"]
    for answer, length in zip(answers, lengths, strict=True):
        asked, answered = work.template.encode_oneturn(
            work.tokenizer, [*row["_prompt"], answer], row["_system"], row["_tools"]
        )
        if len(asked) + len(answered) + (1 if work.template.efficient_eos else 0) > length:
            return True
    return False


def _count_documents(work: _Work) -> tuple[Any, _Counts]:
    made = work.make(work.dataset, work.data_args)
    kept = sum(len(ids) for ids in made["input_ids"])
    counts = _Counts(examples=len(work.dataset), tokens=kept, useful=len(made))
    if work.data_args.packing:
        unbounded = copy.copy(work.data_args)
        unbounded.packing, unbounded.cutoff_len = False, _UNBOUNDED
        counts.packed = len(made)
        counts.left_over = sum(len(ids) for ids in work.make(work.dataset, unbounded)["input_ids"]) - kept
        return made, counts
    _all_of(made, work)
    for position, ids in enumerate(made["input_ids"]):
        counts.truncated += len(ids) >= work.bound and _is_document_cut(work, position)
    return made, counts


def _is_document_cut(work: _Work, position: int) -> bool:
    text = work.dataset[position]["_prompt"][0]["content"] + work.tokenizer.eos_token
    if getattr(work.tokenizer, "add_bos_token", False):
        text = work.tokenizer.bos_token + text
    return len(work.tokenizer(text, add_special_tokens=False)["input_ids"]) > work.bound


_COUNTS: dict[str, Callable[[_Work], tuple[Any, _Counts]]] = {
    "sft": _count_sft,
    "rm": _count_pairs,
    "kto": _count_feedback,
    "pt": _count_documents,
}
