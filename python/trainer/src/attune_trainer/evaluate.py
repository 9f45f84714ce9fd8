"""`attune-eval`: answers every record of a data set, into RUN_FOLDER/output/predictions.jsonl."""

from __future__ import annotations

from attune_trainer.evaluating.evaluation import evaluate
from attune_trainer.evaluating.run_worker import run_worker


def main() -> None:
    run_worker("attune-eval", evaluate)


if __name__ == "__main__":
    main()
