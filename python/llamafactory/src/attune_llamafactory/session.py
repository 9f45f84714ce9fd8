"""One training by LLaMA-Factory, from its specification to its artifacts."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attune_trainer import models
from attune_trainer.checkpoints import Identity, choose
from attune_trainer.data.load import Loaded
from attune_trainer.errors import as_bad_spec
from attune_trainer.protocol import finite
from attune_trainer.recipes import check_common
from attune_trainer.serving.model_files import read_json_object
from attune_trainer.session import Session, run_training
from attune_trainer.spec import load_spec, spec_hash
from attune_trainer.trainer import Hooks

from .arguments import Arguments, Setting, check_dtype, check_fields, stored_dtype, to_arguments
from .library import import_llamafactory, require_bitsandbytes
from .rows import check_example, write_data
from .template import compare_templates

# The one to be seen beside the data; run_exp is given the same.
ARGUMENTS_FILE = "train.yaml"


class LlamaFactorySession(Session):
    """Reads and checks as the trainer's session does, and has LLaMA-Factory do the rest."""

    def run(self) -> None:
        """@raises RunError, Stopped, and what the libraries raise"""
        self._reporter.start_heartbeat(lambda: self.step)
        spec = load_spec(self._folder, "train")
        check_fields(spec)
        loaded = self._load(spec, check_example)
        models.check_files(spec)
        world_size, rank = int(os.environ.get("WORLD_SIZE", "1")), os.environ.get("RANK", "0")
        identity = Identity(_hash_for_us(spec), loaded.fingerprint, world_size)
        resume = choose(spec["resume"], self._folder / "checkpoints", identity)
        # Of its own for each process: what one writes another must not read half.
        work = self._folder / "llamafactory" / (f"rank-{rank}" if world_size > 1 else "")
        # The library that reads the data keeps copies of all that it reads.
        os.environ["HF_DATASETS_CACHE"] = str(work / "cache")
        try:
            arguments = self._arguments(spec, loaded, work, resume)
            self._check_tokenizer(spec, loaded)
            self._run_experiment(spec, loaded, identity, arguments)
        finally:
            shutil.rmtree(work / "cache", ignore_errors=True)

    def _arguments(self, spec: dict[str, Any], loaded: Loaded, work: Path, resume: Path | None) -> Arguments:
        has_gpu, has_evaluation = models.check_devices(), bool(loaded.eval)
        check_common(spec, has_evaluation, has_gpu)
        if spec["tuning"] == "qlora":
            require_bitsandbytes()
        check_dtype(spec, stored_dtype(read_json_object(Path(spec["model"]["path"]) / "config.json")))
        precision = models.choose_precision(spec, has_gpu)
        setting = Setting(work, self._folder / "checkpoints", resume, has_gpu, has_evaluation, precision)
        arguments = to_arguments(spec, setting)
        sets = {"train": loaded.train} | ({"eval": loaded.eval} if has_evaluation else {})
        write_data(work, spec["method"], sets, spec["training"]["seed"])
        (work / ARGUMENTS_FILE).write_text(_as_yaml(arguments), "utf-8")
        if resume is not None:
            self._reporter.inform(f"Goes on from {resume.name}.")
        return arguments

    def _check_tokenizer(self, spec: dict[str, Any], loaded: Loaded) -> None:
        # LLaMA-Factory takes that of the model, even where an adapter has one of its own.
        tokenizer = models.load_tokenizer({**spec, "adapter_path": None})
        if spec["method"] != "cpt":
            models.require_chat_template(tokenizer)
        self._notice_special_tokens(loaded, tokenizer)

    def _run_experiment(self, spec: dict[str, Any], loaded: Loaded, identity: Identity, arguments: Arguments) -> None:
        # These import PyTorch and all.
        from attune_trainer.callback import RunCallback

        from .attend import Attended, attend

        modules = import_llamafactory()
        hooks = Hooks(identity, spec["training"]["keep_checkpoints"], lambda: self._reporter.phase("tokenize"))
        self._callback = RunCallback(self._reporter.events, self._stop, hooks)
        attended = Attended(hooks, self._folder / "output.draft", spec["model"].get("chat_template"))
        shutil.rmtree(attended.draft, ignore_errors=True)
        attend(modules, spec["method"], _Watcher(self, spec, loaded, attended), attended)
        try:
            modules["tuner"].run_exp(arguments, [self._callback])
        except Exception as error:
            if attended.has_begun:
                raise
            raise as_bad_spec(error) from error
        trainer = attended.trainer
        with self._reporter.phase("save"):
            if trainer.is_world_process_zero():
                self._publish(attended.draft, spec, loaded, trainer.state)
        self._tell_success(trainer.state)

    def phase(self, name: str) -> AbstractContextManager[None]:
        return self._reporter.phase(name)

    def tell_template(self, loaded: Loaded, template: Any, tokenizer: Any) -> None:
        difference: object
        try:
            difference = compare_templates(loaded.train, template, tokenizer)
        except Exception as error:
            difference = f"it could not be compared with what LLaMA-Factory writes: {error}"
        if difference is not None:
            self._reporter.warn(f"chat template: {difference}")

    def tell_data(self, spec: dict[str, Any], loaded: Loaded, attended: Any) -> None:
        self._callback.accelerator = attended.trainer.accelerator
        self._reporter.dataset(loaded.findings, attended.hooks.ledger, _learned_from(spec, loaded))
        left_over = attended.counter.left_over
        if left_over > 0:
            self._reporter.warn(
                f"data, left out: {left_over} tokens at the end of documents that fill no whole piece of max_length"
            )

    def train(self, trainer: Any, train: Callable[[], Any]) -> Any:
        self._stop.defer()
        with self._reporter.phase("train"):
            result = run_training(trainer, self._callback, self._stop, train)
        figures, _ = finite(result.metrics)
        self._reporter.emit("result", metrics=figures)
        return result


@dataclass
class _Watcher:
    """Tells the session of each step, with what belongs to this run."""

    session: LlamaFactorySession
    spec: dict[str, Any]
    loaded: Loaded
    attended: Any

    def phase(self, name: str) -> AbstractContextManager[None]:
        return self.session.phase(name)

    def template_chosen(self, template: Any, tokenizer: Any) -> None:
        self.session.tell_template(self.loaded, template, tokenizer)

    def trainer_made(self, trainer: Any) -> None:
        self.session.tell_data(self.spec, self.loaded, self.attended)

    def train(self, trainer: Any, train: Callable[[], Any]) -> Any:
        return self.session.train(trainer, train)


def _hash_for_us(spec: dict[str, Any]) -> str:
    """Unlike that of the trainer, whose checkpoints hold the states of other parameters in another order."""
    return hashlib.sha256(f"llamafactory {spec_hash(spec)}".encode()).hexdigest()


def _as_yaml(arguments: Arguments) -> str:
    import yaml

    return str(yaml.safe_dump(arguments, sort_keys=False, allow_unicode=True))


def _learned_from(spec: dict[str, Any], loaded: Loaded) -> str | None:
    if spec["method"] != "sft":
        return None
    completion_only = spec["training"].get("completion_only_loss")
    if completion_only is False:
        return "whole"
    answers = (sum(one["role"] == "assistant" for one in example.fields["messages"]) for example in loaded.train)
    return "completion" if completion_only or all(count == 1 for count in answers) else "marked"
