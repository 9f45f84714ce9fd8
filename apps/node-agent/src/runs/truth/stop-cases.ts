import { type FakeCase, hasSaidHello, isRunning, stop, workerPid } from "./truth-case.ts";

/** Runs that are asked to end. */
export const stopCases: readonly FakeCase[] = [
  {
    fault: "stop",
    injected: "stop while it trains; it saves and ends",
    mode: "until-stopped",
    when: isRunning,
    act: stop,
    state: "stopped",
    cause: null,
    logs: "in the control file: true",
  },
  {
    fault: "stop during load",
    injected: "stop before the first step",
    mode: "loads-forever",
    when: hasSaidHello,
    act: stop,
    state: "stopped",
    cause: null,
  },
  {
    fault: "stop before the first word",
    injected: "stop of a worker that has said nothing",
    mode: "silent-start",
    when: ({ state }) => state === "starting",
    act: stop,
    state: "stopped",
    cause: null,
    says: "it has no checkpoint",
  },
  {
    fault: "stop is not heeded",
    injected: "the whole ladder: asked, SIGTERM, SIGKILL; grace_seconds 1",
    mode: "ignores-stop",
    request: { grace_seconds: 1 },
    when: isRunning,
    act: stop,
    state: "stopped",
    cause: null,
    says: "ended before it saved",
  },
  {
    fault: "stop, sent twice",
    injected: "the same request again while it saves: it goes on saving",
    mode: "saves-slowly",
    when: isRunning,
    act: async (agent, job) => {
      await stop(agent, job);
      await stop(agent, job);
    },
    state: "stopped",
    cause: null,
    logs: "in the control file: true",
  },
  {
    fault: "stop, then at once",
    injected: "a second stop with grace_seconds 0, though the job has 600",
    mode: "ignores-stop",
    request: { grace_seconds: 600 },
    when: isRunning,
    act: async (agent, job) => {
      await stop(agent, job);
      await agent.runs.stop(job.job_id, { grace_seconds: 0 });
    },
    state: "stopped",
    cause: null,
    says: "ended before it saved",
  },
  {
    fault: "stop, and the checkpoint cannot be saved",
    injected: "disk_full after the stop",
    mode: "stop-save-fails",
    when: isRunning,
    act: stop,
    state: "stopped",
    cause: "disk_full",
    says: "could not be written",
  },
  {
    fault: "SIGTERM from somebody else",
    injected: "SIGTERM to the worker, not by the node",
    mode: "until-stopped",
    when: isRunning,
    act: async (_, job) => process.kill(workerPid(job), "SIGTERM"),
    state: "stopped",
    cause: null,
    says: "did not come from the node",
  },
];
