import { isEnded, type RunState } from "@attune/contracts/compute/run-record.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exitRecord } from "../process/exit-record.ts";
import { nextRun, type RunFact } from "./next-run.ts";
import type { StoredRun } from "./stored-run.ts";
import { newRun } from "./submit-run.ts";
import { fakeRequest } from "./testing/fake-engine.ts";

const at = "2026-01-01T00:00:00.000Z";
const queued: StoredRun = { ...newRun(fakeRequest("succeed"), { mode: "cpu" }), createdAt: at };
const leader = { pid: 7, mark: "7-1", bootId: "b" };

const said = (event: object, seq: number): RunFact => {
  const whole = { v: 1, seq, ts: 1, rank: 0, ...event } as Extract<RunFact, { type: "said" }>["event"];
  return { type: "said", event: whole, endOffset: seq * 100 };
};
const gone = (known: object): RunFact => {
  const ending = { exit: undefined, isRebooted: false, hostCause: null, isLost: false, isDiskFull: false, log: [] };
  return { type: "gone", at, ending: { ...ending, problem: null, isBrokenOff: false, ...known } };
};
const exit = (code: number | null, signal: string | null) => ({
  exit: exitRecord.parse({ code, signal, ended_at: at }),
});
const memory_excess = { used_bytes: 2 ** 30, limit_bytes: 2 ** 29 };
const exceeded = { exit: exitRecord.parse({ code: null, signal: "SIGKILL", ended_at: at, memory_excess }) };
const cause = { cause: "stalled", message: "m" } as const;
const error = { type: "error", code: "out_of_memory", message: "m", retryable: false };
const done = (status: string) => ({ type: "done", status });

const facts: readonly RunFact[] = [
  { type: "waits", reason: "r" },
  { type: "starts", gpus: [1], at },
  { type: "not_started" },
  { type: "has_leader", leader },
  { type: "noted", reason: null },
  { type: "said_unreadable", endOffset: 5 },
  { type: "left_out", count: 7 },
  { type: "stop_asked", at, graceSeconds: undefined },
  { type: "stop_asked", at, graceSeconds: 5 },
  { type: "aborted", cause },
  said({ type: "hello", pid: 9, protocol: 1, versions: {}, world_size: 1 }, 1),
  said({ type: "heartbeat", step: 1, rss_bytes: 1, in_phase_s: 1 }, 2),
  said(error, 3),
  said(done("succeeded"), 4),
  said(done("cancelled"), 5),
  said(done("failed"), 6),
  gone({}),
  gone({ isRebooted: true }),
  gone({ isLost: true, hostCause: { cause: "node_lost", message: "m" } }),
  gone({ problem: { cause: "engine_failed", message: "m" } }),
  gone({ isBrokenOff: true }),
  gone(exit(0, null)),
  gone(exit(1, null)),
  gone(exit(null, "SIGKILL")),
  gone(exceeded),
];
const history = fc.array(fc.constantFrom(...facts), { maxLength: 20 });

const order: readonly RunState[] = ["queued", "starting", "running", "stopping"];
const rank = (state: RunState): number => (isEnded(state) ? order.length : order.indexOf(state));

interface Step {
  readonly before: StoredRun;
  readonly fact: RunFact;
  readonly after: StoredRun;
}

/** Every step of a history. */
function* stepsOf(given: readonly RunFact[]): Generator<Step> {
  let run = queued;
  for (const fact of given) {
    const next = nextRun(run, fact);
    yield { before: run, fact, after: next };
    run = next;
  }
}

test("the same stop again changes nothing, and no stop gives a run more time", () => {
  const stops = facts.filter(({ type }) => type === "stop_asked");
  fc.assert(
    fc.property(history, fc.constantFrom(...stops), (before, stop) => {
      const run = before.reduce(nextRun, queued);
      const once = nextRun(run, stop);
      expect(nextRun(once, stop)).toEqual(once);
      expect(once.graceSeconds).toBeLessThanOrEqual(run.graceSeconds);
    }),
  );
});

test("a queued run is stopped at once, unless its cluster may have it since the answer to its submission was lost", () => {
  const tried: readonly RunFact[] = [{ type: "starts", gpus: [], at }, { type: "not_started" }];
  const stop: RunFact = { type: "stop_asked", at, graceSeconds: undefined };
  const statesOf = (run: StoredRun) => [tried.reduce(nextRun, run).state, [...tried, stop].reduce(nextRun, run).state];
  expect(statesOf(queued)).toEqual(["queued", "stopped"]);
  expect(statesOf({ ...queued, scheduler: "slurm" })).toEqual(["queued", "stopping"]);
  expect(nextRun({ ...queued, scheduler: "slurm" }, stop).state).toBe("stopped");
});

test("a run that has ended never changes, and none goes back but for a start that was none", () => {
  fc.assert(
    fc.property(history, (given) => {
      const isLawful = ({ before, fact, after }: Step) =>
        isEnded(before.state)
          ? after === before
          : fact.type === "not_started" || rank(after.state) >= rank(before.state);
      expect([...stepsOf(given)].filter((step) => !isLawful(step))).toEqual([]);
    }),
  );
});

test("a run that failed or was lost says why and what to do, one that succeeded says no failure", () => {
  fc.assert(
    fc.property(history, (given) => {
      for (const { after } of stepsOf(given)) {
        const isBad = after.state === "failed" || after.state === "lost";
        expect(isBad).toBe(isBad && after.failure !== null && after.reason !== null && after.failure.hint !== "");
        expect(after.endedAt !== null).toBe(isEnded(after.state));
        expect(after.failure === null || isEnded(after.state)).toBe(true);
        expect(after.state === "succeeded" && after.failure !== null).toBe(false);
      }
    }),
  );
});

test("only its own word makes a run succeed, and no error stands beside it", () => {
  fc.assert(
    fc.property(history, (given) => {
      for (const { before, fact, after } of stepsOf(given)) {
        if (after.state !== "succeeded" || before.state === "succeeded") continue;
        expect(fact.type).toBe("gone");
        expect(after.heard).toMatchObject({ done: "succeeded", error: null });
      }
    }),
  );
});

test("what the worker said stands above how its process ended, whatever that was", () => {
  const word = fc.constantFrom(
    { facts: [said(done("succeeded"), 1)], state: "succeeded" },
    { facts: [said(error, 1)], state: "failed" },
    { facts: [said(error, 1), said(done("succeeded"), 2)], state: "failed" },
    { facts: [said(done("cancelled"), 1)], state: "stopped" },
  );
  const endings = facts.filter(
    (fact) => fact.type === "gone" && fact.ending.problem === null && !fact.ending.isBrokenOff,
  );
  fc.assert(
    fc.property(word, fc.constantFrom(...endings), ({ facts: words, state }, ending) => {
      const run = [facts[1] as RunFact, ...words, ending].reduce(nextRun, queued);
      expect(run.state).toBe(state);
    }),
  );
});

test("an event that comes twice is heard once, and a resumed worker begins to count anew", () => {
  const checkpoint = { type: "checkpoint", path: "c", step: 1, bytes: 1, reason: "interval", complete: true };
  const hello = { type: "hello", pid: 9, protocol: 1, versions: {}, world_size: 1 };
  const twice = [said(checkpoint, 2), said(checkpoint, 2)].reduce(nextRun, queued);
  expect(twice.heard.checkpoints).toHaveLength(1);
  const resumed = [said(hello, 1), said(checkpoint, 2)].reduce(nextRun, twice);
  expect(resumed.heard.checkpoints).toHaveLength(2);
});

test("a run that took too much memory while it was being stopped is stopped, and says that it did", () => {
  const words = [facts[1] as RunFact, { type: "stop_asked", at, graceSeconds: undefined } as const, gone(exceeded)];
  const { state, failure } = words.reduce(nextRun, queued);
  expect({ state, cause: failure?.cause }).toEqual({ state: "stopped", cause: "host_out_of_memory" });
});

test("progress is what tells of more than that the worker lives, and its time is the worker's, whatever that says", () => {
  const metrics = { type: "metrics", split: "train", step: 1, total: 9, epoch: 0.1, metrics: {}, nonfinite: [] };
  const heartbeat = { type: "heartbeat", step: 1, rss_bytes: 1, in_phase_s: 1 };
  const times = (given: readonly RunFact[]) => given.reduce(nextRun, queued).heard.progressAt;
  expect(times([said({ ...metrics, ts: 86_400.5 }, 1), said({ ...heartbeat, ts: 99_999 }, 2)])).toBe(
    "1970-01-02T00:00:00.500Z",
  );
  expect(times([said({ ...metrics, ts: 1e300 }, 1)])).toBe("9999-12-31T23:59:59.000Z");
  expect(times([said({ ...metrics, ts: -5 }, 1)])).toBe("1970-01-01T00:00:00.000Z");
});
