"""TRL's trainers with two things added: they count what they would leave out in silence, and their checkpoints are whole."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from . import checkpoints
from .checkpoints import Identity
from .protocol import EXIT_BAD_DATASET, RunError


@dataclass
class Ledger:
    """What became of the examples while they were made into tokens; of evaluation only the examples are counted."""

    truncated: int = 0
    fully_masked: int = 0
    tokens: int = 0
    train: int = 0
    eval: int = 0
    packed_sequences: int | None = None


@dataclass
class Hooks:
    """What our trainers need besides what TRL's are given."""

    identity: Identity
    keep_checkpoints: int
    # Around the making of tokens.
    tokenizing: Callable[[], AbstractContextManager[None]]
    ledger: Ledger = field(default_factory=Ledger)
    # Steps whose checkpoint this process wrote, with their bytes.
    saved: dict[int, int] = field(default_factory=dict)


def trainer_class(method: str, hooks: Hooks) -> type[Any]:
    """TRL's trainer of a method, with counting and whole checkpoints."""
    import trl

    base: Any = {"dpo": trl.DPOTrainer, "kto": trl.KTOTrainer}.get(method, trl.SFTTrainer)
    counting = _count_sft if base is trl.SFTTrainer else _count_preferences

    class AttuneTrainer(base):
        def _prepare_dataset(self, *args: Any) -> Any:
            with hooks.tokenizing():
                return counting(super()._prepare_dataset, hooks.ledger, *args)

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            save_whole(self, hooks, partial(super()._save_checkpoint, model, trial))

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            set_decay(self.args, num_training_steps)
            return super().create_scheduler(num_training_steps, optimizer)

    AttuneTrainer.__name__ = base.__name__
    return AttuneTrainer


def save_whole(trainer: Any, hooks: Hooks, save: Callable[[], None]) -> None:
    """Saves the checkpoint of a trainer's step so that it is complete or marked, and removes older ones after that."""
    step = trainer.state.global_step
    # A last step that also ends an epoch asks twice.
    if step in hooks.saved:
        return
    folder = Path(trainer.args.output_dir) / f"checkpoint-{step}"
    if trainer.args.should_save:
        checkpoints.begin(folder)
    trainer.accelerator.wait_for_everyone()
    save()
    trainer.accelerator.wait_for_everyone()
    hooks.saved[step] = 0
    if trainer.args.should_save:
        hooks.saved[step] = checkpoints.complete(folder, hooks.identity)
        checkpoints.rotate(folder.parent, hooks.keep_checkpoints, trainer.state.best_model_checkpoint)


def set_decay(args: Any, num_training_steps: int) -> None:
    """transformers knows no default for how long this schedule decays."""
    if args.lr_scheduler_type == "warmup_stable_decay" and not args.lr_scheduler_kwargs:
        args.lr_scheduler_kwargs = {"num_decay_steps": max(1, num_training_steps // 10)}


def _count_sft(prepare: Any, ledger: Ledger, dataset: Any, processing_class: Any, args: Any, *rest: Any) -> Any:
    packing, formatting, name = rest
    # First without a bound, so that what the bound takes away can be counted; a second call leaves tokens as they are.
    unbounded = copy.copy(args)
    unbounded.max_length = None
    whole = prepare(dataset, processing_class, unbounded, False, formatting, name)
    bound = None if packing else args.max_length
    truncated = masked = tokens = 0
    for labels in whole["labels"]:
        truncated += bound is not None and len(labels) > bound
        masked += all(label == -100 for label in labels[:bound])
        tokens += len(labels[:bound])
    prepared = prepare(whole, processing_class, args, packing, formatting, name)
    _enter(ledger, name, (truncated, masked, tokens), len(whole) - (0 if packing else masked))
    if packing and name == "train":
        ledger.packed_sequences = len(prepared)
    _require_some(prepared, name, masked == len(whole))
    return prepared


def _count_preferences(prepare: Any, ledger: Ledger, dataset: Any, processing_class: Any, args: Any, name: str) -> Any:
    # These are cut only when a batch is made; examples whose prompt leaves no room are left out already.
    prepared = prepare(dataset, processing_class, args, name)
    bound = args.max_length
    left_out = len(dataset) - len(prepared)
    truncated, tokens, unlike = left_out, 0, 0
    for row in prepared:
        answers = [row[part] for part in ("chosen_ids", "rejected_ids", "completion_ids") if part in row]
        lengths = [len(row["prompt_ids"]) + len(answer) for answer in answers]
        room = bound - len(row["prompt_ids"])
        truncated += max(lengths) > bound
        tokens += sum(min(length, bound) for length in lengths)
        unlike += len(answers) == 1 or answers[0][:room] != answers[1][:room]
    same = len(prepared) - unlike
    _enter(ledger, name, (truncated, left_out + same, tokens), len(prepared))
    _require_some(prepared, name, unlike == 0)
    return prepared


def _enter(ledger: Ledger, name: str, counts: tuple[int, int, int], examples: int) -> None:
    if name != "train":
        ledger.eval = examples
        return
    ledger.truncated, ledger.fully_masked, ledger.tokens = counts
    ledger.train = examples


def _require_some(prepared: Any, name: str, is_in_vain: bool) -> None:
    if len(prepared) > 0 and not is_in_vain:
        return
    what = "example to learn from" if name == "train" else "example to evaluate with"
    message = f"No {what} has a token that counts: all are masked, cut off at max_length, or alike in what is compared."
    raise RunError("nothing_to_learn", message, EXIT_BAD_DATASET)
