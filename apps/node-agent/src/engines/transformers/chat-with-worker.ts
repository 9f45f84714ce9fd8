import { randomUUID } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ChatEvent, ChatRequest } from "../inference-engine.ts";
import { createStallWatch } from "../stall-watch.ts";
import type { WorkerConnection } from "./worker-connection.ts";

export interface WorkerChatPorts {
  readonly connection: WorkerConnection;
  /** How long a worker may give no sign of an answer, in milliseconds. */
  readonly stallMs: number;
  /** How long it may take to see that an answer is not wanted any more. */
  readonly cancelGraceMs: number;
  /** The worker does not stop to generate: it cannot be trusted with anything any more, and its connection fails. */
  readonly onHung: (error: AppError) => void;
}

/** One answer of a worker. When the iteration has ended, the worker works on it no more. */
export async function* chatWithWorker(
  { messages, generation }: ChatRequest,
  ports: WorkerChatPorts,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  if (signal.aborted) {
    yield { type: "done", finish: "cancelled" };
    return;
  }
  const { connection } = ports;
  const id = randomUUID();
  const watch = createStallWatch(ports.stallMs, () => backlog.fail(stalled(ports.stallMs)));
  const { backlog, finished } = connection.open(id, watch.sign);
  // It has to say that it stopped before it is given the next one.
  const cancel = (): void => {
    connection.send({ cmd: "cancel", request_id: id });
    void isWithin(finished, ports.cancelGraceMs).then((hasStopped) => {
      if (!hasStopped) ports.onHung(hung(ports.cancelGraceMs));
    });
  };
  signal.addEventListener("abort", cancel, { once: true });
  let hasEnded = false;
  try {
    connection.send({ cmd: "chat", request_id: id, messages, generation });
    for (let event = await backlog.next(); event !== undefined; event = await backlog.next()) {
      hasEnded = event.type === "done";
      yield event;
    }
  } finally {
    watch.close();
    signal.removeEventListener("abort", cancel);
    if (!hasEnded && !signal.aborted) cancel();
    await finished;
    connection.forget(id);
  }
}

const isWithin = (done: Promise<void>, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    void done.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });

const stalled = (stallMs: number): AppError =>
  new AppError("INFERENCE_ENGINE_STALLED", { detail: `Nothing of this answer came for ${stallMs / 1000} seconds.` });

const hung = (graceMs: number): AppError =>
  new AppError("INFERENCE_ENGINE_STALLED", {
    detail: `It did not stop to generate within ${graceMs / 1000} seconds after it was told to, and was ended.`,
  });
