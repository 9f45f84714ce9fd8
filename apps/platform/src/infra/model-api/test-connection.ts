import { AppError } from "@attune/service-kit/app-error.ts";
import { createApiLimiter } from "./api-limiter.ts";
import { callApi } from "./call-api.ts";
import { type ChatDeps, completeChat } from "./chat.ts";
import { findRemedy } from "./connection-remedy.ts";
import { embedTexts } from "./embeddings.ts";
import { listModelsRequest, readModels } from "./list-models.ts";
import type { ConnectionReport, ConnectionStep, ListedModel, ModelPurpose } from "./model-api.ts";

const maxNames = 100;
// A model that is loaded on demand may need this long for its first token.
const longestWaitMs = 60_000;

/**
 * Asks for the list of models, then for the shortest answer of the model, once each, beside the limits of the API: a person
 * waits for it. An API without a list is fine when the model answers.
 */
export async function testConnection(
  purpose: ModelPurpose,
  given: ChatDeps,
  signal: AbortSignal,
): Promise<ConnectionReport> {
  const deps = forOneTry(given);
  const steps: ConnectionStep[] = [];
  const ask = <T>(asked: string, send: () => Promise<T>) => record({ asked, steps, signal }, send);
  const list = await ask(`GET ${deps.endpoint.apiUrl}/models`, () => listOnce(deps, signal));
  const models = list.value ?? [];
  const names = models.map(({ id }) => id);
  const isModelListed = list.value === undefined ? undefined : names.includes(deps.endpoint.apiModel);
  const shared = { steps, isModelListed, models: names.slice(0, maxNames) };
  if (list.error !== undefined && isAboutServer(list.error))
    return fail(list.error, { ...shared, names, deps, signal });
  const answer =
    purpose === "chat"
      ? await ask(`POST ${deps.endpoint.apiUrl}/chat/completions`, () => chatOnce(deps, signal))
      : await ask(`POST ${deps.endpoint.apiUrl}/embeddings`, () => embedOnce(deps, signal));
  if (answer.error !== undefined) return fail(answer.error, { ...shared, names, deps, signal });
  return { ...shared, isOk: true, failure: undefined };
}

function forOneTry(deps: ChatDeps): ChatDeps {
  const { settings, clock } = deps;
  const firstByteTimeoutMs = Math.min(settings.firstByteTimeoutMs, longestWaitMs);
  const totalTimeoutMs = Math.min(settings.totalTimeoutMs, longestWaitMs);
  return {
    ...deps,
    settings: { ...settings, firstByteTimeoutMs, totalTimeoutMs, maxAttempts: 1 },
    limiter: createApiLimiter({ maxConcurrency: 1, requestsPerMinute: undefined }, clock),
  };
}

interface Recording {
  readonly asked: string;
  readonly steps: ConnectionStep[];
  readonly signal: AbortSignal;
}

type Outcome<T> = { readonly value: T; readonly error?: never } | { readonly value?: never; readonly error: AppError };

async function record<T>({ asked, steps, signal }: Recording, send: () => Promise<T>): Promise<Outcome<T>> {
  const startedAtMs = performance.now();
  const done = (outcome: string, hasPassed: boolean): void => {
    steps.push({ asked, hasPassed, latencyMs: Math.round(performance.now() - startedAtMs), outcome });
  };
  try {
    const value = await send();
    done("answered", true);
    return { value };
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    done([error.entry.sentence, error.details.detail].filter(Boolean).join(" "), false);
    return { error };
  }
}

async function listOnce(deps: ChatDeps, signal: AbortSignal): Promise<ListedModel[]> {
  using call = await callApi(listModelsRequest, deps, signal);
  return await readModels(call, deps.endpoint);
}

// Reasoning models spend tokens before they answer; a cut answer proves as much.
const chatOnce = (deps: ChatDeps, signal: AbortSignal) =>
  completeChat({ messages: [{ role: "user", content: "Say ok." }], maxTokens: 16 }, deps, signal);

const embedOnce = (deps: ChatDeps, signal: AbortSignal) => embedTexts({ texts: ["ok"] }, deps, signal);

/** Whether nothing else at this address can go better, so that no more is sent to it. */
function isAboutServer({ reason }: AppError): boolean {
  return ![
    "MODEL_API_PATH_UNKNOWN",
    "MODEL_API_INCOMPATIBLE",
    "MODEL_API_REQUEST_REJECTED",
    "MODEL_API_FAILED",
  ].includes(reason);
}

interface FailedTest {
  readonly steps: readonly ConnectionStep[];
  readonly isModelListed: boolean | undefined;
  readonly models: readonly string[];
  readonly names: readonly string[];
  readonly deps: ChatDeps;
  readonly signal: AbortSignal;
}

async function fail(error: AppError, test: FailedTest): Promise<ConnectionReport> {
  const { steps, isModelListed, models } = test;
  const what = [error.entry.sentence, error.details.detail].filter(Boolean).join(" ");
  const remedy = await findRemedy(error, test, test.signal);
  return { isOk: false, steps, isModelListed, models, failure: { reason: error.reason, what, remedy } };
}
