import type { TruthRow } from "./truth-case.ts";

const row = (known: TruthRow): TruthRow => known;

/** Faults that each need an agent of their own. */
export const agentRows = {
  agentKilled: row({
    fault: "kill -9 of the agent",
    injected: "while the worker trains; the next agent follows the run on, with every event once",
    state: "succeeded",
    cause: null,
  }),
  doneMeanwhile: row({
    fault: "kill -9 of the agent, and the run is done before the next one",
    injected: "the next agent starts after the worker has ended",
    state: "succeeded",
    cause: null,
  }),
  workerKilledMeanwhile: row({
    fault: "kill -9 of the agent, then of the worker",
    injected: "the launcher writes down how the worker ended",
    state: "failed",
    cause: "engine_crashed",
  }),
  allKilled: row({
    fault: "kill -9 of agent, launcher and worker",
    injected: "nobody is left to say anything",
    state: "lost",
    cause: "vanished",
  }),
  rebooted: row({
    fault: "machine started anew",
    injected: "the run was started in another boot",
    state: "lost",
    cause: "vanished",
  }),
  stoppingMeanwhile: row({
    fault: "kill -9 of the agent while a run is being stopped",
    injected: "the next agent goes on with the stop",
    state: "stopped",
    cause: null,
  }),
  stoppingLong: row({
    fault: "kill -9 of the agent while a run that heeds nothing is being stopped",
    injected: "its grace time is over when the next agent comes",
    state: "stopped",
    cause: null,
  }),
  neverSpawned: row({
    fault: "kill -9 of the agent just before it starts the processes",
    injected: "a record that says starting, and no process",
    state: "succeeded",
    cause: null,
  }),
  unrecorded: row({
    fault: "kill -9 of the agent just after it started the processes",
    injected: "processes that the record does not know; the launcher's own file tells",
    state: "succeeded",
    cause: null,
  }),
  clockJump: row({
    fault: "clock jump",
    injected: "the clock is set a year on, and back, while the run runs with a stall time-out",
    state: "succeeded",
    cause: null,
  }),
  gpuVanished: row({
    fault: "GPU vanished",
    injected: "a simulated GPU of the run has a fault in three samples after each other",
    state: "failed",
    cause: "gpu_unavailable",
  }),
  leaseLost: row({
    fault: "GPU given to somebody else",
    injected: "the lease of a running run is gone, and another holder has its GPU",
    state: "failed",
    cause: "gpu_unavailable",
  }),
  recordUnwritable: row({
    fault: "run.json cannot be written",
    injected: "the state is told with the fault beside it, and written as soon as that works",
    state: "succeeded",
    cause: null,
  }),
  diskFull: row({
    fault: "disk full",
    injected: "a file system of 4 MB is filled while the worker trains; not even its error can be written",
    state: "failed",
    cause: "disk_full",
  }),
  scoringFails: row({
    fault: "predictions cannot be scored",
    injected: "the agent's scoring throws after the worker is done",
    state: "failed",
    cause: "engine_failed",
  }),
  stoppedScoring: row({
    fault: "stop while predictions are scored",
    injected: "stop after the worker is done; the scoring is broken off, and the answers stay",
    state: "stopped",
    cause: null,
  }),
} as const;
