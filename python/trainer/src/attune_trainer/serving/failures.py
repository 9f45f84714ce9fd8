"""What went wrong, as a code of runCauses, a sentence of this case and what to do; the hints are those for inference."""

from __future__ import annotations

from dataclasses import dataclass

from attune_trainer.errors import to_run_error

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


@dataclass(frozen=True)
class Failure:
    code: str
    message: str
    hint: str


def hint_of(code: str) -> str:
    return _HINTS.get(code, _HINTS["engine_failed"])


def to_failure(error: BaseException) -> Failure:
    failure = to_run_error(error)
    hint = failure.hint if failure.hint is not None else hint_of(failure.code)
    return Failure(failure.code, failure.message, hint)
