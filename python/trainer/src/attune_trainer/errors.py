"""Exceptions of the libraries, as causes of runCauses with the exit code that goes with each."""

from __future__ import annotations

import errno
import re
import resource
import traceback
from pathlib import Path

from .protocol import (
    EXIT_BAD_DATASET,
    EXIT_BAD_SPEC,
    EXIT_DISK_FULL,
    EXIT_ENVIRONMENT,
    EXIT_MODEL_LOAD,
    EXIT_OUT_OF_MEMORY,
    RunError,
)

EXIT_ENGINE_FAILED = 1

_GPU_MEMORY = re.compile(r"CUDA out of memory|CUDA error: out of memory|CUBLAS_STATUS_ALLOC_FAILED|HIP out of memory")
_HOST_MEMORY = re.compile(
    r"can't allocate memory|Cannot allocate memory|not enough memory|DefaultCPUAllocator|std::bad_alloc"
    r"|can't start new thread|malloc of size \d+ failed|os error 12\b|failed to map segment"
)
_DISK_FULL = re.compile(
    r"No space left on device|Disk quota exceeded|os error (27|28|122)\b|PytorchStreamWriter failed writing"
)
_GPU_GONE = re.compile(
    r"CUDA error|CUDA driver|no kernel image|NVIDIA driver|No CUDA GPUs|cuDNN error|CUBLAS_STATUS|HIP error"
)
_LOST_PEERS = re.compile(r"NCCL|Gloo|gloo|ProcessGroup|Connection closed by peer|collective operation|Watchdog caught")
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def to_run_error(error: BaseException) -> RunError:
    """The cause of any failure; `engine_failed` where none is known."""
    if isinstance(error, RunError):
        return error
    # A library that cannot import for want of memory says that a module is missing; what it met first tells the truth.
    for met in _chain(error):
        want = _want(met)
        if want is not None:
            return RunError(want[0], _message(met), want[1])
    code, exit_code = _cause(error)
    # Where memory is short, CPython itself can lose the MemoryError and say "error return without exception set".
    if isinstance(error, SystemError) and _is_at_memory_limit():
        message = f"{_message(error)} (the memory limit was reached)"
        return RunError("host_out_of_memory", message, EXIT_OUT_OF_MEMORY)
    return RunError(code, _message(error), exit_code)


# glibc takes memory for threads in pieces of this size, so that as much may be left when there was too little.
_ARENA_BYTES = 64 << 20


def _is_at_memory_limit() -> bool:
    """Whether the process has had nearly all the address space that it may have."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return False
    try:
        peak = re.search(r"^VmPeak:\s+(\d+) kB$", Path("/proc/self/status").read_text("utf-8"), re.MULTILINE)
    except OSError:
        return False
    return peak is not None and int(peak[1]) * 1024 > limit - _ARENA_BYTES


def _chain(error: BaseException) -> list[BaseException]:
    """An exception and those that it came from, the last one first."""
    chain: list[BaseException] = []
    met: BaseException | None = error
    while met is not None and met not in chain:
        chain.append(met)
        met = met.__cause__ if met.__suppress_context__ else met.__cause__ or met.__context__
    return chain


def _want(error: BaseException) -> tuple[str, int] | None:
    """Want of room or memory, whatever the library makes of it."""
    text = str(error)
    if _is_full_disk(error, text):
        return "disk_full", EXIT_DISK_FULL
    if type(error).__name__ == "OutOfMemoryError" or _GPU_MEMORY.search(text):
        return "out_of_memory", EXIT_OUT_OF_MEMORY
    if isinstance(error, MemoryError) or _HOST_MEMORY.search(text) or _has_errno(error, errno.ENOMEM):
        return "host_out_of_memory", EXIT_OUT_OF_MEMORY
    return None


def _cause(error: BaseException) -> tuple[str, int]:
    text, name = str(error), type(error).__name__
    if name in ("DistBackendError", "DistStoreError", "DistNetworkError") or _is_lost_peer(error, text):
        return "distributed_timeout", EXIT_ENGINE_FAILED
    if name == "AcceleratorError" or _GPU_GONE.search(text):
        return "gpu_unavailable", EXIT_ENVIRONMENT
    if name == "SafetensorError":
        return "model_corrupt", EXIT_MODEL_LOAD
    if isinstance(error, ImportError):
        return "environment", EXIT_ENVIRONMENT
    if _is_template_error(error):
        return "bad_dataset", EXIT_BAD_DATASET
    if isinstance(error, FileNotFoundError):
        return "file_not_found", EXIT_MODEL_LOAD
    return "engine_failed", EXIT_ENGINE_FAILED


def _is_full_disk(error: BaseException, text: str) -> bool:
    return any(_has_errno(error, number) for number in _DISK_ERRORS) or _DISK_FULL.search(text) is not None


def _has_errno(error: BaseException, number: int) -> bool:
    return isinstance(error, OSError) and error.errno == number


def _is_lost_peer(error: BaseException, text: str) -> bool:
    return isinstance(error, RuntimeError) and _LOST_PEERS.search(text) is not None


def _is_template_error(error: BaseException) -> bool:
    return any(one.__module__.startswith("jinja2") for one in type(error).__mro__)


def as_bad_spec(error: Exception) -> RunError:
    """What the libraries say against the arguments of a run."""
    if type(error) not in (ValueError, TypeError, NotImplementedError, KeyError):
        return to_run_error(error)
    found = to_run_error(error)
    return RunError("bad_spec", found.message, EXIT_BAD_SPEC) if found.code == "engine_failed" else found


def _message(error: BaseException) -> str:
    text = " ".join(str(error).split())[:1000] or "no further word"
    return f"{type(error).__name__}: {text}"


def traceback_tail(error: BaseException, characters: int = 4000) -> str:
    return "".join(traceback.format_exception(error))[-characters:]
