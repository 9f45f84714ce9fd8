import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface FakeAgent extends AsyncDisposable {
  readonly url: string;
  /** Models that the fake worker loads: one that answers as fast as it can, one with 2 ms between tokens. */
  readonly plain: string;
  readonly paced: string;
  /** Bytes, after a garbage collection. */
  memory(): Promise<{ readonly rss: number; readonly heapUsed: number }>;
  post(path: string, body: object): Promise<unknown>;
}

/** An agent's operations of models in a process of their own, with a fake worker. */
export async function startFakeAgent(): Promise<FakeAgent> {
  const child = spawn(process.execPath, ["--expose-gc", join(import.meta.dirname, "serve-fake.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => JSON.parse((await lines.next()).value as string) as T;
  const told = await next<{ url: string; plain: string; paced: string }>();
  return {
    ...told,
    memory: () => {
      child.stdin.write("\n");
      return next();
    },
    post: async (path, body) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${told.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return response.json();
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await once(child, "close");
    },
  };
}

/** Loads a model and waits until it is ready. */
export async function loadModel(agent: FakeAgent, model: string): Promise<void> {
  await agent.post("/inference/load", { model_path: model });
  await waitUntilReady(agent);
}

export async function waitUntilReady(agent: FakeAgent): Promise<void> {
  for (;;) {
    const { sessions } = (await (await fetch(`${agent.url}/inference/status`)).json()) as {
      sessions: { state: string }[];
    };
    if (sessions[0]?.state === "ready") return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
