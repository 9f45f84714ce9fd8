"""Checkpoints that are either complete or known not to be: written under a mark, synchronised to the disk, then unmarked."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .protocol import EXIT_BAD_DATASET, EXIT_BAD_SPEC, RunError

SENTINEL = "checkpoint-is-incomplete.txt"
STAMP = "attune-checkpoint.json"
_NAME = re.compile(r"checkpoint-(\d+)")
_TRASH = ".removed-"
# Whole checkpoints that are not of this run lie in folders of this name beside its own.
_EARLIER = "earlier-"
# What is to be moved there; as long as it exists the moving is not done.
_PLAN = "setting-aside.json"


@dataclass(frozen=True)
class Identity:
    """What a checkpoint must have been made with to be gone on with."""

    spec_hash: str
    data_hash: str
    world_size: int

    def as_json(self) -> dict[str, str | int]:
        return {"spec_hash": self.spec_hash, "data_hash": self.data_hash, "world_size": self.world_size}


def step_of(folder: Path) -> int:
    found = _NAME.fullmatch(folder.name)
    return int(found.group(1)) if found else -1


def begin(folder: Path) -> None:
    """Makes an empty folder that is marked as incomplete; one of that name goes away."""
    remove(folder)
    folder.mkdir(parents=True)
    (folder / SENTINEL).write_text("This checkpoint is being written, or its writing was interrupted.\n")
    _sync(folder / SENTINEL)
    _sync(folder)
    _sync(folder.parent)


def complete(folder: Path, identity: Identity) -> int:
    """Puts everything on the disk and takes the mark away; the bytes of all files."""
    (folder / STAMP).write_text(json.dumps({**identity.as_json(), "step": step_of(folder)}))
    size = sync_tree(folder)
    (folder / SENTINEL).unlink()
    _sync(folder)
    return size


def sync_tree(folder: Path) -> int:
    """Puts every file below a folder on the disk; their bytes."""
    size = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            path = Path(directory, name)
            size += path.stat().st_size
            _sync(path)
        _sync(Path(directory))
    return size


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(folder: Path) -> None:
    """Renames before it removes, so that no half-removed checkpoint is ever taken for a whole one."""
    if not folder.exists():
        return
    trash = folder.with_name(f"{_TRASH}{folder.name}")
    shutil.rmtree(trash, ignore_errors=True)
    folder.rename(trash)
    shutil.rmtree(trash, ignore_errors=True)


def rotate(saved: Path, keep: int, best: str | None, world_size: int) -> None:
    """Keeps the newest `keep` whole checkpoints, of which `saved` is always one, and the best one beside them."""
    found = _all_in(saved.parent)
    whole = [one for one in found if is_whole(one, world_size)]
    kept = sorted(whole, key=lambda one: (one == saved, step_of(one)))[-keep:]
    for one in found:
        if one not in (saved, *kept) and (best is None or one.resolve() != Path(best).resolve()):
            remove(one)


def _all_in(folder: Path) -> list[Path]:
    """Checkpoints of a folder in the order of their steps, whole ones and others."""
    return sorted((one for one in folder.glob("checkpoint-*") if step_of(one) >= 0 and one.is_dir()), key=step_of)


def is_whole(folder: Path, world_size: int) -> bool:
    """Whether it can be gone on with, by as many processes as it says."""
    stamped = _stamp(folder).get("world_size")
    return what_is_missing(folder, stamped if isinstance(stamped, int) else world_size) is None


def newest_whole(folder: Path, world_size: int) -> Path | None:
    return next((one for one in reversed(_all_in(folder)) if is_whole(one, world_size)), None)


def is_within(checkpoint: Path, folder: Path) -> bool:
    """Whether a checkpoint is one of those of this folder, and not one of another run."""
    return checkpoint.parent.resolve() == folder.resolve()


def set_aside(folder: Path, resume: Path | None) -> Path | None:
    """
    Moves what lies in `folder` and is not of the run that begins, or goes on from `resume`: what comes after that checkpoint,
    and all where it lies elsewhere. Torn ones go away. A kill in the middle leaves a plan that `choose` carries out.

    @returns where they are now, None where there were none
    """
    _finish_setting_aside(folder)
    last = step_of(resume) if resume is not None and is_within(resume, folder) else -1
    others = [one for one in _all_in(folder) if step_of(one) > last]
    torn = [one for one in others if (one / SENTINEL).exists() or not any(one.iterdir())]
    for one in torn:
        remove(one)
    names = [one.name for one in others if one not in torn]
    if not names:
        return None
    target = folder / f"{_EARLIER}{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    while target.exists():
        target = target.with_name(f"{target.name}-again")
    draft = folder / f".{_PLAN}"
    draft.write_text(json.dumps({"into": target.name, "names": names}))
    _sync(draft)
    draft.rename(folder / _PLAN)
    _sync(folder)
    _finish_setting_aside(folder)
    return target


def _finish_setting_aside(folder: Path) -> None:
    # Each of several processes does this when it starts; what another one has moved is no longer there.
    try:
        plan = json.loads((folder / _PLAN).read_text())
    except FileNotFoundError:
        return
    target = folder / plan["into"]
    target.mkdir(exist_ok=True)
    for name in plan["names"]:
        with suppress(FileNotFoundError):
            (folder / name).rename(target / name)
    _sync(target)
    _sync(folder)
    (folder / _PLAN).unlink(missing_ok=True)
    _sync(folder)


def what_is_missing(folder: Path, world_size: int) -> str | None:
    """Why a checkpoint cannot be gone on with, or None."""
    if (folder / SENTINEL).exists():
        return "its writing was interrupted"
    for name in ("trainer_state.json", "optimizer.pt", "scheduler.pt", STAMP):
        if not _has_content(folder / name):
            return f"{name} is missing"
    states = ["rng_state.pth"] if world_size == 1 else [f"rng_state_{rank}.pth" for rank in range(world_size)]
    for name in states:
        if not _has_content(folder / name):
            return f"{name} is missing"
    weights = ("adapter_model.safetensors", "model.safetensors", "model.safetensors.index.json")
    if not any(_has_content(folder / name) for name in weights):
        return "its weights are missing"
    return None


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def choose(resume: str, folder: Path, identity: Identity) -> Path | None:
    """
    The checkpoint to go on from: for `auto` the newest complete one of `folder`, if any; for a path the one there.

    @raises RunError checkpoint_mismatch, file_not_found
    """
    _finish_setting_aside(folder)
    for trash in folder.glob(f"{_TRASH}*"):
        shutil.rmtree(trash, ignore_errors=True)
    if resume == "never":
        return None
    if resume != "auto":
        return _named(Path(resume), identity)
    for one in reversed(_all_in(folder)):
        if _stamp(one).get("world_size", identity.world_size) != identity.world_size:
            raise _mismatch(one, "another number of processes")
        if what_is_missing(one, identity.world_size) is None:
            _check(one, identity)
            return one
    return None


def _named(folder: Path, identity: Identity) -> Path:
    if not folder.is_dir():
        raise RunError("file_not_found", f"The checkpoint {folder} is not on this node.", EXIT_BAD_SPEC)
    missing = what_is_missing(folder, identity.world_size)
    stamp = _stamp(folder)
    if stamp.get("world_size", identity.world_size) != identity.world_size:
        raise _mismatch(folder, "another number of processes")
    if missing is not None:
        hint = "Resume from a complete checkpoint, or with resume: auto."
        raise RunError("file_not_found", f"The checkpoint {folder} is not complete: {missing}.", EXIT_BAD_SPEC, hint)
    _check(folder, identity)
    return folder


def _stamp(folder: Path) -> dict[str, object]:
    try:
        stamp = json.loads((folder / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _check(folder: Path, identity: Identity) -> None:
    stamp = _stamp(folder)
    if stamp.get("spec_hash") != identity.spec_hash:
        raise _mismatch(folder, "another specification")
    if stamp.get("data_hash") != identity.data_hash:
        hint = "Give the data that the checkpoint was made with, or begin anew with resume: never."
        raise RunError(
            "checkpoint_mismatch", f"The checkpoint {folder} was made with other data.", EXIT_BAD_DATASET, hint
        )


def _mismatch(folder: Path, what: str) -> RunError:
    return RunError("checkpoint_mismatch", f"The checkpoint {folder} was made with {what}.", EXIT_BAD_SPEC)
