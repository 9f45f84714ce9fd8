"""A Modelfile: where the weights are, how turns are written, and what ends an answer."""

from __future__ import annotations

from typing import Any

from attune_trainer.exporting.turns import Turns, take_apart


def modelfile(weights: str, tokenizer: Any, ends: list[str]) -> str:
    """`weights` as seen from the folder of the Modelfile; `ends` are the tokens that end an answer."""
    turns = take_apart(tokenizer)
    template = _template(turns, tokenizer) if turns is not None else None
    lines = [f"FROM {weights}"]
    if template is None:
        lines += [
            "# The chat template of this model does more than Ollama's templates can be derived from.",
            "# Ollama takes the one that it finds in the GGUF file; compare its prompts with chat_template.jinja.",
        ]
    else:
        lines.append(f'TEMPLATE """{template}"""')
    if turns is not None and template is not None and turns.default_system is not None:
        lines.append(f'SYSTEM """{turns.default_system}"""')
    lines += [f'PARAMETER stop "{_quoted(end)}"' for end in ends]
    return "\n".join(lines) + "\n"


def _template(turns: Turns, tokenizer: Any) -> str | None:
    """In Go's template language; None where a text could not stand in it."""
    around = [part for pair in turns.around.values() for part in pair]
    pieces = [turns.beginning, turns.prompt, turns.default_system or "", *around]
    if any("{{" in piece or "}}" in piece or '"""' in piece for piece in pieces):
        return None
    # The engine puts the token that begins a text there by itself.
    bos = tokenizer.bos_token or ""
    beginning = turns.beginning.removeprefix(bos) if bos else turns.beginning
    said = {role: f"{before}{{{{ .Content }}}}{after}" for role, (before, after) in turns.around.items()}
    return (
        f"{beginning}{{{{ range .Messages }}}}"
        f'{{{{ if eq .Role "system" }}}}{said["system"]}'
        f'{{{{ else if eq .Role "user" }}}}{said["user"]}'
        f'{{{{ else if eq .Role "assistant" }}}}{said["assistant"]}{{{{ end }}}}'
        f"{{{{ end }}}}{turns.prompt}"
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
