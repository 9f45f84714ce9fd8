import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiLimiter, type ApiLimits, type Clock, createApiLimiter } from "./api-limiter.ts";
import { callApi } from "./call-api.ts";
import { type ChatDeps, completeChat, streamChat } from "./chat.ts";
import { createDialect, type Dialect } from "./chat-body.ts";
import { embedTexts } from "./embeddings.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { listModelsRequest, readModels } from "./list-models.ts";
import type { ModelApi, ModelEndpoint } from "./model-api.ts";
import type { ModelApiSettings } from "./model-api-settings.ts";
import { parseApiUrl } from "./parse-api-url.ts";
import { completeStructured } from "./structured-output.ts";
import { testConnection } from "./test-connection.ts";

/** The OpenAI-compatible APIs that this program calls. */
export interface ModelApis {
  /**
   * A client of one model. Clients under one URL and key share the limits of that API, as the last one opened gives them.
   * @throws AppError `MODEL_API_URL_INVALID`.
   */
  open(endpoint: ModelEndpoint): ModelApi;
  /** Ends every call; those that wait fail. */
  close(): Promise<void>;
}

export interface ModelApisDeps {
  readonly settings: ModelApiSettings;
  readonly clock?: Clock;
  /** A number from 0 to below 1. */
  readonly random?: () => number;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (waitMs, signal) => {
    try {
      await sleep(waitMs, undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};

/** What is kept for an API and its key. */
interface Remembered {
  readonly limiter: ApiLimiter;
  readonly dialects: Map<string, Dialect>;
}

// More APIs than a platform has; above it, those that are not in use are forgotten.
const maxRemembered = 1_000;

export function createModelApis({ settings, clock = systemClock, random = Math.random }: ModelApisDeps): ModelApis {
  const dispatcher = createGuardedAgent(settings);
  const remembered = new Map<string, Remembered>();
  const remember = (endpoint: ModelEndpoint, limits: ApiLimits): Remembered => {
    const key = createHash("sha256")
      .update(`${endpoint.apiUrl}\n${endpoint.secret?.reveal() ?? ""}`)
      .digest("base64");
    const known = remembered.get(key);
    known?.limiter.setLimits(limits);
    if (known !== undefined) return known;
    if (remembered.size >= maxRemembered) forgetIdle(remembered);
    const fresh = { limiter: createApiLimiter(limits, clock), dialects: new Map<string, Dialect>() };
    remembered.set(key, fresh);
    return fresh;
  };
  return {
    open: (given) => {
      const endpoint = { ...given, apiUrl: parseApiUrl(given.apiUrl) };
      const maxConcurrency = endpoint.maxConcurrency ?? settings.maxConcurrency;
      const { limiter, dialects } = remember(endpoint, {
        maxConcurrency,
        requestsPerMinute: endpoint.requestsPerMinute,
      });
      const dialect = dialects.get(endpoint.apiModel) ?? createDialect();
      dialects.set(endpoint.apiModel, dialect);
      return createModelApi({ endpoint, settings, dispatcher, limiter, dialect, clock, random });
    },
    close: () => dispatcher.destroy(),
  };
}

function createModelApi(deps: ChatDeps): ModelApi {
  return {
    complete: (request, signal) => completeChat(request, deps, signal),
    stream: (request, signal) => streamChat(request, deps, signal),
    completeStructured: (request, signal) => completeStructured(request, deps, signal),
    embed: (request, signal) => embedTexts(request, deps, signal),
    listModels: async (signal) => {
      using call = await callApi(listModelsRequest, deps, signal);
      return await readModels(call, deps.endpoint);
    },
    testConnection: (purpose, signal) => testConnection(purpose, deps, signal),
  };
}

function forgetIdle(remembered: Map<string, Remembered>): void {
  for (const [key, { limiter }] of remembered) if (limiter.isIdle) remembered.delete(key);
}
