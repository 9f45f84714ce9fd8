import type { StatusQuery, UnloadRequest } from "@attune/contracts/compute/inference-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type InferenceSession, notReady } from "./inference-session.ts";

/** What a caller names; null and undefined name nothing. */
export type SessionChoice = StatusQuery | UnloadRequest;

/** The sessions that fit everything that is named, in their order. */
export const listSessions = (sessions: readonly InferenceSession[], choice: SessionChoice): InferenceSession[] =>
  sessions.filter(
    ({ loadId, spec }) =>
      fits(choice.load_id, loadId) && fits(choice.task_id, spec.taskId) && fits(choice.node_id, spec.nodeId),
  );

const fits = (named: string | null | undefined, has: string | null): boolean =>
  named === null || named === undefined || named === has;

/**
 * The one loaded model that is meant.
 * @throws AppError MODEL_NOT_LOADED, also of one that is loading or failed; MODEL_AMBIGUOUS
 */
export function getReady(sessions: readonly InferenceSession[], choice: SessionChoice): InferenceSession {
  const meant = listSessions(sessions, choice);
  const ready = meant.filter(({ state }) => state === "ready");
  if (ready.length > 1) throw ambiguous(ready);
  const [session] = ready;
  if (session !== undefined) return session;
  const last = meant.at(-1);
  if (last === undefined) throw new AppError("MODEL_NOT_LOADED");
  throw notReady(last.state, last.view().message);
}

export const ambiguous = (sessions: readonly InferenceSession[]): AppError =>
  new AppError("MODEL_AMBIGUOUS", {
    detail: `There are ${sessions.map(({ loadId, spec }) => spec.taskId ?? loadId).join(", ")}.`,
  });
