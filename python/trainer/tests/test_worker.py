"""The inference worker in one process: what it does when something in it fails."""

import json
import os
import threading
import unittest
from typing import Any
from unittest import mock

from attune_trainer.protocol import RunError
from attune_trainer.serving.commands import Chat, Generation, Load, parse_command
from attune_trainer.serving.event_stream import EventStream
from attune_trainer.serving.failures import to_failure
from attune_trainer.serving.load_model import LoadedModel, load_model
from attune_trainer.serving.worker import Worker

from . import run_kit


class Pipe:
    """The events that a worker tells."""

    def __init__(self, test: unittest.TestCase) -> None:
        read, write = os.pipe()
        self.stream = EventStream(write)
        self._file = os.fdopen(read, "rb")
        test.addCleanup(self._file.close)
        test.addCleanup(os.close, write)

    def next(self) -> dict[str, Any]:
        return json.loads(self._file.readline())


class WorkerTest(unittest.TestCase):
    loaded: LoadedModel

    @classmethod
    def setUpClass(cls) -> None:
        cls.loaded = load_model(Load(run_kit.tiny_model()), lambda *_: None)

    def answer(self, failure: BaseException | None) -> list[dict[str, Any]]:
        """What the worker tells of a chat in which generation fails so."""
        pipe = Pipe(self)
        worker = Worker(pipe.stream)
        worker._loaded = self.loaded
        chat = parse_command(
            b'{"cmd":"chat","request_id":"a","messages":[{"role":"user","content":"Hi"}],"generation":{"max_new_tokens":2}}'
        )
        worker._dispatch(chat)
        target = "attune_trainer.serving.generate.generate"
        if failure is None:
            worker._answer(worker._jobs.get(), chat)
        else:
            with mock.patch(target, side_effect=failure), mock.patch("traceback.print_exc"):
                worker._answer(worker._jobs.get(), chat)
        self.assertEqual(worker._chats, {})
        events = [pipe.next()]
        while events[-1]["type"] not in ("finished", "error"):
            events.append(pipe.next())
        return events

    def test_a_failure_is_told_with_its_cause_and_the_next_chat_is_answered(self) -> None:
        class OutOfMemoryError(RuntimeError):
            pass

        for failure, code in (
            (OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory"),
            (MemoryError(), "host_out_of_memory"),
            (
                RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: can't allocate memory"),
                "host_out_of_memory",
            ),
            (RunError("engine_failed", "NaN", 4), "engine_failed"),
            (ZeroDivisionError("division by zero"), "engine_failed"),
        ):
            with self.subTest(failure=failure):
                event = self.answer(failure)[-1]
                self.assertEqual((event["type"], event["request_id"], event["code"]), ("error", "a", code))
                self.assertTrue(event["hint"].endswith("."))
        self.assertEqual(self.answer(None)[-1]["type"], "finished")

    def test_after_an_error_of_the_gpu_the_process_ends(self) -> None:
        with mock.patch.object(EventStream, "end_process") as ended:
            event = self.answer(RuntimeError("CUDA error: device-side assert triggered"))[-1]
        self.assertEqual(event["code"], "gpu_unavailable")
        ended.assert_called_once_with(7)

    def test_a_cancel_leaves_the_reading_of_a_prompt_between_two_layers(self) -> None:
        from attune_trainer.serving.generate import generate

        cancelled, layers = threading.Event(), []
        first = self.loaded.model.model.layers[0]
        handle = first.register_forward_hook(lambda *_: (layers.append(1), cancelled.set()))
        try:
            told: list[str] = []
            answer = generate(self.loaded, [5, 6, 7], Generation(max_new_tokens=50), told.append, cancelled)
        finally:
            handle.remove()
        self.assertEqual((answer.finish, answer.completion_tokens, told, len(layers)), ("cancelled", 0, [], 1))

    def test_gpus_that_were_given_and_cannot_be_used_are_no_reason_for_the_cpu(self) -> None:
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "0"}), self.assertRaises(RunError) as caught:
            load_model(Load(run_kit.tiny_model()), lambda *_: None)
        self.assertIn(caught.exception.code, ("gpu_unavailable", "environment"))

    def test_a_chat_that_waits_is_cancelled_without_being_answered(self) -> None:
        pipe = Pipe(self)
        worker = Worker(pipe.stream)
        chat = Chat("a", [{"role": "user", "content": "Hi"}], Generation())
        worker._dispatch(chat)
        worker._cancel("a")
        worker._answer(worker._jobs.get(), chat)
        self.assertEqual(pipe.next()["finish"], "cancelled")

    def test_failures_of_loading_have_their_causes(self) -> None:
        self.assertEqual(to_failure(ImportError("No module named x")).code, "environment")
        self.assertEqual(to_failure(FileNotFoundError(2, "gone")).code, "file_not_found")
        self.assertEqual(to_failure(RuntimeError("CUDA driver version is insufficient")).code, "gpu_unavailable")


if __name__ == "__main__":
    unittest.main()
