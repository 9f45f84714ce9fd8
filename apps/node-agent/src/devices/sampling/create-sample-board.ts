import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { DeviceSample, Gpu, GpuProcess } from "../device-provider.ts";
import { steadyNow } from "../steady-now.ts";
import { blankGpu } from "./blank-gpu.ts";
import { createRoster } from "./create-roster.ts";

/** Where a source puts what it finds, and from where it is read; tells the log what changes. */
export interface SampleBoard {
  /** All GPUs of one look; it ends what was wrong before. */
  post(gpus: readonly Gpu[]): void;
  /** Who uses the GPUs, by UUID, where their look does not tell it; null while that cannot be seen. */
  postProcesses(processes: ReadonlyMap<string, readonly GpuProcess[]> | null): void;
  tellDriver(versions: { readonly driver?: string | null; readonly cuda?: string | null }): void;
  /** Why there is no look at the GPUs now. */
  fail(fault: string): void;
  note(note: string | null): void;
  /** Milliseconds since the last look; Infinity before the first. */
  age(): number;
  latest(): DeviceSample;
}

export interface BoardOptions {
  readonly intervalMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** A sample is old after so many intervals. */
const staleIntervals = 3;

export function createSampleBoard({ intervalMs, logger, now = steadyNow }: BoardOptions): SampleBoard {
  const roster = createRoster();
  const tell = createFaultLog(logger);
  let takenAtMs = 0;
  let fault: string | null = "The GPUs were not looked at yet.";
  let note: string | null = null;
  let processes: ReadonlyMap<string, readonly GpuProcess[]> | null | undefined;
  let versions: { driver: string | null; cuda: string | null } = { driver: null, cuda: null };
  const age = (): number => (takenAtMs === 0 ? Infinity : now() - takenAtMs);

  const withProcesses = (gpu: Gpu): Gpu =>
    processes === undefined ? gpu : { ...gpu, processes: processes && (processes.get(gpu.uuid) ?? []) };

  return {
    post(gpus) {
      takenAtMs = now();
      fault = null;
      roster.see(gpus);
      tell(null, roster.list());
    },
    postProcesses(found) {
      processes = found;
    },
    tellDriver(found) {
      versions = { driver: found.driver ?? versions.driver, cuda: found.cuda ?? versions.cuda };
    },
    fail(why) {
      fault = why;
      tell(why, roster.list());
    },
    note(told) {
      note = told;
    },
    age,
    latest() {
      const ageMs = age();
      const isOld = ageMs > staleIntervals * intervalMs;
      const told = takenAtMs === 0 ? fault : tellOld(isOld, ageMs, fault);
      // Figures that are old are not those of now.
      const gpus = isOld ? roster.list().map((gpu) => asUnseen(gpu)) : roster.list().map(withProcesses);
      return { takenAtMs, gpus, ...versions, fault: told, note };
    },
  };
}

const asUnseen = (gpu: Gpu): Gpu => ({ ...blankGpu(gpu, gpu.fault), memoryTotalMb: gpu.memoryTotalMb });

function tellOld(isOld: boolean, ageMs: number, fault: string | null): string | null {
  if (!isOld) return fault;
  const old = `The last look at the GPUs was ${Math.round(ageMs / 1000)} seconds ago.`;
  return fault === null ? old : `${fault} ${old}`;
}

/** Tells the log what is wrong once, and once when it is over. */
function createFaultLog(logger: Logger): (fault: string | null, gpus: readonly Gpu[]) => void {
  let before: string | null = null;
  const faults = new Map<string, string>();
  return (fault, gpus) => {
    if (fault !== null && fault !== before) logger.error({ fault }, "The GPUs cannot be looked at");
    if (fault === null && before !== null) logger.info("The GPUs can be looked at again");
    before = fault;
    for (const { index, uuid, fault: own } of gpus) {
      const known = faults.get(uuid);
      if (own !== null && own !== known) logger.error({ gpu: index, uuid, fault: own }, "A GPU cannot be used");
      if (own === null && known !== undefined) logger.info({ gpu: index, uuid }, "A GPU can be used again");
      if (own === null) faults.delete(uuid);
      else faults.set(uuid, own);
    }
  };
}
