"""A run's specification: checked against the schema that is generated from the contract, with its defaults filled in."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

from .protocol import EXIT_BAD_SPEC, EXIT_ENVIRONMENT, RunError

_SCHEMAS = {"train": "TrainSpec", "eval": "EvalSpec", "export": "ExportSpec"}


def bad_spec(message: str, hint: str | None = None) -> RunError:
    return RunError("bad_spec", message, EXIT_BAD_SPEC, hint)


def load_spec(run_folder: str | Path, kind: str) -> dict[str, Any]:
    """
    The specification in `spec.json` of the run's folder, which must be of `kind`: train, eval or export.

    @raises RunError bad_spec, environment
    """
    path = Path(run_folder) / "spec.json"
    try:
        spec = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise bad_spec(f"There is no {path}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise bad_spec(f"{path} cannot be read as JSON: {error}.") from None
    return check_spec(spec, kind)


def check_spec(spec: Any, kind: str) -> dict[str, Any]:
    """The specification with every default filled in; names the first field that is wrong."""
    validator_class = _validator()
    schema = json.loads(resources.files("attune_trainer").joinpath("schema/run-spec.json").read_text("utf-8"))
    definitions = schema["$defs"]
    wanted = definitions[_SCHEMAS[kind]]
    if isinstance(spec, dict) and spec.get("kind") != kind:
        raise bad_spec(f"spec.json is of kind {spec.get('kind')!r}, and {kind!r} was expected.")
    filled = _fill(spec, wanted, definitions)
    validator = validator_class({**wanted, "$defs": definitions})
    problem = next(iter(sorted(validator.iter_errors(filled), key=lambda error: list(map(str, error.path)))), None)
    if problem is not None:
        place = ".".join(str(part) for part in problem.absolute_path) or "spec.json"
        raise bad_spec(f"{place}: {problem.message[:500]}.")
    return filled


def _validator() -> Any:
    try:
        from jsonschema import Draft202012Validator
    except ImportError as error:
        raise RunError("environment", f"jsonschema cannot be imported: {error}.", EXIT_ENVIRONMENT) from error
    return Draft202012Validator


def _fill(value: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    filled = dict(value)
    for name, field in schema["properties"].items():
        if name not in filled and "default" in field:
            filled[name] = field["default"]
        if name in filled:
            filled[name] = _fill(filled[name], field, definitions)
    return filled


def spec_hash(spec: dict[str, Any]) -> str:
    """Equal for specifications of the same training: what is resumed from does not count."""
    rest = {name: value for name, value in spec.items() if name != "resume"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
