import { type FakeCase, hasSaidHello, isRunning, leaderOf, workerPid } from "./truth-case.ts";

const takesMemory = "const held = Buffer.alloc(400e6, 1); setInterval(() => held.length, 60_000)";
/** Real memory of a real process. */
const hungry = `code/${takesMemory}`;
/** The same once its launcher is gone. */
const hungryOrphan = `code/
  const hello = { v: 1, seq: 1, ts: 1, type: "hello", pid: process.pid, protocol: 1 };
  const first = process.ppid;
  require("node:fs").appendFileSync("events.ndjson", JSON.stringify(hello) + "\\n");
  const looking = setInterval(() => {
    if (process.ppid === first) return;
    clearInterval(looking);
    ${takesMemory};
  }, 20);`;

/** Processes that are killed, hang, take too much, or live on. */
export const killCases: readonly FakeCase[] = [
  {
    fault: "out of memory by the run's limit",
    injected: "memory_limit_mb 200, and a real process that takes 400 MB",
    mode: hungry,
    request: { memory_limit_mb: 200 },
    state: "failed",
    cause: "host_out_of_memory",
    says: "its memory_limit_mb is 200",
  },
  {
    fault: "out of memory by the run's limit, without a launcher",
    injected: "SIGKILL to the launcher, then the same",
    mode: hungryOrphan,
    request: { memory_limit_mb: 200 },
    when: hasSaidHello,
    act: async (agent, job) => process.kill(leaderOf(agent, job), "SIGKILL"),
    state: "failed",
    cause: "host_out_of_memory",
    says: "its memory_limit_mb is 200",
  },
  {
    fault: "out of memory by rlimit",
    injected: "an address space of 200 MB that was set by others, and a real process that wants 2 GB",
    mode: "shell/ulimit -v 204800; exec python3 -c 'held = bytearray(2_000_000_000)'",
    state: "failed",
    cause: "host_out_of_memory",
    logs: "MemoryError",
  },
  {
    fault: "ranks lost each other",
    injected: "the watchdog's line in the log, then SIGABRT",
    mode: "nccl-timeout",
    state: "failed",
    cause: "distributed_timeout",
    logs: "Watchdog caught",
  },
  {
    fault: "worker killed by itself",
    injected: "SIGKILL from within",
    mode: "kill-self",
    state: "failed",
    cause: "engine_crashed",
    says: "SIGKILL",
    logs: "step 3",
  },
  {
    fault: "kill -9 of the worker",
    injected: "SIGKILL from outside while it trains",
    mode: "slow",
    when: isRunning,
    act: async (_, job) => process.kill(workerPid(job), "SIGKILL"),
    state: "failed",
    cause: "engine_crashed",
    says: "SIGKILL",
  },
  {
    fault: "kill -9 of the launcher",
    injected: "SIGKILL to the launcher while the worker trains: the run goes on",
    mode: "slow",
    when: isRunning,
    act: async (agent, job) => process.kill(leaderOf(agent, job), "SIGKILL"),
    state: "succeeded",
    cause: null,
  },
  {
    fault: "kill -9 of launcher and worker",
    injected: "SIGKILL to the whole group at once",
    mode: "slow",
    when: isRunning,
    act: async (agent, job) => process.kill(-leaderOf(agent, job), "SIGKILL"),
    state: "lost",
    cause: "vanished",
    says: "none of them said why",
  },
  {
    fault: "worker hangs, and heeds nothing",
    injected: "no event any more; stall_timeout_seconds 1, grace_seconds 0",
    mode: "hang-silent",
    request: { stall_timeout_seconds: 1, grace_seconds: 0 },
    state: "failed",
    cause: "stalled",
    says: "no step within 1 seconds",
  },
  {
    fault: "worker lives, but makes no step",
    injected: "heartbeats only; stall_timeout_seconds 1, grace_seconds 0",
    mode: "hang-with-heartbeat",
    request: { stall_timeout_seconds: 1, grace_seconds: 0 },
    state: "failed",
    cause: "stalled",
  },
  {
    fault: "worker hangs after its last word",
    injected: "done event, then it does not end",
    mode: "hang-after-done",
    request: { grace_seconds: 0 },
    state: "succeeded",
    cause: null,
    says: "It was done; after that: The process ended by SIGKILL",
  },
  {
    fault: "one of two ranks dies",
    injected: "rank 1 says out_of_memory and is killed, rank 0 ends with status 1",
    mode: "two-ranks-one-dies",
    state: "failed",
    cause: "out_of_memory",
    says: "rank 1: CUDA out of memory",
  },
  {
    fault: "worker leaves processes behind",
    injected: "a child in its group and one that left it",
    mode: "leaves-child",
    state: "succeeded",
    cause: null,
  },
  {
    fault: "log flood",
    injected: "130 MB of log, then 300 last lines",
    mode: "log-flood",
    state: "failed",
    cause: "engine_failed",
    logs: "last words 300",
  },
];
