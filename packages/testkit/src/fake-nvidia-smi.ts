import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the fake says of each GPU, by the names of `--help-query-gpu`; cells as they are printed. */
export type FakeSmiGpu = Readonly<Record<string, string>>;

export interface FakeSmiState {
  readonly gpus: readonly FakeSmiGpu[];
  /** Rows of `--query-compute-apps`: UUID, process, memory. */
  readonly apps?: readonly (readonly [uuid: string, pid: number, memory: string])[];
  /** What every call says instead, and the status with which it ends. */
  readonly failure?: { readonly text: string; readonly status: number };
  /** The same for calls that ask for processes alone. */
  readonly appsFailure?: { readonly text: string; readonly status: number };
  /** Calls with -lms say nothing and do not end. */
  readonly isSilent?: boolean;
  /** Calls with -lms end after so many looks. */
  readonly endsAfter?: number;
  /** Lines that stand before the rows of each look. */
  readonly noise?: readonly string[];
  /** Fields that this driver does not have. */
  readonly lacks?: readonly string[];
}

export interface FakeNvidiaSmi {
  readonly program: string;
  /** Seen by running fakes at their next look. */
  set(state: FakeSmiState): Promise<void>;
}

/** Figures of an idle card, as a driver prints them. */
export function fakeSmiGpu(index: number, cells: FakeSmiGpu = {}): FakeSmiGpu {
  return {
    index: String(index),
    uuid: `GPU-0000000${index}-aaaa-bbbb-cccc-dddddddddddd`,
    "pci.bus_id": `00000000:${index}B:00.0`,
    driver_version: "580.65.06",
    "memory.total": "81559",
    "memory.used": "1",
    "memory.free": "81078",
    "utilization.gpu": "0",
    "utilization.memory": "0",
    "temperature.gpu": "33",
    "power.draw": "71.12",
    "power.limit": "700.00",
    "clocks.sm": "345",
    "clocks.mem": "2619",
    "fan.speed": "[N/A]",
    pstate: "P0",
    "ecc.errors.uncorrected.volatile.total": "0",
    "mig.mode.current": "Disabled",
    name: "NVIDIA H100 80GB HBM3",
    ...cells,
  };
}

/**
 * Writes a program into the folder that answers as nvidia-smi does: the help on fields, the version, both queries, once or
 * again and again; a field that it does not have fails the query with status 2.
 */
export async function makeFakeNvidiaSmi(folder: string, state: FakeSmiState): Promise<FakeNvidiaSmi> {
  const program = join(folder, "nvidia-smi");
  const statePath = join(folder, "nvidia-smi.json");
  const answers = join(import.meta.dirname, "fake-nvidia-smi-program.ts");
  const set = async (next: FakeSmiState): Promise<void> => {
    await writeFile(`${statePath}.new`, JSON.stringify(next));
    await rename(`${statePath}.new`, statePath);
  };
  await set(state);
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${answers}' '${statePath}' "$@"\n`);
  await chmod(program, 0o755);
  return { program, set };
}
