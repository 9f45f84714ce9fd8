"""`python -m attune_llamafactory.train RUN_FOLDER`: LLaMA-Factory trains what RUN_FOLDER/spec.json says; events tell of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attune_trainer.train import Engine
from attune_trainer.train import main as run_engine

LIBRARIES = ("llamafactory", "torch", "transformers", "trl", "peft", "accelerate", "datasets")


def _load_session() -> Callable[..., Any]:
    from .session import LlamaFactorySession

    return LlamaFactorySession


ENGINE = Engine("attune-train-llamafactory", LIBRARIES, _load_session)


def main() -> None:
    run_engine(ENGINE)


if __name__ == "__main__":
    main()
