import type { AppError } from "@attune/service-kit/app-error.ts";
import { callApi } from "./call-api.ts";
import type { ChatDeps } from "./chat.ts";
import { listModelsRequest, readModels } from "./list-models.ts";

export interface RemedyContext {
  readonly deps: ChatDeps;
  /** Names that the API lists; empty when it has no list. */
  readonly names: readonly string[];
}

/** What to change so that a connection works, found out where that is possible. */
export async function findRemedy(error: AppError, context: RemedyContext, signal: AbortSignal): Promise<string> {
  const { remedy } = error.entry;
  if (error.reason === "MODEL_API_MODEL_UNKNOWN") return nameModels(context) ?? remedy;
  if (error.reason === "MODEL_API_PATH_UNKNOWN" || error.reason === "MODEL_API_INCOMPATIBLE") {
    const found = await findApiUrl(context.deps, signal);
    return found === undefined ? remedy : `Set api_url to ${found}, where an API answers.`;
  }
  const { retryAfterMs } = error.details;
  if (retryAfterMs === undefined) return remedy;
  return `${remedy} It asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s.`;
}

const shownNames = 5;

/** Names that begin alike or hold the asked one come first. */
function nameModels({ names, deps }: RemedyContext): string | undefined {
  if (names.length === 0) return undefined;
  const asked = deps.endpoint.apiModel.toLowerCase();
  const sorted = [...names].sort((a, b) => likeness(b, asked) - likeness(a, asked));
  const shown = sorted.slice(0, shownNames).join(", ");
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
  return `Set api_model to a name that the API lists: ${shown}${more}.`;
}

function likeness(name: string, asked: string): number {
  const lower = name.toLowerCase();
  if (lower.includes(asked) || asked.includes(lower)) return 1_000;
  let same = 0;
  while (same < asked.length && lower[same] === asked[same]) same++;
  return same;
}

/** The address on the same server at which a list of models answers, most often the one with /v1. */
async function findApiUrl(deps: ChatDeps, signal: AbortSignal): Promise<string | undefined> {
  const { apiUrl } = deps.endpoint;
  const { origin } = new URL(apiUrl);
  const candidates = new Set([`${apiUrl}/v1`, `${origin}/v1`, `${origin}/api/v1`, `${origin}/openai/v1`]);
  candidates.delete(apiUrl);
  for (const candidate of candidates) {
    if (await listsModels({ ...deps, endpoint: { ...deps.endpoint, apiUrl: candidate } }, signal)) return candidate;
  }
  return undefined;
}

async function listsModels(deps: ChatDeps, signal: AbortSignal): Promise<boolean> {
  try {
    using call = await callApi(listModelsRequest, deps, signal);
    await readModels(call, deps.endpoint);
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}
