"""Writes requirements.lock anew: `pip install uv && python python/llamafactory/requirements/make_locks.py`.

It is what every machine installs, with the hashes of all wheels from PyPI. torch is that of the trainer's torch-cpu.lock and
torch-cuda.lock, which bring what CUDA needs as well.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
INDEX = "https://pypi.org/simple"
OLDEST_PYTHON = "3.11"
TORCH_LOCK = FOLDER.parents[1] / "trainer/requirements/torch-cuda.lock"
OF_CUDA = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)==")


def pins_of_torch() -> str:
    """The very versions of the trainer's lock, so that both environments hold one torch."""
    return "".join(f"{pin}\n" for pin in re.findall(r"(?m)^[a-z][^\\\n]*", TORCH_LOCK.read_text("utf-8")))


def left_out() -> str:
    names = [line for line in (FOLDER / "left-out.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    return "".join(f"{name} ; python_version < '0'\n" for name in names)


def resolve() -> str:
    """Every package with the hashes of its files, for all platforms."""
    command = ["uv", "pip", "compile", "--universal", "--generate-hashes", "--python-version", OLDEST_PYTHON]
    command += ["--no-header", "--no-annotate", "--no-config", "--default-index", INDEX, "--quiet"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as overrides:
        overrides.write(left_out())
        overrides.flush()
        command += ["--overrides", overrides.name, str(FOLDER / "requirements.in"), "-"]
        done = subprocess.run(command, input=pins_of_torch(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def main() -> None:
    packages = [entry.strip() + "\n" for entry in re.split(r"\n(?=\S)", resolve()) if entry.strip()]
    kept = [entry for entry in packages if not entry.startswith("#") and not OF_CUDA.match(entry)]
    (FOLDER / "requirements.lock").write_text("# Written by make_locks.py; do not edit.\n" + "".join(kept), "utf-8")


if __name__ == "__main__":
    main()
