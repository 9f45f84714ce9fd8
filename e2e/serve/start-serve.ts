import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { trainerSources } from "./find-trainer-python.ts";

export interface ServeEvent {
  readonly v: number;
  readonly seq: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface StartedServe extends AsyncDisposable {
  readonly pid: number;
  readonly send: (command: unknown) => void;
  /** Writes bytes as they are. */
  readonly write: (text: string | Uint8Array) => void;
  readonly closeCommands: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The next event that fits, those before it passed over. @throws Error when the worker ends before */
  readonly next: (fits: (event: ServeEvent) => boolean) => Promise<ServeEvent>;
  /** Every event of one chat, up to its last one. */
  readonly chat: (request: Readonly<Record<string, unknown>>) => Promise<readonly ServeEvent[]>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What it wrote to standard error so far. */
  readonly log: () => string;
}

/** Starts `attune-serve`; on disposal it is gone. */
export function startServe(python: string, env: Readonly<Record<string, string>> = {}): StartedServe {
  const child = spawn(python, ["-m", "attune_trainer.serve"], {
    env: { ...process.env, PYTHONPATH: trainerSources, OMP_NUM_THREADS: "1", CUDA_VISIBLE_DEVICES: "", ...env },
    stdio: "pipe",
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stdin.on("error", () => undefined);
  const queue = createQueue();
  createInterface({ input: child.stdout }).on("line", (line) => queue.put(JSON.parse(line) as ServeEvent));
  void ended.then(({ code, signal }) =>
    queue.end(new Error(`The worker ended (${code ?? signal}): ${log.slice(-2000)}`)),
  );
  const write = (text: string | Uint8Array): void => void child.stdin.write(text);
  const send = (command: unknown): void => write(`${JSON.stringify(command)}\n`);
  const next = async (fits: (event: ServeEvent) => boolean): Promise<ServeEvent> => {
    for (;;) {
      const event = await queue.take();
      if (fits(event)) return event;
    }
  };
  const chat: StartedServe["chat"] = async (request) => {
    send({ cmd: "chat", ...request });
    const events: ServeEvent[] = [];
    await next((event) => {
      if (event["request_id"] === request["request_id"]) events.push(event);
      return isLast(event) && event["request_id"] === request["request_id"];
    });
    return events;
  };
  return {
    pid: child.pid as number,
    send,
    write,
    next,
    chat,
    ended,
    closeCommands: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export const isLast = ({ type }: ServeEvent): boolean => type === "finished" || type === "error";

export const textOf = (events: readonly ServeEvent[]): string =>
  events
    .filter(({ type }) => type === "delta")
    .map((event) => event["text"])
    .join("");

function createQueue(): {
  readonly put: (event: ServeEvent) => void;
  readonly end: (error: Error) => void;
  readonly take: () => Promise<ServeEvent>;
} {
  const waiting: ServeEvent[] = [];
  let wake: () => void = () => undefined;
  let failure: Error | undefined;
  return {
    put: (event) => {
      waiting.push(event);
      wake();
    },
    end: (error) => {
      failure = error;
      wake();
    },
    take: async () => {
      while (waiting.length === 0) {
        if (failure !== undefined) throw failure;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return waiting.shift() as ServeEvent;
    },
  };
}
