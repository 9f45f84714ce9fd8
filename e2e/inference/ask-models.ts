import type { InferenceStatus, InferenceSessionView, LoadAnswer } from "@attune/contracts/compute/inference-api.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NodeAgentProcess, startNodeAgent } from "../node-agent/start-node-agent.ts";
import { makeTaughtModels, type TaughtModels } from "../serve/taught-models.ts";

/** What tests ask of the models of one agent, each load in the place of the one before, as the task `t`. */
export interface ModelsOfAgent {
  readonly load: (request: object) => Promise<LoadAnswer>;
  /** Loads, and waits until the model is ready or has failed. @throws Error when the load is refused at once */
  readonly loaded: (request: object) => Promise<InferenceSessionView>;
  readonly session: (loadId: string | null) => Promise<InferenceSessionView | undefined>;
  readonly open: (content: string, more?: object, signal?: AbortSignal) => Promise<Response>;
  /** The frames of a greedy answer. */
  readonly stream: (content: string, more?: object) => Promise<readonly ServerSentEvent[]>;
}

export interface AgentWithModels extends AsyncDisposable {
  /** For what the test makes; removed at the end. */
  readonly folder: string;
  readonly models: TaughtModels;
  readonly agent: NodeAgentProcess;
  readonly asked: ModelsOfAgent;
}

/** An agent with these settings, and models that it can load. */
export async function startWithModels(
  python: string,
  settings: Readonly<Record<string, string>>,
): Promise<AgentWithModels> {
  const models = await makeTaughtModels(python);
  const folder = mkdtempSync(join(tmpdir(), "attune-inference-"));
  const agent = await startNodeAgent(join(folder, "data"), { NODE_AGENT_LOG_LEVEL: "warn", ...settings });
  const end = async (): Promise<void> => {
    await agent[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, models, agent, asked: askModels(agent), [Symbol.asyncDispose]: end };
}

function askModels({ url, ask }: Pick<NodeAgentProcess, "url" | "ask">): ModelsOfAgent {
  const load = async (request: object): Promise<LoadAnswer> =>
    (await ask("POST", "/inference/load", { gpus: "none", task_id: "t", replace: true, ...request }))
      .body as LoadAnswer;
  const session = async (loadId: string | null): Promise<InferenceSessionView | undefined> => {
    const { body } = await ask("GET", "/inference/status");
    return (body as InferenceStatus).sessions.find(({ load_id }) => load_id === loadId);
  };
  const open = (content: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/inference/chat/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ task_id: "t", messages: [{ role: "user", content }], ...more }),
      ...(signal !== undefined && { signal }),
    });
  return {
    load,
    session,
    open,
    loaded: async (request) => {
      const answer = await load(request);
      if (!answer.success) throw new Error(JSON.stringify(answer));
      for (;;) {
        const found = await session(answer.load_id);
        if (found?.state !== "starting") return found as InferenceSessionView;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    stream: async (content, more = {}) => {
      const { body } = await open(content, { generation: { temperature: 0 }, ...more });
      return body === null ? [] : Array.fromAsync(readEvents(body));
    },
  };
}

/** What the frames of an answer say together. */
export const textOf = (events: readonly ServerSentEvent[]): string =>
  events.map(({ event, data }) => (event === "delta" ? (JSON.parse(data) as { text: string }).text : "")).join("");

/** Begins a long answer, goes away, and waits until the model is free. */
export async function leaveChat({ open, session }: ModelsOfAgent, loadId: string | null): Promise<void> {
  const leaving = new AbortController();
  const endless = { generation: { max_new_tokens: 1900, temperature: 1, seed: 1 } };
  const reader = (await open("Go on and on", endless, leaving.signal)).body?.getReader();
  await reader?.read();
  leaving.abort();
  while ((await session(loadId))?.active_chats !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
