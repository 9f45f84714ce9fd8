import { elapsedMs } from "../process/boot-moment.ts";
import type { RunHost } from "./run-host.ts";
import type { RunSettings } from "./run-settings.ts";
import type { StoredRun } from "./stored-run.ts";

export interface StopLadder {
  /** The next step for a run that has to end, when its time has come. @returns what keeps it from ending, if anything does. */
  climb(run: StoredRun): Promise<string | undefined>;
}

export interface LadderDeps {
  readonly host: RunHost;
  readonly settings: Pick<RunSettings, "killAfterMs" | "earlyGraceMs">;
  /** Milliseconds that only ever grow. */
  readonly monotonicMs: () => number;
}

/** A run that the agent ends has no more than this to save what it has; one that hangs will not. */
const abortGraceMs = 30_000;

/** Asks the worker to save and end; after its grace SIGTERM to all processes; after that SIGKILL. */
export function createStopLadder({ host, settings, monotonicMs }: LadderDeps): StopLadder {
  let askedAtMs: number | undefined;
  let isTold = false;
  return {
    climb: async (run) => {
      if (askedAtMs === undefined) {
        // An earlier agent may have asked it already; that it wrote this down and did not come to ask is possible, too.
        askedAtMs = monotonicMs() - (run.askedToEnd === null ? 0 : elapsedMs(run.askedToEnd));
        await host.ask(run);
        return undefined;
      }
      const passedMs = monotonicMs() - askedAtMs;
      const graceMs = graceOf(run, settings);
      if (passedMs >= graceMs + settings.killAfterMs) return host.kill(run);
      if (passedMs >= graceMs && !isTold) {
        isTold = true;
        await host.terminate(run);
      }
      return undefined;
    },
  };
}

function graceOf({ graceSeconds, state, heard, abort }: StoredRun, { earlyGraceMs }: { earlyGraceMs: number }): number {
  const graceMs = graceSeconds * 1000;
  const hasSpoken = heard.offset > 0 || state === "running";
  if (!hasSpoken) return Math.min(graceMs, earlyGraceMs);
  return abort === null ? graceMs : Math.min(graceMs, abortGraceMs);
}
