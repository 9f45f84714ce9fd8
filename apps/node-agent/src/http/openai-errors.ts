import type { OpenaiError } from "@attune/contracts/compute/openai-chat-api.ts";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import type { RenderedRefusal } from "@attune/service-kit/http/create-http-server.ts";

/** Whether a path, with or without a query, is one of OpenAI's API: what it is refused with has the form that its clients read. */
export const isOpenaiPath = (path: string): boolean => /^\/v1(?:[/?]|$)/.test(path);

/** A refusal as OpenAI's API tells it: one of the statuses that its clients know, and an object `error`. */
export const toOpenaiRefusal = (problem: Problem): RenderedRefusal => ({
  status: statusOf(problem),
  mediaType: "application/json",
  body: toOpenaiError(problem),
});

/** What clients would try again for nothing is 400. */
function statusOf({ reason, status }: Problem): number {
  if (reason === "MODEL_NOT_LOADED") return 404;
  return status === 422 ? 400 : status;
}

export function toOpenaiError(problem: Problem): OpenaiError {
  const { reason, title, detail, remedy, violations = [] } = problem;
  const faults = violations.map(({ pointer, message }) => `${paramOf(pointer) ?? partOf(pointer)}: ${message}`);
  const message = faults.length > 0 ? faults.join("; ") : [...new Set([title, detail, remedy])].join(" ");
  const type = typeOf(statusOf(problem));
  return { error: { message, type, param: paramIn(problem), code: codes[reason] ?? reason.toLowerCase() } };
}

function paramIn({ reason, violations }: Problem): string | null {
  if (reason === "MODEL_NOT_LOADED") return "model";
  const [first] = violations ?? [];
  return first === undefined ? null : paramOf(first.pointer);
}

/** `messages.0.content` of the pointer `/body/messages/0/content`; null of a whole part. */
function paramOf(pointer: string): string | null {
  const [, , ...steps] = pointer.split("/");
  return steps.length === 0 ? null : steps.join(".").replaceAll("~1", "/").replaceAll("~0", "~");
}

const partOf = (pointer: string): string => `The ${pointer.split("/")[1]}`;

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** Those of OpenAI that clients look for. */
const codes: Readonly<Partial<Record<string, string>>> = {
  NODE_TOKEN_REQUIRED: "invalid_api_key",
  NODE_ROUTE_NOT_FOUND: "unknown_url",
  MODEL_NOT_LOADED: "model_not_found",
  CHAT_CONTEXT_TOO_LONG: "context_length_exceeded",
  MODEL_QUEUE_FULL: "rate_limit_exceeded",
};
