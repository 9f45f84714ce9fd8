"""One answer, token by token, with the model's own cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList

from attune_trainer.protocol import EXIT_MODEL_LOAD, RunError
from attune_trainer.serving.commands import BadRequest, Generation
from attune_trainer.serving.detokeniser import Detokeniser
from attune_trainer.serving.load_model import LoadedModel, has_chat_template
from attune_trainer.serving.stop_filter import StopFilter

# Below it the likeliest token is as good as certain, and dividing by it loses numbers.
_LEAST_TEMPERATURE = 1e-5


class ContextLengthExceeded(Exception):
    pass


class _Cancelled(Exception):
    pass


@dataclass(frozen=True)
class Answer:
    prompt_tokens: int
    # Those that the model made, the one that ends the answer included.
    completion_tokens: int
    finish: str


def encode_prompt(loaded: LoadedModel, messages: list[dict[str, str]]) -> list[int]:
    """@raises RunError chat_template_missing; BadRequest where the template refuses the messages"""
    from jinja2 import TemplateError

    if not has_chat_template(loaded.tokenizer):
        raise RunError("chat_template_missing", "The tokenizer of this model has no chat template.", EXIT_MODEL_LOAD)
    try:
        encoded = loaded.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
    except TemplateError as error:
        raise BadRequest(f"The model's chat template refuses these messages: {error}.") from error
    return list(encoded["input_ids"])


def room_for_answer(loaded: LoadedModel, prompt_tokens: int, asked: int) -> int:
    """
    Tokens that an answer may have: as many as asked for, or as the context leaves.

    @raises ContextLengthExceeded where it leaves none
    """
    if prompt_tokens == 0:
        raise BadRequest("The model's chat template makes no token of these messages.")
    if loaded.context_length is None:
        return asked
    if prompt_tokens >= loaded.context_length:
        raise ContextLengthExceeded(
            f"The messages take {prompt_tokens} tokens, and the model's context has {loaded.context_length}, "
            f"of which an answer of up to {asked} tokens needs at least one."
        )
    return min(asked, loaded.context_length - prompt_tokens)


def generate(
    loaded: LoadedModel,
    prompt: list[int],
    generation: Generation,
    on_text: Callable[[str], None],
    cancelled: threading.Event,
) -> Answer:
    """Tells the text of the answer as it becomes certain. @raises ContextLengthExceeded, RunError"""
    room = room_for_answer(loaded, len(prompt), generation.max_new_tokens)
    watch = _Watch(loaded, generation, on_text, cancelled, room)
    device = loaded.model.get_input_embeddings().weight.device
    inputs = torch.tensor([prompt], dtype=torch.long, device=device)
    if generation.seed is None:
        torch.seed()
    else:
        torch.manual_seed(generation.seed)
    try:
        with torch.inference_mode(), _cancellable_layers(loaded.model, cancelled):
            loaded.model.generate(
                input_ids=inputs,
                attention_mask=torch.ones_like(inputs),
                generation_config=generation_settings(generation, room),
                logits_processor=LogitsProcessorList([RequireNumbers()]),
                stopping_criteria=StoppingCriteriaList([watch]),
            )
    except _Cancelled:
        watch.finish = "cancelled"
    watch.end()
    return Answer(len(prompt), watch.count, watch.finish)


def generation_settings(generation: Generation, room: int) -> GenerationConfig:
    """Every setting that has an effect is named, or a default of the library would fill it; `_Watch` knows when to end."""
    samples = generation.temperature >= _LEAST_TEMPERATURE
    sampling = {"temperature": generation.temperature, "top_p": generation.top_p, "top_k": generation.top_k}
    return GenerationConfig(
        max_new_tokens=room,
        do_sample=samples,
        num_beams=1,
        repetition_penalty=generation.repetition_penalty,
        use_cache=True,
        **(sampling if samples else {}),
    )


class RequireNumbers(LogitsProcessor):
    """A model that computes NaN would answer its first token over and over, as if nothing were wrong."""

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if torch.isnan(scores).any():
            raise RunError(
                "engine_failed",
                "The model computes numbers that are not finite, of which no answer can be made.",
                EXIT_MODEL_LOAD,
                "Load the model with dtype bf16 or fp32, and check that its weights are whole.",
            )
        return scores


class _Watch(StoppingCriteria):
    """Sees each token when it is made: tells its text, and ends the answer."""

    def __init__(
        self,
        loaded: LoadedModel,
        generation: Generation,
        on_text: Callable[[str], None],
        cancelled: threading.Event,
        room: int,
    ) -> None:
        self._ends = loaded.end_tokens
        self._text = Detokeniser(loaded.tokenizer)
        self._stops = StopFilter(generation.stop)
        self._on_text = on_text
        self._cancelled = cancelled
        self._room = room
        self._is_over = False
        self.count = 0
        self.finish = "length"

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_options: Any) -> torch.Tensor:
        # On a GPU the library may compute one token more before it looks at the answer of this call.
        if not self._is_over:
            self._take(int(input_ids[0, -1]))
        return torch.full((input_ids.shape[0],), self._is_over, dtype=torch.bool, device=input_ids.device)

    def _take(self, token: int) -> None:
        self.count += 1
        if token in self._ends:
            self._finish("stop")
            return
        self._tell(self._stops.add(self._text.add(token)))
        if self._stops.stopped:
            self._finish("stop")
        elif self._cancelled.is_set():
            self._finish("cancelled")
        elif self.count >= self._room:
            self._finish("length")

    def end(self) -> None:
        """Tells what was kept back."""
        if self._stops.stopped:
            return
        self._tell(self._stops.add(self._text.end(cut_off=self.finish != "stop")))
        if self._stops.stopped:
            self.finish = "stop"
        else:
            self._tell(self._stops.end())

    def _finish(self, finish: str) -> None:
        self._is_over, self.finish = True, finish

    def _tell(self, text: str) -> None:
        if text != "":
            self._on_text(text)


@contextmanager
def _cancellable_layers(model: Any, cancelled: threading.Event) -> Iterator[None]:
    """Reading a long prompt is one call of the model: it is left between two layers."""

    def leave_if_cancelled(_module: Any, _inputs: Any) -> None:
        if cancelled.is_set():
            raise _Cancelled

    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    layers = max(lists, key=len, default=[])
    hooks = [layer.register_forward_pre_hook(leave_if_cancelled) for layer in layers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
