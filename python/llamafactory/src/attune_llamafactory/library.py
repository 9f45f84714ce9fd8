"""Imports LLaMA-Factory, without the packages that training on text does not need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, util
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from attune_trainer.protocol import EXIT_ENVIRONMENT, RunError

# Read sound, and imported whether or not there is any.
_NOT_NEEDED = ("torchaudio",)
_MODULES = {
    "tuner": "train.tuner",
    "loader": "data.loader",
    "sft": "train.sft.workflow",
    "dpo": "train.dpo.workflow",
    "dpo_trainer": "train.dpo.trainer",
    "kto": "train.kto.workflow",
    "pt": "train.pt.workflow",
}
# What the engine steps in at; another version of LLaMA-Factory may have it elsewhere.
_NEEDED = {
    "tuner": ("run_exp",),
    "loader": ("_get_preprocessed_dataset",),
    "sft": ("CustomSeq2SeqTrainer", "load_model", "load_tokenizer", "get_template_and_fix_tokenizer"),
    "dpo": ("load_model", "load_tokenizer", "get_template_and_fix_tokenizer"),
    "dpo_trainer": ("CustomDPOTrainer",),
    "kto": ("CustomKTOTrainer", "load_model", "load_tokenizer", "get_template_and_fix_tokenizer"),
    "pt": ("CustomTrainer", "load_model", "load_tokenizer", "get_template_and_fix_tokenizer"),
}


def import_llamafactory() -> dict[str, Any]:
    """The modules of LLaMA-Factory that this engine uses, by short names. @raises RunError environment"""
    # What it has looked for once it takes as missing from then on, whatever stands in for it meanwhile.
    from transformers.utils import is_torchaudio_available

    is_torchaudio_available()
    try:
        with _stand_ins():
            modules = {name: import_module(f"llamafactory.{path}") for name, path in _MODULES.items()}
    except ImportError as error:
        raise _environment(f"LLaMA-Factory cannot be imported: {error}.") from error
    for name, needed in _NEEDED.items():
        for attribute in needed:
            if not hasattr(modules[name], attribute):
                raise _environment(f"This version of LLaMA-Factory has no {_MODULES[name]}.{attribute}.")
    return modules


def require_bitsandbytes() -> None:
    """@raises RunError environment"""
    if util.find_spec("bitsandbytes") is None:
        hint = "Install bitsandbytes into the Python environment of LLaMA-Factory, or use tuning: lora."
        raise RunError("environment", "QLoRA needs bitsandbytes, which is not installed.", EXIT_ENVIRONMENT, hint)


def _environment(message: str) -> RunError:
    hint = "Run npm run setup:python-llamafactory on the node."
    return RunError("environment", message, EXIT_ENVIRONMENT, hint)


@contextmanager
def _stand_ins() -> Iterator[None]:
    missing = [name for name in _NOT_NEEDED if name not in sys.modules and util.find_spec(name) is None]
    for name in missing:
        stand_in = ModuleType(name)
        stand_in.__spec__ = ModuleSpec(name, None)
        sys.modules[name] = stand_in
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]
