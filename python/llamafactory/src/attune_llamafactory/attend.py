"""Where LLaMA-Factory is stepped in at: a run tells what it does, stops where it can go on, and saves whole checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from attune_trainer.errors import as_bad_spec, to_run_error
from attune_trainer.protocol import EXIT_BAD_SPEC, EXIT_MODEL_LOAD, RunError
from attune_trainer.trainer import Hooks, Resumable, save_whole, set_decay

from .arguments import STAGES
from .tokens import Counter

_TRAINERS = {
    "sft": ("sft", "CustomSeq2SeqTrainer"),
    # Its workflow imports it only when it runs.
    "dpo": ("dpo_trainer", "CustomDPOTrainer"),
    "kto": ("kto", "CustomKTOTrainer"),
    "cpt": ("pt", "CustomTrainer"),
}


class Watcher(Protocol):
    """What is told of LLaMA-Factory's steps, in their order."""

    def phase(self, name: str) -> AbstractContextManager[None]: ...

    def template_chosen(self, template: Any, tokenizer: Any) -> None: ...

    def trainer_made(self, trainer: Any) -> None: ...

    def train(self, trainer: Any, train: Callable[[], Any]) -> Any: ...


@dataclass
class Attended:
    """What the steps leave behind."""

    hooks: Hooks
    draft: Path
    chat_template: str | None
    counter: Counter | None = None
    trainer: Any = None
    # Whether the arguments were taken, so that what fails from then on is not their fault.
    has_begun: bool = False
    # Of the tokenizer as it came, before LLaMA-Factory gave it one.
    own_template: str | None = None


def attend(modules: dict[str, Any], method: str, watcher: Watcher, attended: Attended) -> None:
    """Puts ours in the place of the functions and of the trainer that LLaMA-Factory's workflow of a method calls."""
    workflow, loader = modules[STAGES[method]], modules["loader"]
    attended.counter = Counter(
        loader._get_preprocessed_dataset, attended.hooks.ledger, lambda: watcher.phase("tokenize")
    )
    loader._get_preprocessed_dataset = attended.counter
    workflow.load_tokenizer = partial(_load_tokenizer, workflow.load_tokenizer, attended)
    workflow.get_template_and_fix_tokenizer = partial(
        _choose_template, workflow.get_template_and_fix_tokenizer, watcher, attended
    )
    workflow.load_model = partial(_load_model, workflow.load_model, watcher)
    place, name = _TRAINERS[method]
    setattr(modules[place], name, _trainer_class(getattr(modules[place], name), watcher, attended))


def _load_tokenizer(load: Callable[..., Any], attended: Attended, *args: Any, **options: Any) -> Any:
    attended.has_begun = True
    try:
        loaded = load(*args, **options)
    except (ValueError, KeyError) as error:
        raise _load_failure(error) from error
    tokenizer = loaded["tokenizer"]
    if attended.chat_template is not None:
        tokenizer.chat_template = attended.chat_template
    attended.own_template = tokenizer.chat_template
    return loaded


def _choose_template(
    choose: Callable[..., Any], watcher: Watcher, attended: Attended, tokenizer: Any, *rest: Any
) -> Any:
    try:
        template = choose(tokenizer, *rest)
    except Exception as error:
        # Such as one that takes no turn from system, which it tries.
        message = f"LLaMA-Factory cannot make a template of its own out of the model's chat template: {error}."
        hint = "Give a model.chat_template that takes turns from system, user and assistant, or use engine trainer."
        raise RunError("bad_spec", message, EXIT_BAD_SPEC, hint) from error
    # It gives a template to tokenizers without one, which nothing here was learned in.
    tokenizer.chat_template = attended.own_template
    watcher.template_chosen(template, tokenizer)
    return template


def _load_model(load: Callable[..., Any], watcher: Watcher, *args: Any, **options: Any) -> Any:
    with watcher.phase("model"):
        try:
            return load(*args, **options)
        except (ValueError, KeyError, RuntimeError) as error:
            raise _load_failure(error) from error


def _load_failure(error: Exception) -> RunError:
    found = to_run_error(error)
    if found.code != "engine_failed":
        return found
    if found.message.startswith("ValueError: Target modules"):
        return RunError("bad_spec", found.message, EXIT_BAD_SPEC, "Correct lora.target_modules.")
    if "size mismatch" in found.message:
        return RunError("adapter_mismatch", found.message, EXIT_MODEL_LOAD)
    if isinstance(error, RuntimeError):
        return found
    hint = None
    if "trust_remote_code" in found.message:
        hint = "Set model.trust_remote_code if you trust the code that comes with the model."
    return RunError("unsupported_architecture", found.message, EXIT_MODEL_LOAD, hint)


def _trainer_class(base: Any, watcher: Watcher, attended: Attended) -> Any:
    """LLaMA-Factory's trainer, whose checkpoints are whole and whose finished model lies apart from them."""

    class AttendedTrainer(Resumable, base):
        def __init__(self, *args: Any, **options: Any) -> None:
            try:
                super().__init__(*args, **options)
            except Exception as error:
                raise as_bad_spec(error) from error
            attended.trainer = self
            watcher.trainer_made(self)

        def train(self, *args: Any, **options: Any) -> Any:
            result = watcher.train(self, partial(super().train, *args, **options))
            # The last step was evaluated where that was asked for; LLaMA-Factory would do it once more.
            self.args.do_eval = False
            return result

        def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
            super().save_model(output_dir or str(attended.draft), _internal_call)

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            save_whole(self, attended.hooks, partial(super()._save_checkpoint, model, trial))

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            set_decay(self.args, num_training_steps)
            return super().create_scheduler(num_training_steps, optimizer)

    AttendedTrainer.__name__ = base.__name__
    return AttendedTrainer
