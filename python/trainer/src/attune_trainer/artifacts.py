"""What a run leaves in its output folder: put there whole, then listed file by file with size and checksum."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .checkpoints import sync_tree

_TOKENIZER = ("tokenizer", "special_tokens", "added_tokens", "chat_template", "vocab", "merges", "spiece")
# What the libraries write beside a model and nobody who uses it needs; the model card names folders of this node.
_LEFT_OUT = ("training_args.bin", "README.md", "optimizer.pt", "scheduler.pt")


@dataclass(frozen=True)
class Artifact:
    path: str
    size_bytes: int
    checksum_sha256: str
    role: str


def publish(draft: Path, output: Path) -> None:
    """Puts a finished folder in the place of the output folder."""
    for name in _LEFT_OUT:
        (draft / name).unlink(missing_ok=True)
    sync_tree(draft)
    if output.exists():
        shutil.rmtree(output)
    draft.rename(output)


def list_artifacts(output: Path, run_folder: Path) -> Iterator[Artifact]:
    """Every file below `output`, its path relative to the run's folder."""
    for path in sorted(one for one in output.rglob("*") if one.is_file()):
        digest = hashlib.sha256()
        size = 0
        with path.open("rb") as file:
            while block := file.read(1024 * 1024):
                digest.update(block)
                size += len(block)
        yield Artifact(path.relative_to(run_folder).as_posix(), size, digest.hexdigest(), _role(path.name))


def _role(name: str) -> str:
    if name.startswith("adapter_"):
        return "adapter"
    if name.startswith(_TOKENIZER):
        return "tokenizer"
    return "log" if name == "training_run.json" else "model"
