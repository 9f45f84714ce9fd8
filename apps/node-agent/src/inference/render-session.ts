import type { InferenceSessionView } from "@attune/contracts/compute/inference-api.ts";
import type { SessionFacts } from "./inference-session.ts";
import { toSessionFailure } from "./session-failure.ts";

/** A session as GET /inference/status shows it. */
export function renderSession(facts: SessionFacts): InferenceSessionView {
  const { spec, state } = facts;
  return {
    load_id: facts.loadId,
    task_id: spec.taskId,
    node_id: spec.nodeId,
    state,
    ...renderStage(facts),
    ...renderFailure(facts),
    log_tail: [...(facts.logTail ?? [])],
    engine: facts.engine?.name ?? spec.engine ?? null,
    ...renderModel(facts),
    gpus: [...(facts.held?.gpus ?? [])],
    ...renderChats(facts),
    pid: facts.pid ?? null,
    created_at: facts.createdAt.toISOString(),
    since: facts.since.toISOString(),
    ready_at: facts.readyAt?.toISOString() ?? null,
  };
}

const renderStage = ({ state, stage, progress }: SessionFacts) =>
  state === "starting" ? { stage: stage ?? null, progress: progress ?? null } : { stage: null, progress: null };

const renderChats = ({ slots }: SessionFacts) => ({
  active_chats: slots?.active ?? 0,
  queued_chats: slots?.waiting ?? 0,
});

const renderFailure = ({ state, failure }: SessionFacts) =>
  failure === undefined ? { message: messages[state], reason: null, hint: null } : toSessionFailure(failure);

function renderModel({ spec, model, state }: SessionFacts) {
  const { modelPath, adapterPath = null, dtype, quantisation } = spec.model;
  const asked = { model_path: modelPath, adapter_path: adapterPath, dtype, quantisation };
  // Of what is not in memory nothing is told as if it were.
  if (model === undefined || state !== "ready") {
    return { ...asked, context_length: null, memory_bytes: null, concurrency: null };
  }
  const { contextLength, memoryBytes, concurrency } = model;
  return { ...asked, context_length: contextLength, memory_bytes: memoryBytes, concurrency };
}

export const messages = {
  starting: "The model is being loaded.",
  ready: "The model is loaded.",
  error: "The model is not loaded.",
  unloading: "The model is being unloaded.",
} as const;
