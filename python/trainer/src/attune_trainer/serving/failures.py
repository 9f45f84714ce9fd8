"""What went wrong, as a code of runCauses, a sentence of this case and what to do; the hints are those for inference."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

from attune_trainer.protocol import RunError

_HINTS = {
    "bad_spec": "Correct what the message names.",
    "bad_request": "Correct what the message names, and send the request again.",
    "busy": "Send the request again when others are answered.",
    "context_length_exceeded": "Leave out earlier messages or shorten them, or load the model with a longer context.",
    "file_not_found": "Prepare the model on this node again.",
    "model_corrupt": "Remove the model from the node's cache and prepare it again.",
    "unsupported_architecture": "Use a model whose architecture the installed transformers supports.",
    "adapter_mismatch": "Choose the base model that the adapter was trained on.",
    "chat_template_missing": "Choose an instruction-tuned model, or one that was trained with a chat template.",
    "out_of_memory": "Load the model quantised or on more GPUs, or ask for shorter answers to shorter messages.",
    "host_out_of_memory": "Use a smaller model, or free memory on the node.",
    "gpu_unavailable": "Look at the node's GPUs and driver, then load the model again.",
    "environment": "Run npm run setup:python on the node, and look at the engine's reason in its health.",
    "engine_failed": "Read the last lines of the engine's log.",
}
_GPU_GONE = re.compile(r"CUDA error|CUDA driver|no kernel image|NVML|cuDNN error|HIP error|CUBLAS_STATUS", re.IGNORECASE)
_CPU_FULL = re.compile(r"can't allocate memory|not enough memory|DefaultCPUAllocator", re.IGNORECASE)


@dataclass(frozen=True)
class Failure:
    code: str
    message: str
    hint: str


def hint_of(code: str) -> str:
    return _HINTS.get(code, _HINTS["engine_failed"])


def to_failure(error: BaseException) -> Failure:
    if isinstance(error, RunError):
        return Failure(error.code, error.message, error.hint or hint_of(error.code))
    code = _code_of(error)
    return Failure(code, _message_of(error), hint_of(code))


def _code_of(error: BaseException) -> str:
    name, text = type(error).__name__, str(error)
    if isinstance(error, MemoryError) or _CPU_FULL.search(text):
        return "host_out_of_memory"
    if name in ("OutOfMemoryError", "TorchOutOfMemoryError") or "out of memory" in text:
        return "out_of_memory"
    if name == "AcceleratorError" or _GPU_GONE.search(text):
        return "gpu_unavailable"
    if name == "SafetensorError" or "safetensors" in text.lower() and "header" in text.lower():
        return "model_corrupt"
    if isinstance(error, ImportError):
        return "environment"
    if isinstance(error, FileNotFoundError):
        return "file_not_found"
    return "engine_failed"


def _message_of(error: BaseException) -> str:
    text = " ".join(str(error).split())[:1000] or "no further word"
    place = traceback.extract_tb(error.__traceback__)[-1:] if error.__traceback__ else []
    where = f" (at {place[0].name} in {place[0].filename.rsplit('/', 1)[-1]})" if place else ""
    return f"{type(error).__name__}: {text}{where}"
