"""What the processes that evaluate and export have in common: a run's folder, its events, how it is stopped and how it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from attune_trainer.failed_threads import end_on_failed_start
from attune_trainer.protocol import EXIT_BAD_SPEC, EXIT_DONE
from attune_trainer.reporter import Reporter
from attune_trainer.stop import Stopped, StopRequest
from attune_trainer.train import QUIET

Work = Callable[[Path, Reporter], None]


def run_worker(program: str, work: Work) -> None:
    """Never returns: the exit status says how it ended."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(f"usage: {program} RUN_FOLDER", file=sys.stderr)
        sys.exit(EXIT_BAD_SPEC)
    code = run(Path(sys.argv[1]).resolve(), work)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(folder: Path, work: Work) -> int:
    """Does the work of the run in `folder`, and gives the status to exit with. A stop interrupts it wherever it is."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if not folder.is_dir():
        print(f"There is no folder {folder}.", file=sys.stderr)
        return EXIT_BAD_SPEC
    events = Path(os.environ.get("ATTUNE_EVENTS") or folder / "events.ndjson")
    is_resumed = events.exists() and events.stat().st_size > 0
    reporter = Reporter(str(events), 0, 1)
    end_on_failed_start(reporter.tell)
    try:
        control = os.environ.get("ATTUNE_CONTROL") or folder / "control.ndjson"
        StopRequest(is_alone=True).listen(control, is_resumed=is_resumed)
        reporter.hello()
        reporter.start_heartbeat(lambda: None)
        work(folder, reporter)
        reporter.emit("done", status="succeeded", seconds=round(reporter.seconds, 3))
        return EXIT_DONE
    except Stopped:
        reporter.emit("done", status="cancelled", seconds=round(reporter.seconds, 3))
        return EXIT_DONE
    except BaseException as error:
        return reporter.tell(error)
