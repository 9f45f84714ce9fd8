"""llama.cpp's converters: looked for and tried before any work, and run as programs of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections import deque
from pathlib import Path

from attune_trainer.protocol import EXIT_DISK_FULL, EXIT_ENVIRONMENT, EXIT_MODEL_LOAD, RunError

FOLDER_VARIABLE = "ATTUNE_LLAMA_CPP"
MODEL_SCRIPT = "convert_hf_to_gguf.py"
LORA_SCRIPT = "convert_lora_to_gguf.py"
_TRY_TIMEOUT_S = 300
_KEPT_LINES = 40


def require_converters(scripts: set[str]) -> None:
    """@raises RunError environment, saying what is missing and what to do"""
    if not scripts:
        return
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if folder == "":
        raise _environment(
            f"GGUF is made by llama.cpp's converters, and {FOLDER_VARIABLE} does not say where they are."
        )
    for script in sorted(scripts):
        path = Path(folder) / script
        if not path.is_file():
            raise _environment(f"There is no {script} in {folder}, which {FOLDER_VARIABLE} names.")
        _try(path)
    if MODEL_SCRIPT in scripts and importlib.util.find_spec("sentencepiece") is None:
        raise _environment(f"{MODEL_SCRIPT} needs the Python package sentencepiece, which is not installed.")


def convert(script: str, arguments: list[str]) -> None:
    """Runs a converter, its output going to this process's own. @raises RunError"""
    command = [sys.executable, str(Path(os.environ[FOLDER_VARIABLE]) / script), *arguments]
    last: deque[str] = deque(maxlen=_KEPT_LINES)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stderr.write(line)
                last.append(line.strip())
            status = process.wait()
        finally:
            # It is also left when the run is stopped.
            process.kill()
    if status != 0:
        raise _failure(script, status, list(last))


def _try(path: Path) -> None:
    try:
        tried = subprocess.run(
            [sys.executable, str(path), "--help"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRY_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _environment(f"{path} cannot be run: {error}.") from error
    if tried.returncode != 0:
        last = tried.stderr.strip().splitlines()[-1:] or [f"status {tried.returncode}"]
        raise _environment(f"{path} cannot be run: {last[0][:300]}.")


def _environment(message: str) -> RunError:
    hint = (
        f"Clone llama.cpp on the node, set {FOLDER_VARIABLE} to its folder, and install what its "
        "requirements/requirements-convert_hf_to_gguf.txt names into the trainer's Python environment."
    )
    return RunError("environment", message, EXIT_ENVIRONMENT, hint)


def _failure(script: str, status: int, last: list[str]) -> RunError:
    text = "\n".join(last)
    if "No space left" in text:
        return RunError("disk_full", f"{script} found no space left on the disk.", EXIT_DISK_FULL)
    if "pre-tokenizer was not recognized" in text or "NotImplementedError" in text:
        message = "llama.cpp's converter does not know the tokenizer of this model."
        hint = "Use a model whose tokenizer llama.cpp knows, or a newer llama.cpp."
        return RunError("unsupported_architecture", message, EXIT_MODEL_LOAD, hint)
    if "ModuleNotFoundError" in text:
        return _environment(f"{script}: {_told(last)}.")
    if "is not supported" in text or "not supported" in text:
        message = f"llama.cpp's converter does not take this model: {_told(last)}"
        return RunError("unsupported_architecture", message, EXIT_MODEL_LOAD)
    return RunError("engine_failed", f"{script} ended with status {status}: {_told(last)}", EXIT_MODEL_LOAD)


def _told(last: list[str]) -> str:
    return next((line for line in reversed(last) if line), "it said nothing")[:400]
