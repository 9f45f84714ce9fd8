"""`attune-export`: a model, with its adapter, in the forms that other programs read, into RUN_FOLDER/output."""

from __future__ import annotations

from attune_trainer.evaluating.run_worker import run_worker
from attune_trainer.exporting.export_run import export


def main() -> None:
    run_worker("attune-export", export)


if __name__ == "__main__":
    main()
