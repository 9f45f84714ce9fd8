import { setTimeout as sleep } from "node:timers/promises";
import { checkChat } from "./fake-model-api-chat-rules.ts";
import { type ChatBody, type FakeAnswer, type FakeExchange, toTokens } from "./fake-model-api-protocol.ts";
import { makeValueOfSchema } from "./fake-model-api-schema.ts";
import { createSseWriter } from "./fake-model-api-sse.ts";

/** Answers `POST /chat/completions`, whole or as a stream. */
export async function answerChat(exchange: FakeExchange): Promise<void> {
  const { options, body, signal } = exchange;
  checkChat(body, options);
  await sleep(options.latencyMs ?? 0, undefined, { signal });
  const choices = Array.from({ length: body.n ?? 1 }, () => speak(exchange));
  const isStream = body.stream === true && options.ignores?.includes("stream") !== true;
  await (isStream ? sendStream(exchange, choices) : sendWhole(exchange, choices));
}

/** What one choice says, cut by stop sequences and max_tokens. */
interface Spoken {
  /** Pieces of `content` or of a reasoning field, a token each. */
  readonly pieces: readonly { readonly field: string; readonly text: string }[];
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string;
}

function speak({ options, body }: FakeExchange): Spoken {
  const answer = chooseAnswer(body, options);
  const { toolCalls = [] } = answer;
  const pieces = toPieces(answer, options.reasoning ?? "reasoning_content", body.stop);
  const limit = body.max_tokens ?? body.max_completion_tokens ?? Infinity;
  const ended = toolCalls.length > 0 ? "tool_calls" : "stop";
  const finishReason = answer.finishReason ?? (pieces.length > limit ? "length" : ended);
  return { pieces: pieces.slice(0, limit), toolCalls, finishReason };
}

type ReasoningStyle = NonNullable<FakeExchange["options"]["reasoning"]>;

function toPieces({ content = "", reasoning }: FakeAnswer, style: ReasoningStyle, stop: ChatBody["stop"]) {
  const inContent = (text: string) =>
    toTokens(cutAtStop(text, stop)).map((token) => ({ field: "content", text: token }));
  if (reasoning === undefined) return inContent(content);
  if (style === "think") return inContent(`<think>\n${reasoning}\n</think>\n\n${content}`);
  if (style === "think-unopened") return inContent(`${reasoning}\n</think>\n\n${content}`);
  return [...toTokens(reasoning).map((text) => ({ field: style as string, text })), ...inContent(content)];
}

function chooseAnswer(body: ChatBody, { answer, ignores }: FakeExchange["options"]): FakeAnswer {
  const scripted = answer?.(body);
  if (scripted !== undefined) return typeof scripted === "string" ? { content: scripted } : scripted;
  const asked = lastUserText(body);
  const format = ignores?.includes("response_format") === true ? undefined : body.response_format;
  if (format?.type === "json_schema") {
    return { content: JSON.stringify(makeValueOfSchema(format.json_schema?.schema, asked)) };
  }
  if (format?.type === "json_object") return { content: JSON.stringify({ answer: asked }) };
  return { content: `You said: ${asked}` };
}

function lastUserText({ messages }: ChatBody): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text = "" }) => text).join("");
}

function cutAtStop(text: string, stop: ChatBody["stop"]): string {
  const sequences = stop === undefined ? [] : typeof stop === "string" ? [stop] : stop;
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends));
}

function usageOf({ messages }: ChatBody, choices: readonly Spoken[]) {
  const prompt_tokens = messages.reduce((sum, { content }) => sum + toTokens(JSON.stringify(content ?? "")).length, 0);
  const pieces = choices.flatMap((choice) => choice.pieces);
  const completion_tokens = pieces.length;
  const reasoning_tokens = pieces.filter(({ field }) => field !== "content").length;
  const total_tokens = prompt_tokens + completion_tokens;
  return { prompt_tokens, completion_tokens, total_tokens, completion_tokens_details: { reasoning_tokens } };
}

const toToolCall = (call: Spoken["toolCalls"][number], index: number) => ({
  id: `call_${index + 1}`,
  type: "function",
  function: call,
});

let answersCount = 0;
const head = (object: string, { model }: ChatBody) => ({
  id: `chatcmpl-${++answersCount}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

async function sendWhole({ options, body, response, signal }: FakeExchange, spoken: readonly Spoken[]): Promise<void> {
  const tokens = spoken.reduce((sum, { pieces }) => sum + pieces.length, 0);
  await sleep(tokenMs(options) * tokens, undefined, { signal });
  const choices = spoken.map(({ pieces, toolCalls, finishReason }, index) => {
    const fields = new Map<string, string>();
    for (const { field, text } of pieces) fields.set(field, (fields.get(field) ?? "") + text);
    const content = fields.get("content") ?? (toolCalls.length > 0 ? null : "");
    const calls = toolCalls.length > 0 && { tool_calls: toolCalls.map(toToolCall) };
    const message = { role: "assistant", ...Object.fromEntries(fields), content, refusal: null, ...calls };
    return { index, message, logprobs: null, finish_reason: finishReason };
  });
  const json = { ...head("chat.completion", body), choices, usage: usageOf(body, spoken) };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
}

const tokenMs = ({ tokensPerSecond }: FakeExchange["options"]): number =>
  tokensPerSecond === undefined ? 0 : 1000 / tokensPerSecond;

async function sendStream(exchange: FakeExchange, spoken: readonly Spoken[]): Promise<void> {
  const { options, body, response, signal } = exchange;
  const hasUsage = body.stream_options?.include_usage === true;
  const same = head("chat.completion.chunk", body);
  const writer = createSseWriter(response, options.sse ?? {}, signal);
  const send = (choices: unknown, usage: unknown = null) =>
    writer.event({ ...same, choices, ...(hasUsage && { usage }) });
  for (const [index, { pieces, toolCalls, finishReason }] of spoken.entries()) {
    const sendDelta = (delta: unknown, finish_reason: string | null = null) =>
      send([{ index, delta, logprobs: null, finish_reason }]);
    await sendDelta({ role: "assistant", content: "" });
    for (const { field, text } of pieces) {
      await sleep(tokenMs(options), undefined, { signal });
      await sendDelta({ [field]: text });
    }
    for (const delta of toolCalls.flatMap(toToolCallDeltas)) await sendDelta(delta);
    await sendDelta({}, finishReason);
  }
  if (hasUsage) await send(options.sse?.usageChoices === "null" ? null : [], usageOf(body, spoken));
  await writer.end();
}

/** The name first, then the arguments in two parts, as the real ones stream them. */
function toToolCallDeltas(call: Spoken["toolCalls"][number], index: number): unknown[] {
  const { id, type } = toToolCall(call, index);
  const half = Math.ceil(call.arguments.length / 2);
  const parts = [call.arguments.slice(0, half), call.arguments.slice(half)];
  return [
    { tool_calls: [{ index, id, type, function: { name: call.name, arguments: "" } }] },
    ...parts.map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}
