"""Writes the three lock files anew: `pip install uv && python python/trainer/requirements/make_locks.py`.

uv resolves for every platform and Python that we support and takes the hashes of all their wheels from PyPI. requirements.lock is
what every machine installs; torch-cuda.lock is torch of PyPI with what CUDA needs; torch-cpu.lock is written from CPU_WHEELS.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
INDEX = "https://pypi.org/simple"
OLDEST_PYTHON = "3.11"
TORCH = "2.13.0"
OF_CUDA = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)==")

# Of https://download.pytorch.org/whl/cpu/torch/. PyPI has no Linux build without CUDA; that for macOS is PyPI's own.
CPU_WHEELS = {
    "linux x86_64 aarch64, cp311": (
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",
        "84453b69508ec79902f899c5ed9495acb9e2bbe9fda5f1d5d6f19e3c3842e1a7",
    ),
    "linux x86_64 aarch64, cp312": (
        "4ca4a9394b0c771238a4f73590fdbbc4debad85ed0fa63d026ae1b085da7d6e2",
        "6f307c2c32d764ffc6ff6893b801fad6d4752f3e67966cb8abf1843427c02604",
    ),
    "linux x86_64 aarch64, cp313": (
        "3fbf9c9d1f3c10c2d59d04aca426dee9ccc6ceb32d255c61e93acc3b4f75fae6",
        "0b8f7d0423027ae8b90c7977c627f3379f325363a08224dffad9b4b2d684a83d",
    ),
    "linux x86_64 aarch64, cp314": (
        "d20fa53ee744502fa4c69818a720b05ca0d37abd055d4f6e66cae155114bc691",
        "ca021f9eb2f8345c83fa03e3a04587308afb8df71bd472670b3ece00df58621c",
    ),
}
MACOS_WHEELS = (
    "e76f9bcecc52b8ff711239a2f7547d5353df95878ab232f0773c1d95928b92f8",
    "2fe228aba290d14b9f31b049be550dbd469c3fd3013d7a19705b30454da97027",
    "33449899ce5496c1b84b4853179d94fd102028ae1407314d9fb956bb79e70d09",
    "d849b390e07d8d333ce8ecaf91b273c656c598379a19c9acf1318a883f6b391c",
)


def resolve() -> str:
    """Every package with the hashes of its files, for all platforms."""
    command = ["uv", "pip", "compile", "--universal", "--generate-hashes", "--python-version", OLDEST_PYTHON]
    command += ["--no-header", "--no-annotate", "--no-config", "--default-index", INDEX, "--quiet"]
    command += [str(FOLDER / "requirements.in"), "-"]
    done = subprocess.run(command, input=f"torch=={TORCH}\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def entries(lock: str) -> list[str]:
    """The lock file cut into packages: a line with a name, and the indented lines of its hashes."""
    return [
        entry.strip() + "\n" for entry in re.split(r"\n(?=\S)", lock) if entry.strip() and not entry.startswith("#")
    ]


def cpu_lock() -> str:
    linux = [digest for digests in CPU_WHEELS.values() for digest in digests]
    pins = (
        (f"torch=={TORCH}+cpu ; sys_platform == 'linux'", linux),
        (f"torch=={TORCH} ; sys_platform == 'darwin'", MACOS_WHEELS),
    )
    return "".join(
        " \\\n".join([pin, *(f"    --hash=sha256:{digest}" for digest in digests)]) + "\n" for pin, digests in pins
    )


def main() -> None:
    head = "# Written by make_locks.py; do not edit.\n"
    packages = entries(resolve())
    shared = [entry for entry in packages if not OF_CUDA.match(entry)]
    cuda = [entry for entry in packages if OF_CUDA.match(entry)]
    (FOLDER / "requirements.lock").write_text(head + "".join(shared))
    (FOLDER / "torch-cuda.lock").write_text(head + "".join(cuda))
    (FOLDER / "torch-cpu.lock").write_text(head + cpu_lock())


if __name__ == "__main__":
    main()
