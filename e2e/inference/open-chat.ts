import type { ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import type { NodeAgentProcess } from "../node-agent/start-node-agent.ts";

/** Asks the model of the task `t` through the agent, for an answer that comes in frames. */
export const openChat = (
  agent: NodeAgentProcess,
  { content, ...more }: { readonly content: string; readonly [setting: string]: unknown },
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${agent.url}/inference/chat/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ task_id: "t", messages: [{ role: "user", content }], ...more }),
    ...(signal !== undefined && { signal }),
  });

/** What the frames of an answer say together. */
export const textOf = (events: readonly ServerSentEvent[]): string =>
  events.map(({ event, data }) => (event === "delta" ? (JSON.parse(data) as { text: string }).text : "")).join("");
