"""`attune-serve`: holds one model in memory and answers chats, by JSON lines on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib.metadata import PackageNotFoundError, version

from attune_trainer.protocol import PROTOCOL
from attune_trainer.serving.event_stream import EventStream, take_over_stdout
from attune_trainer.serving.parent import die_with_parent
from attune_trainer.serving.worker import Worker

_PACKAGES = ("torch", "transformers", "tokenizers", "peft", "accelerate", "safetensors", "bitsandbytes")


def installed_versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def main() -> None:
    die_with_parent()
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.SIG_DFL)
    events = EventStream(take_over_stdout())
    events.emit(
        "hello", pid=os.getpid(), protocol=PROTOCOL, versions={"python": sys.version.split()[0], **installed_versions()}
    )
    worker = Worker(events)
    threading.Thread(target=worker.read_commands, args=(sys.stdin.buffer,), daemon=True).start()
    worker.work()


if __name__ == "__main__":
    main()
