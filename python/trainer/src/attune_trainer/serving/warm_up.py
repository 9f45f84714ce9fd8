"""One token before the first request, so that what cannot work fails while loading."""

from __future__ import annotations

import threading

from attune_trainer.serving.commands import Generation
from attune_trainer.serving.generate import generate
from attune_trainer.serving.load_model import LoadedModel


def warm_up(loaded: LoadedModel) -> None:
    token = min(loaded.end_tokens, default=0)
    generate(loaded, [token], Generation(max_new_tokens=1), lambda _text: None, threading.Event())
