"""TRL's trainers with two things added: they count what they would leave out in silence, and their checkpoints are whole."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from . import checkpoints
from .checkpoints import Identity
from .protocol import EXIT_BAD_DATASET, EXIT_NON_FINITE, RunError
from .stop import Stopped


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

    class AttuneTrainer(Resumable, base):
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


class Resumable:
    """Before a trainer of transformers: a run that goes on evaluates and ends where an undisturbed one does."""

    _random_states: RandomStates | None = None

    def evaluate(self, *args: Any, **options: Any) -> Any:
        before = RandomStates.now()
        try:
            return super().evaluate(*args, **options)  # type: ignore[misc]
        except Stopped:
            # It is made anew when the run goes on, with the random numbers that it began with.
            before.restore()
            raise

    def evaluate_owed(self: Any, checkpoint: str) -> None:
        """Makes the evaluation of the step of a checkpoint, which is there without it, with all that follows from it."""
        self._load_rng_state(checkpoint)
        metrics = self._evaluate(None, None)
        if self._determine_best_metric(metrics, None):
            self.state.best_model_checkpoint = checkpoint
        # An evaluation draws random numbers; the first step goes on with those after it.
        self._random_states = RandomStates.now()

    def _load_rng_state(self, checkpoint: str | None) -> None:
        if self._random_states is None:
            super()._load_rng_state(checkpoint)  # type: ignore[misc]
        else:
            self._random_states.restore()

    def _run_epoch(self: Any, *args: Any, **options: Any) -> None:
        # transformers makes a step first and then looks whether it was one too many.
        if self.control.should_training_stop or self.state.global_step >= self.state.max_steps:
            self.control.should_training_stop = True
            return
        super()._run_epoch(*args, **options)  # type: ignore[misc]


@dataclass(frozen=True)
class RandomStates:
    """Of all generators that training draws from."""

    python: Any
    numpy: Any
    cpu: Any
    cuda: Any

    @classmethod
    def now(cls) -> RandomStates:
        import numpy
        import torch

        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
        return cls(random.getstate(), numpy.random.get_state(), torch.get_rng_state(), cuda)

    def restore(self) -> None:
        import numpy
        import torch

        random.setstate(self.python)
        numpy.random.set_state(self.numpy)
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)


def save_whole(trainer: Any, hooks: Hooks, save: Callable[[], None]) -> None:
    """
    Saves the checkpoint of a trainer's step so that it is complete or marked, and removes older ones after that.

    @raises RunError nonfinite_loss, and nothing is saved or removed
    """
    step = trainer.state.global_step
    # A last step that also ends an epoch asks twice.
    if step in hooks.saved:
        return
    require_finite_weights(trainer, hooks)
    folder = Path(trainer.args.output_dir) / f"checkpoint-{step}"
    if trainer.args.should_save:
        checkpoints.begin(folder)
    trainer.accelerator.wait_for_everyone()
    save()
    trainer.accelerator.wait_for_everyone()
    hooks.saved[step] = 0
    if trainer.args.should_save:
        hooks.saved[step] = checkpoints.complete(folder, hooks.identity)
        best, world_size = trainer.state.best_model_checkpoint, hooks.identity.world_size
        checkpoints.rotate(folder, hooks.keep_checkpoints, best, world_size)


def require_finite_weights(trainer: Any, hooks: Hooks) -> None:
    """@raises RunError nonfinite_loss when a weight that is trained is no finite number"""
    if are_finite(weights for weights in trainer.model.parameters() if weights.requires_grad):
        return
    folder = Path(trainer.args.output_dir)
    good = checkpoints.newest_whole(folder, hooks.identity.world_size)
    path = trainer.args.resume_from_checkpoint if good is None else f"{folder.name}/{good.name}"
    last = "There is no good checkpoint." if path is None else f"The last good checkpoint is {path}."
    step = trainer.state.global_step
    raise nonfinite_loss(f"The weights of step {step} were not finite numbers, and they were not saved. {last}")


def are_finite(tensors: Iterable[Any]) -> bool:
    """With one wait for the device, and no copy."""
    import torch

    # What is no number is the least and the greatest of its tensor; to look at each one takes twenty times as long.
    bounds = [bound.float() for one in tensors if one.numel() > 0 for bound in torch.aminmax(one.detach())]
    if not bounds:
        return True
    return bool(torch.isfinite(torch.stack([bound.to(bounds[0].device) for bound in bounds])).all().item())


def nonfinite_loss(message: str) -> RunError:
    return RunError("nonfinite_loss", message, EXIT_NON_FINITE)


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
    # Only what is wrapped goes on in the next piece; packing otherwise cuts off what is beyond the bound, too.
    bound = None if packing and args.packing_strategy == "wrapped" else args.max_length
    truncated = masked = tokens = 0
    for labels in whole["labels"]:
        truncated += bound is not None and len(labels) > bound
        masked += all(label == -100 for label in labels[:bound])
        tokens += len(labels[:bound])
    prepared = prepare(whole, processing_class, args, packing, formatting, name)
    _enter(ledger, name, (truncated, masked, tokens), len(whole) - (0 if bound is None else masked))
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
