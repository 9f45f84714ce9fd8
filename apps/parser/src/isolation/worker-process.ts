import type { StoredBytes } from "../engines/engine.ts";
import type { GroupGuard } from "../process/group-guard.ts";
import { killGroup } from "../process/kill-group.ts";
import type { Sandbox, SandboxedProcess } from "../process/sandbox.ts";
import { createTextTail } from "../process/text-tail.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import { answerQuestion, type JobMeans } from "./answer-question.ts";
import type { WorkerExit } from "./exit-cause.ts";
import { openInbox } from "./inbox.ts";
import type { JobMessage } from "./messages.ts";
import type { CheckedAnswer, CheckedQuestion } from "./parse-worker-message.ts";
import { sendFrame } from "./send-frame.ts";
import { storedInMemory } from "./stored-in-memory.ts";

/** One worker process, seen from the service. But for `run`, nothing here rejects: a worker that fails has ended, and `exited` tells how. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** The first message, or undefined when the process ended before. */
  readonly ready: Promise<CheckedAnswer | undefined>;
  readonly exited: Promise<WorkerExit>;
  /**
   * One job at a time; undefined when the process ended before it answered. Bytes of a job with `fileBytes` are sent as the
   * worker asks for them. Rejects when the bytes could not be read, after which the process waits for the rest of them and
   * must be killed. What the recogniser is asked for ends with the process.
   */
  run(
    job: Omit<JobMessage, "jobId">,
    bytes: StoredBytes,
    recogniser: Recogniser | undefined,
  ): Promise<CheckedAnswer | undefined>;
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
const noBytes = storedInMemory(new Uint8Array());
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
  const ending = new AbortController();
  const kill = () => {
    ending.abort();
    killGroup(child.pid);
  };
  let means: JobMeans = { recogniser: undefined, file: undefined };
  const answer = (question: CheckedQuestion) => answerQuestion(question, means, ending.signal);
  const mayAsk = ({ kind }: CheckedQuestion) => kind !== "part" || means.file !== undefined;
  const inbox = openInbox(channel, { maxContentBytes, kill, mayAsk, answer });
  const ready = inbox.next(0);
  let jobId = 0;
  const exited = waitForExit(spawned, guard).then((exit) => {
    ending.abort();
    inbox.close();
    return { ...exit, ...(inbox.violation !== undefined && { violation: inbox.violation }) };
  });
  return {
    pid: child.pid,
    ready,
    exited,
    run: async (job, bytes, recogniser) => {
      jobId += 1;
      await using file = job.fileBytes === undefined ? undefined : await bytes.openForAccess?.();
      means = { recogniser, file };
      const message = inbox.next(jobId);
      // To the end, whatever comes back meanwhile: the next job must not begin inside this one.
      await sendFrame(channel, { ...job, jobId }, file === undefined ? bytes : noBytes);
      return await message;
    },
    kill,
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
