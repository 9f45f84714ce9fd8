"""`python -m attune_trainer.train RUN_FOLDER`: trains what RUN_FOLDER/spec.json says, and tells of it in events."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .failed_threads import end_on_failed_start
from .protocol import EXIT_BAD_SPEC, EXIT_DONE
from .reporter import LIBRARIES, Reporter
from .stop import Stopped, StopRequest

# Nothing is fetched and nobody is told: the node prepared all that a run needs.
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "DO_NOT_TRACK": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "WANDB_MODE": "disabled",
    "TOKENIZERS_PARALLELISM": "false",
}


class Training(Protocol):
    """One training from its specification to its artifacts."""

    @property
    def step(self) -> int | None: ...

    def run(self) -> None: ...


@dataclass(frozen=True)
class Engine:
    """What trains: `load` imports it, `libraries` are those whose versions are told."""

    program: str
    libraries: tuple[str, ...]
    load: Callable[[], Callable[[Path, Reporter, StopRequest], Training]]


def _load_session() -> Callable[[Path, Reporter, StopRequest], Training]:
    from .session import Session

    return Session


TRAINER = Engine("attune-train", LIBRARIES, _load_session)


def main(engine: Engine = TRAINER) -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(f"usage: {engine.program} RUN_FOLDER", file=sys.stderr)
        sys.exit(EXIT_BAD_SPEC)
    # Threads of libraries may still wait for something; all that counts is written.
    code = run(Path(sys.argv[1]).resolve(), engine)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(folder: Path, engine: Engine = TRAINER) -> int:
    """Trains, and gives the status to exit with."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if not folder.is_dir():
        print(f"There is no folder {folder}.", file=sys.stderr)
        return EXIT_BAD_SPEC
    rank, world_size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    events = Path(os.environ.get("ATTUNE_EVENTS") or folder / "events.ndjson")
    is_resumed = events.exists() and events.stat().st_size > 0
    reporter = Reporter(str(events), rank, world_size, engine.libraries)
    stop = StopRequest(is_alone=world_size == 1)
    session = None
    end_on_failed_start(reporter.tell)
    try:
        control = os.environ.get("ATTUNE_CONTROL") or folder / "control.ndjson"
        stop.listen(control if rank == 0 else None, is_resumed=is_resumed)
        reporter.hello()
        session = engine.load()(folder, reporter, stop)
        session.run()
        return EXIT_DONE
    except Stopped:
        step = session.step if session is not None else None
        reporter.emit("done", status="cancelled", step=step, seconds=round(reporter.seconds, 3))
        return EXIT_DONE
    except BaseException as error:
        return reporter.tell(error)


if __name__ == "__main__":
    main()
