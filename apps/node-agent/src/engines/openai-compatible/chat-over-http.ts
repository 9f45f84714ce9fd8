import { type Generation, noTokenLimit } from "@attune/contracts/compute/run-spec.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { readEvents } from "@attune/contracts/rest/read-events.ts";
import { type Dispatcher, request as send } from "undici";
import * as z from "zod";
import type { ChatEvent, ChatRequest } from "../inference-engine.ts";
import { boundLines } from "./bound-lines.ts";
import { toTransportError, toUpstreamError } from "./to-upstream-error.ts";

/** A server that speaks OpenAI's chat API. */
export interface ChatServer {
  /** Ends before `/chat/completions`. */
  readonly url: string;
  /** Sent as bearer token; none when empty. */
  readonly key: string;
  /** The name of the model there. */
  readonly model: string;
  readonly dispatcher: Dispatcher;
  /** How long it may send nothing, in milliseconds. */
  readonly stallMs: number;
  /** Tokens of its context, where they are known; an answer of as many is asked for without a limit. */
  readonly contextLength: number | null;
  /** The parameters that OpenAI's API does not have, as it takes them. @throws AppError CHAT_REJECTED for those it does not take */
  readonly toExtra: (generation: Generation, contextLength: number | null) => Readonly<Record<string, number>>;
}

/** One answer, as it comes. An aborted signal closes the connection, by which the server ends the generation. */
export async function* chatOverHttp(
  server: ChatServer,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  if (signal.aborted) {
    yield { type: "done", finish: "cancelled" };
    return;
  }
  const leaving = new AbortController();
  try {
    const answer = await post(server, request, AbortSignal.any([signal, leaving.signal]));
    yield* readAnswer(answer.body);
  } catch (error) {
    if (!signal.aborted) throw toTransportError(error);
    yield { type: "done", finish: "cancelled" };
  } finally {
    leaving.abort();
  }
}

async function post(server: ChatServer, request: ChatRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, key, dispatcher, stallMs } = server;
  const answer = await send(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== "" && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(toBody(server, request)),
    dispatcher,
    signal,
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });
  if (answer.statusCode === 200) return answer;
  throw toUpstreamError(answer.statusCode, answer.headers, await readBeginning(answer.body));
}

const maxErrorBytes = 64 * 1024;

async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > maxErrorBytes) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

function toBody({ model, contextLength, toExtra }: ChatServer, { messages, generation }: ChatRequest): unknown {
  const { max_new_tokens: most, temperature, top_p, stop, seed } = generation;
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(most < (contextLength ?? noTokenLimit) && { max_tokens: most }),
    temperature,
    top_p,
    ...(stop.length > 0 && { stop }),
    ...(seed !== undefined && { seed }),
    ...toExtra(generation, contextLength),
  };
}

const chunkSchema = z.object({
  choices: z
    .array(
      z.object({ delta: z.object({ content: z.string().nullish() }).nullish(), finish_reason: z.string().nullish() }),
    )
    .nullish(),
  usage: z
    .object({ prompt_tokens: z.int(), completion_tokens: z.int().default(0) })
    .nullish()
    .catch(null),
});
const errorSchema = z.union([
  z.object({ error: z.union([z.string(), z.object({ message: z.string().nullish() })]) }),
  z.object({ object: z.literal("error") }),
]);
const isFailure = (json: unknown): boolean => errorSchema.safeParse(json).success;

/** The end is told last, whatever order the server has for it. @throws AppError when there is none */
async function* readAnswer(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChatEvent> {
  let finish: "stop" | "length" | undefined;
  let usage: ChatEvent | undefined;
  for await (const { event, data } of readEvents(boundLines(body))) {
    if (data === "[DONE]") break;
    const chunk = toPart(parse(data, event));
    if (chunk.text !== "") yield { type: "delta", text: chunk.text };
    finish = chunk.finish ?? finish;
    usage = chunk.usage ?? usage;
  }
  if (finish === undefined) throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "Its answer broke off." });
  if (usage !== undefined) yield usage;
  yield { type: "done", finish };
}

interface AnswerPart {
  readonly text: string;
  readonly finish: "stop" | "length" | undefined;
  readonly usage: ChatEvent | undefined;
}

function toPart({ choices, usage }: z.infer<typeof chunkSchema>): AnswerPart {
  const { delta, finish_reason: reason } = choices?.[0] ?? {};
  const text = delta?.content ?? "";
  const finish = toFinish(reason);
  if (usage === undefined || usage === null) return { text, finish, usage: undefined };
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  return { text, finish, usage: { type: "usage", promptTokens, completionTokens } };
}

/** Some servers say "" as long as there is none. @throws AppError when the answer is not whole, nor cut at its limit */
function toFinish(reason: string | null | undefined): AnswerPart["finish"] {
  if (reason === undefined || reason === null || reason === "") return undefined;
  if (limits.has(reason)) return "length";
  if (ends.has(reason)) return "stop";
  throw new AppError("INFERENCE_ENGINE_FAILED", { detail: `It ended its answer with ${JSON.stringify(reason)}.` });
}

/** OpenAI's, and those of other servers that tell what they stopped at. */
const limits = new Set(["length", "max_tokens", "model_length"]);
const ends = new Set(["stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence"]);

function parse(data: string, event: string): z.infer<typeof chunkSchema> {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "It sent an event that is not JSON." });
  }
  if (event === "error" || isFailure(json)) throw toUpstreamError(500, {}, data);
  const chunk = chunkSchema.safeParse(json);
  if (chunk.success) return chunk.data;
  throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "It sent an event that is not of OpenAI's form." });
}
