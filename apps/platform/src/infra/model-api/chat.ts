import { AppError } from "@attune/service-kit/app-error.ts";
import { type ApiCall, callApi, type CallDeps } from "./call-api.ts";
import { answerSchema, chunkSchema, createAnswerBuilder } from "./chat-answer.ts";
import { type Dialect, toChatBody } from "./chat-body.ts";
import type { ApiRequest } from "./exchange.ts";
import type { ChatAnswer, ChatDelta, ChatRequest, ModelEndpoint } from "./model-api.ts";
import { parseJson, readJson, toForm } from "./read-json.ts";
import { readSse } from "./read-sse.ts";
import { ApiRefusal } from "./to-refusal.ts";

export interface ChatDeps extends CallDeps {
  readonly endpoint: ModelEndpoint;
  readonly dialect: Dialect;
}

/** A chat request and the form its answer is to be constrained to. */
export interface FormedChatRequest extends ChatRequest {
  readonly responseFormat?: unknown;
}

/** One whole answer. */
export async function completeChat(
  request: FormedChatRequest,
  deps: ChatDeps,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  using call = await openChat(request, { ...deps, isStream: false }, signal);
  return toWholeAnswer(await readJson(call, answerSchema, deps.endpoint.secret), deps.endpoint);
}

function toWholeAnswer(json: typeof answerSchema._output, { apiModel }: ModelEndpoint): ChatAnswer {
  const builder = createAnswerBuilder(apiModel);
  const [choice] = json.choices;
  builder.add(choice?.message ?? {});
  builder.finish({ finishReason: choice?.finish_reason, usage: json.usage, model: json.model });
  return builder.end().answer;
}

/** An answer as it is written. A server that does not stream gives it in one piece. */
export async function* streamChat(
  request: ChatRequest,
  deps: ChatDeps,
  signal: AbortSignal,
): AsyncGenerator<ChatDelta, void, void> {
  using call = await openChat(request, { ...deps, isStream: true }, signal);
  yield* call.mediaType === "text/event-stream" ? readStream(call, deps) : readWhole(call, deps);
}

async function* readWhole(call: ApiCall, { endpoint }: ChatDeps): AsyncGenerator<ChatDelta, void, void> {
  const answer = toWholeAnswer(await readJson(call, answerSchema, endpoint.secret), endpoint);
  if (answer.reasoning !== "") yield { type: "reasoning", text: answer.reasoning };
  if (answer.content !== "") yield { type: "content", text: answer.content };
  for (const [index, { name, argumentsText }] of answer.toolCalls.entries()) {
    yield { type: "tool_call", index, name, argumentsText };
  }
  yield { type: "end", answer };
}

async function* readStream(call: ApiCall, { endpoint }: ChatDeps): AsyncGenerator<ChatDelta, void, void> {
  const builder = createAnswerBuilder(endpoint.apiModel);
  let isDone = false;
  for await (const data of readSse(call.bytes)) {
    if (data === "[DONE]") {
      isDone = true;
      break;
    }
    const { choices, usage, model } = toForm(parseJson(data, call.mediaType), chunkSchema, endpoint.secret);
    const [choice] = choices ?? [];
    yield* builder.add(choice?.delta ?? {});
    builder.finish({ finishReason: choice?.finish_reason, usage, model });
  }
  // Some servers leave [DONE] out; a finish reason says as well that nothing is missing.
  if (!isDone && !builder.hasFinished) {
    throw new AppError("MODEL_API_INTERRUPTED", { detail: "Its stream ended before the answer did." });
  }
  const { deltas, answer } = builder.end();
  yield* deltas;
  yield { type: "end", answer };
}

interface OpenChatDeps extends ChatDeps {
  readonly isStream: boolean;
}

/** Sends a chat request; again, in the other way, when the API does not know a parameter that has another way. */
async function openChat(request: FormedChatRequest, deps: OpenChatDeps, signal: AbortSignal): Promise<ApiCall> {
  const { dialect, endpoint, isStream } = deps;
  for (;;) {
    const { responseFormat } = request;
    const apiRequest: ApiRequest = {
      method: "POST",
      path: "/chat/completions",
      body: toChatBody(request, { model: endpoint.apiModel, isStream, dialect, responseFormat }),
      accept: isStream ? "text/event-stream" : "application/json",
      hasFirstByteTimeout: isStream,
    };
    const sent = { ...dialect };
    try {
      return await callApi(apiRequest, deps, signal);
    } catch (error) {
      if (!adaptDialect(error, { dialect, sent, isStream, hasLimit: request.maxTokens !== undefined })) throw error;
    }
  }
}

interface Adaption {
  readonly dialect: Dialect;
  /** What the refused request was written in; another call may have changed the dialect since. */
  readonly sent: Dialect;
  readonly isStream: boolean;
  readonly hasLimit: boolean;
}

/** Whether the refusal names a parameter that can be left out or written in another way. */
function adaptDialect(error: unknown, { dialect, sent, isStream, hasLimit }: Adaption): boolean {
  const refusal = error instanceof AppError ? error.cause : undefined;
  if (!(refusal instanceof ApiRefusal) || (refusal.status !== 400 && refusal.status !== 422)) return false;
  if (hasLimit && sent.tokenLimitField === "max_tokens" && refusal.message.includes("max_completion_tokens")) {
    dialect.tokenLimitField = "max_completion_tokens";
    return true;
  }
  const isAboutOptions = refusal.param === "stream_options" || refusal.message.includes("stream_options");
  if (!isStream || !sent.hasStreamOptions || !isAboutOptions) return false;
  dialect.hasStreamOptions = false;
  return true;
}
