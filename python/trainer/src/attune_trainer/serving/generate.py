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


def encode_prompt(loaded: LoadedModel, messages: list[dict[str, Any]], tools: list[Any] | None = None) -> list[int]:
    """@raises RunError chat_template_missing; BadRequest where the template refuses the messages"""
    from jinja2 import TemplateError

    if not has_chat_template(loaded.tokenizer):
        raise RunError("chat_template_missing", "The tokenizer of this model has no chat template.", EXIT_MODEL_LOAD)
    try:
        encoded = loaded.tokenizer.apply_chat_template(
            messages, tools=tools, add_generation_prompt=True, return_dict=True
        )
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
    watch = AnswerWatch(loaded, generation, on_text, room)
    try:
        with _cancellable_layers(loaded.model, cancelled):
            generate_batch(loaded, [prompt], generation, [watch], cancelled)
    except _Cancelled:
        watch.finish = "cancelled"
    watch.end()
    return Answer(len(prompt), watch.count, watch.finish)


def generate_batch(
    loaded: LoadedModel,
    prompts: list[list[int]],
    generation: Generation,
    watches: list[AnswerWatch],
    cancelled: threading.Event,
) -> None:
    """Answers several prompts at once, each seen by its watch; shorter ones are filled up on the left."""
    device = loaded.model.get_input_embeddings().weight.device
    longest = max(len(prompt) for prompt in prompts)
    # With a token of its own, which no penalty of repetition weighs twice; what is filled up is masked.
    inputs = torch.tensor([prompt[:1] * (longest - len(prompt)) + prompt for prompt in prompts], dtype=torch.long)
    mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts], dtype=torch.long)
    if generation.seed is None:
        torch.seed()
    else:
        torch.manual_seed(generation.seed)
    with torch.inference_mode():
        loaded.model.generate(
            input_ids=inputs.to(device),
            attention_mask=mask.to(device),
            generation_config=generation_settings(generation, max(watch.room for watch in watches)),
            logits_processor=LogitsProcessorList([_RequireNumbers()]),
            stopping_criteria=StoppingCriteriaList([_Watches(watches, cancelled)]),
        )


def generation_settings(generation: Generation, room: int) -> GenerationConfig:
    """Every setting that has an effect is named, or a default of the library would fill it; `AnswerWatch` knows when to end."""
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


class _RequireNumbers(LogitsProcessor):
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


class _Watches(StoppingCriteria):
    """Shows each token to the watch of its row when it is made."""

    def __init__(self, watches: list[AnswerWatch], cancelled: threading.Event) -> None:
        self._watches = watches
        self._cancelled = cancelled

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_options: Any) -> torch.Tensor:
        # On a GPU the library may compute one token more before it looks at what this call says.
        for watch, token in zip(self._watches, input_ids[:, -1].tolist(), strict=True):
            if not watch.is_over:
                watch.take(token, self._cancelled.is_set())
        return torch.tensor([watch.is_over for watch in self._watches], dtype=torch.bool, device=input_ids.device)


class AnswerWatch:
    """One answer while it is made: tells its text, and knows when it ends."""

    def __init__(self, loaded: LoadedModel, generation: Generation, on_text: Callable[[str], None], room: int) -> None:
        self._ends = loaded.end_tokens
        self._text = Detokeniser(loaded.tokenizer)
        self._stops = StopFilter(generation.stop)
        self._on_text = on_text
        self.room = room
        self.is_over = False
        self.count = 0
        self.finish = "length"

    def take(self, token: int, is_cancelled: bool = False) -> None:
        self.count += 1
        if token in self._ends:
            self._finish("stop")
            return
        self._tell(self._stops.add(self._text.add(token)))
        if self._stops.stopped:
            self._finish("stop")
        elif is_cancelled:
            self._finish("cancelled")
        elif self.count >= self.room:
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
        self.is_over, self.finish = True, finish

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
