import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFamilyGuard } from "../../process/guard-family.ts";
import type { DeviceProvider } from "../device-provider.ts";
import { explainSmiEnd } from "../nvidia-smi/explain-smi-end.ts";
import { createSampleBoard, type SampleBoard } from "../sampling/create-sample-board.ts";
import { type Followed, followProgram } from "../sampling/follow-program.ts";
import type { ProviderOptions } from "../sampling/provider-options.ts";
import type { NvmlLook } from "./look-with-nvml.ts";

export interface NvmlOptions extends ProviderOptions {
  /** Name that the system's loader finds, or a path. */
  readonly library?: string;
}

const usualLibrary = "libnvidia-ml.so.1";
const sampler = join(import.meta.dirname, "nvml-sampler.ts");
const missingStatus = 3;
const longestStartMs = 20_000;

/** @returns why NVML cannot be used on this machine; undefined when it is there, even when the driver fails. */
export function findNvmlObstacle(library = usualLibrary): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [sampler, "probe", library], { timeout: longestStartMs }, (error, _, stderr) => {
      resolve(error?.code === missingStatus ? stderr.trim() : undefined);
    });
  });
}

/** Reads GPUs through the driver's library, in a process of its own that runs as long as the agent. */
export function createNvmlProvider(options: NvmlOptions): DeviceProvider {
  const { intervalMs, library = usualLibrary } = options;
  const board = createSampleBoard(options);
  const guard = createFamilyGuard();
  let followed: Followed | undefined;
  return {
    name: "nvml",
    isSimulated: false,
    async start() {
      const first = Promise.withResolvers<void>();
      followed = followProgram({
        id: `nvml-${process.pid}`,
        guard,
        prepare: () =>
          Promise.resolve({ program: process.execPath, args: [sampler, "follow", library, String(intervalMs)] }),
        onLine(line) {
          const isLook = postLook(board, line);
          if (isLook) first.resolve();
          return isLook;
        },
        onEnd(end) {
          board.fail(explainSmiEnd("The reader of NVML", end));
          first.resolve();
        },
      });
      const late = sleep(longestStartMs, "late", { ref: false });
      if ((await Promise.race([first.promise, late])) === "late")
        board.fail(`NVML has said nothing for ${longestStartMs / 1000} seconds; the driver may hang.`);
    },
    latest: () => board.latest(),
    async close() {
      await followed?.stop();
      guard.close();
    },
  };
}

function postLook(board: SampleBoard, line: string): boolean {
  const look = readLook(line);
  if (look === undefined) return false;
  board.tellDriver({ driver: look.driver, cuda: look.cuda });
  board.note(look.note);
  board.post(look.gpus);
  return true;
}

/** The lines are those of our own program; anything else is what it says when it fails, or a line that it did not finish. */
export function readLook(line: string): NvmlLook | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as NvmlLook;
  } catch {
    return undefined;
  }
}
