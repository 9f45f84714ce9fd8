"""How far the library is with reading weights, from the progress bar that it would draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# Stage, how far it is, of how much.
OnProgress = Callable[[str, int, int], None]


class _Bar:
    """Takes the place of the library's progress bar."""

    def __init__(self, items: Iterable[Any] | None, total: int | None, tell: Callable[[int, int], None]) -> None:
        self._items = items
        self._total = total if total is not None else len(items) if hasattr(items, "__len__") else 0
        self._tell = tell
        self._done = 0

    def __iter__(self) -> Iterator[Any]:
        for item in self._items or ():
            yield item
            self.update(1)

    def update(self, count: int = 1) -> None:
        self._done += count
        self._tell(self._done, max(self._total, self._done))

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_args: object) -> None:
        pass

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_args, **_options: None


@contextmanager
def weights_progress(on_progress: OnProgress) -> Iterator[None]:
    from transformers.utils import logging

    def bar(_factory: Any, args: tuple[Any, ...], options: dict[str, Any]) -> _Bar:
        items = args[0] if args else options.get("iterable")
        return _Bar(items, options.get("total"), lambda done, total: on_progress("weights", done, total))

    previous = logging.set_tqdm_hook(bar)
    try:
        yield
    finally:
        logging.set_tqdm_hook(previous)
