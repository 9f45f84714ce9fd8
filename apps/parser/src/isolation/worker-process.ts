import type { Duplex } from "node:stream";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import type { StoredBytes } from "../engines/engine.ts";
import type { GroupGuard } from "../process/group-guard.ts";
import { killGroup } from "../process/kill-group.ts";
import type { Sandbox, SandboxedProcess } from "../process/sandbox.ts";
import { createTextTail } from "../process/text-tail.ts";
import type { WorkerExit } from "./exit-cause.ts";
import { createFrameReader } from "./frame-reader.ts";
import type { JobMessage } from "./messages.ts";
import { type CheckedMessage, parseWorkerMessage } from "./parse-worker-message.ts";
import { sendFrame } from "./send-frame.ts";

/** One worker process, seen from the service. But for `run`, nothing here rejects: a worker that fails has ended, and `exited` tells how. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** The first message, or undefined when the process ended before. */
  readonly ready: Promise<CheckedMessage | undefined>;
  readonly exited: Promise<WorkerExit>;
  /**
   * One job at a time; undefined when the process ended before it answered. Rejects when the bytes could not be read, after
   * which the process waits for the rest of them and must be killed.
   */
  run(job: Omit<JobMessage, "jobId">, bytes: StoredBytes): Promise<CheckedMessage | undefined>;
  kill(): void;
}

export interface StartWorker {
  readonly sandbox: Sandbox;
  readonly guard: GroupGuard;
  /** Arguments for Node: the entry and its own arguments. */
  readonly args: readonly string[];
  readonly maxContentBytes: number;
}

const stderrBytes = 8192;
/** How long the pipes of a dead process may stay open. */
const closeGraceMs = 500;

export function startWorker({ sandbox, guard, args, maxContentBytes }: StartWorker): WorkerProcess {
  let spawned: SandboxedProcess;
  try {
    spawned = sandbox.spawnNode(args);
  } catch (spawnError) {
    return neverStarted(spawnError as Error);
  }
  const { child, channel } = spawned;
  if (child.pid !== undefined) guard.add(child.pid);
  const kill = () => killGroup(child.pid);
  const inbox = openInbox(channel, maxContentBytes, kill);
  const ready = inbox.next(0);
  let jobId = 0;
  const exited = waitForExit(spawned, guard).then((exit) => {
    inbox.close();
    return { ...exit, ...(inbox.violation !== undefined && { violation: inbox.violation }) };
  });
  return {
    pid: child.pid,
    ready,
    exited,
    run: async (job, bytes) => {
      jobId += 1;
      const answer = inbox.next(jobId);
      // To the end, whatever comes back meanwhile: the next job must not begin inside this one.
      await sendFrame(channel, { ...job, jobId }, bytes);
      return answer;
    },
    kill,
  };
}

/** What a worker says, one message for each that is asked for; anything else is a violation, for which it is killed. */
interface Inbox {
  readonly violation: string | undefined;
  /** The message for this job, or undefined when there will be none. */
  next(jobId: number): Promise<CheckedMessage | undefined>;
  close(): void;
}

function openInbox(channel: Duplex, maxContentBytes: number, kill: () => void): Inbox {
  const reader = createFrameReader(maxContentBytes);
  let violation: string | undefined;
  let isClosed = false;
  let asked: { jobId: number; answer: (message: CheckedMessage | undefined) => void } | undefined;
  const deliver = (message: CheckedMessage | undefined) => {
    const { answer } = asked ?? {};
    asked = undefined;
    answer?.(message);
  };
  channel.on("data", (chunk: Buffer) => {
    if (violation !== undefined) return;
    try {
      for (const frame of reader.push(chunk)) {
        const message = parseWorkerMessage(frame);
        if (message.jobId !== asked?.jobId) throw new Error("a message that nobody asked for");
        deliver(message);
      }
      freeMemory(chunk);
    } catch (error) {
      violation = (error as Error).message.slice(0, 200);
      kill();
    }
  });
  return {
    get violation() {
      return violation;
    },
    next: (jobId) => (isClosed ? Promise.resolve(undefined) : new Promise((answer) => (asked = { jobId, answer }))),
    close: () => {
      isClosed = true;
      deliver(undefined);
    },
  };
}

function neverStarted(spawnError: Error): WorkerProcess {
  return {
    pid: undefined,
    ready: Promise.resolve(undefined),
    exited: Promise.resolve({ code: undefined, signal: undefined, stderr: "", spawnError }),
    run: () => Promise.resolve(undefined),
    kill: () => undefined,
  };
}

// After `exit` come the last words, until `close`.
function waitForExit({ child, stderr, channel }: SandboxedProcess, guard: GroupGuard): Promise<WorkerExit> {
  const words = createTextTail(stderrBytes);
  stderr.on("data", (chunk: Uint8Array) => words.add(chunk));
  return new Promise((resolve) => {
    let exit: Omit<WorkerExit, "stderr"> = { code: undefined, signal: undefined };
    const finish = () => {
      channel.destroy();
      stderr.destroy();
      resolve({ ...exit, stderr: words.read() });
    };
    child.once("error", (spawnError) => {
      exit = { ...exit, spawnError };
      if (child.pid === undefined) finish();
    });
    child.once("exit", (code, signal) => {
      exit = { code: code ?? undefined, signal: signal ?? undefined };
      killGroup(child.pid);
      if (child.pid !== undefined) guard.remove(child.pid);
      setTimeout(finish, closeGraceMs).unref();
    });
    child.once("close", finish);
  });
}
