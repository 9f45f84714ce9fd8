"""The inference worker: one thread reads commands, the other one loads and answers, one request at a time."""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from attune_trainer.protocol import EXIT_DONE, EXIT_ENVIRONMENT
from attune_trainer.serving.commands import (
    MAX_LINE_BYTES,
    BadRequest,
    Cancel,
    Chat,
    Command,
    Load,
    Ping,
    Unload,
    parse_command,
)
from attune_trainer.serving.event_stream import EventStream
from attune_trainer.serving.failures import Failure, hint_of, to_failure

# Chats that may wait while one is answered; more are told `busy`.
MAX_WAITING = 8
_PROGRESS_EVERY_S = 0.25
# With escapes, a delta stays below the 32 KiB of an event.
_DELTA_CHARACTERS = 2000


@dataclass
class _Job:
    command: Load | Chat
    cancelled: threading.Event = field(default_factory=threading.Event)


class Worker:
    def __init__(self, events: EventStream) -> None:
        self._events = events
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._chats: dict[str, _Job] = {}
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._is_load_asked = False

    def read_commands(self, commands: BinaryIO) -> None:
        """Runs in a thread of its own, so that a cancel is heard while an answer is made. Its end ends the process."""
        try:
            while line := commands.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n") and len(line) >= MAX_LINE_BYTES:
                    self._skip_line(commands)
                    self._fail_request(None, "bad_request", f"A command is longer than {MAX_LINE_BYTES} bytes.")
                elif line.strip():
                    self._take(line)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(EXIT_DONE)

    def work(self) -> None:
        """Never returns: the end of the commands, or a signal, ends the process."""
        while True:
            job = self._jobs.get()
            if isinstance(job.command, Load):
                self._load(job.command)
            else:
                self._answer(job, job.command)

    def _skip_line(self, commands: BinaryIO) -> None:
        while (rest := commands.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
            pass

    def _take(self, line: bytes) -> None:
        try:
            self._dispatch(parse_command(line))
        except BadRequest as error:
            self._fail_request(error.request_id, "bad_request", error.message)

    def _dispatch(self, command: Command) -> None:
        match command:
            case Ping(id=id):
                self._events.emit("pong", id=id)
            case Unload():
                self._events.end_process(EXIT_DONE)
            case Cancel(request_id=request_id):
                self._cancel(request_id)
            case Load():
                if self._is_load_asked:
                    raise BadRequest("This worker has a model; another one is loaded by another worker.")
                self._is_load_asked = True
                self._jobs.put(_Job(command))
            case Chat():
                self._enqueue(command)

    def _enqueue(self, chat: Chat) -> None:
        with self._lock:
            if chat.request_id in self._chats:
                # Without its id: the chat that has it already goes on.
                raise BadRequest(f"There is a chat with the id {chat.request_id} already.")
            is_full = len(self._chats) > MAX_WAITING
            if not is_full:
                job = self._chats[chat.request_id] = _Job(chat)
                self._jobs.put(job)
        if is_full:
            self._fail_request(chat.request_id, "busy", f"One chat is answered and {MAX_WAITING} wait already.")

    def _cancel(self, request_id: str) -> None:
        # One that is not known has just been answered.
        with self._lock:
            job = self._chats.get(request_id)
        if job is not None:
            job.cancelled.set()

    def _load(self, request: Load) -> None:
        try:
            self._loaded = self._load_model(request)
        except BaseException as error:
            traceback.print_exc()
            self._is_load_asked = False
            self._fail(None, to_failure(error))
            del error
            _free_memory()
            return
        loaded = self._loaded
        self._events.emit(
            "ready",
            context_length=loaded.context_length,
            memory_bytes=loaded.memory_bytes,
            concurrency=1,
            model_type=loaded.model_type,
            device=loaded.device,
        )

    def _load_model(self, request: Load) -> Any:
        # Here and not above: it imports torch, which takes seconds, and most of what can be wrong is seen without it.
        from attune_trainer.serving.load_model import check_files, load_model

        tell = _Progress(self._events)
        check_files(request)
        loaded = load_model(request, tell.tell)
        from attune_trainer.serving.warm_up import warm_up

        tell.tell("warmup", 0, 1)
        warm_up(loaded)
        tell.tell("warmup", 1, 1)
        return loaded

    def _answer(self, job: _Job, chat: Chat) -> None:
        try:
            if job.cancelled.is_set():
                self._events.emit("finished", request_id=chat.request_id, finish="cancelled")
            elif self._loaded is None:
                raise BadRequest("No model is loaded.")
            else:
                self._generate(job, chat)
        except BadRequest as error:
            self._forget(chat)
            self._fail_request(chat.request_id, "bad_request", error.message)
        except Exception as error:
            self._forget(chat)
            self._fail_chat(chat, error)
        finally:
            self._forget(chat)

    def _generate(self, job: _Job, chat: Chat) -> None:
        from attune_trainer.serving.generate import encode_prompt, generate

        index = 0

        def tell(text: str) -> None:
            nonlocal index
            for start in range(0, len(text), _DELTA_CHARACTERS):
                piece = text[start : start + _DELTA_CHARACTERS]
                self._events.emit("delta", request_id=chat.request_id, i=index, text=piece)
                index += 1

        prompt = encode_prompt(self._loaded, chat.messages)
        answer = generate(self._loaded, prompt, chat.generation, tell, job.cancelled)
        # Before the last event: who has seen it may use the id again.
        self._forget(chat)
        counts = {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
        self._events.emit("usage", request_id=chat.request_id, **counts)
        self._events.emit("finished", request_id=chat.request_id, finish=answer.finish)

    def _fail_chat(self, chat: Chat, error: Exception) -> None:
        from attune_trainer.serving.generate import ContextLengthExceeded

        if isinstance(error, ContextLengthExceeded):
            self._fail_request(chat.request_id, "context_length_exceeded", str(error))
            return
        traceback.print_exc()
        failure = to_failure(error)
        self._fail(chat.request_id, failure)
        if failure.code == "gpu_unavailable":
            # After an error of the GPU nothing that this process asks of it succeeds.
            self._events.end_process(EXIT_ENVIRONMENT)
        # The frames of the failed call hold tensors.
        error.__traceback__ = None
        _free_memory()

    def _forget(self, chat: Chat) -> None:
        with self._lock:
            self._chats.pop(chat.request_id, None)

    def _fail_request(self, request_id: str | None, code: str, message: str) -> None:
        self._fail(request_id, Failure(code, message, hint_of(code)))

    def _fail(self, request_id: str | None, failure: Failure) -> None:
        self._events.emit("error", request_id=request_id, code=failure.code, message=failure.message, hint=failure.hint)


class _Progress:
    """At most four events a second of one stage, and always its first and its last one."""

    def __init__(self, events: EventStream) -> None:
        self._events = events
        self._stage = ""
        self._told_at = 0.0

    def tell(self, stage: str, current: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._stage and current < total and now - self._told_at < _PROGRESS_EVERY_S:
            return
        self._stage, self._told_at = stage, now
        self._events.emit("progress", stage=stage, current=current, total=total)


def _free_memory() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
