import * as z from "zod";
import { type ChatAnswer, type ChatDelta, type FinishReason, finishReasons, type TokenUsage } from "./model-api.ts";
import { createReasoningSplitter, type ReasoningPiece } from "./split-reasoning.ts";

const usageSchema = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number().default(0),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish(),
});

const toolCallSchema = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
});

/** What a message and a delta have in common; APIs name the field of reasoning in either way. */
const textSchema = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
});
export type TextFields = z.infer<typeof textSchema>;

const sharedShape = { model: z.string().nullish(), usage: usageSchema.nullish().catch(undefined) };

export const answerSchema = z.object({
  ...sharedShape,
  choices: z.array(z.object({ message: textSchema, finish_reason: z.string().nullish() })).min(1),
});

/** `choices` is null or empty in the chunk that tells usage. */
export const chunkSchema = z.object({
  ...sharedShape,
  choices: z.array(z.object({ delta: textSchema.nullish(), finish_reason: z.string().nullish() })).nullish(),
});

interface ToolCallParts {
  id: string;
  name: string;
  argumentsText: string;
}

export interface AnswerBuilder {
  /** Takes text of a whole message or of one chunk, and tells what it adds. */
  add(fields: TextFields): ChatDelta[];
  finish(end: {
    readonly finishReason?: string | null | undefined;
    readonly usage?: unknown;
    readonly model?: unknown;
  }): void;
  readonly hasFinished: boolean;
  /** What was held back at the end, and the whole answer. */
  end(): { readonly deltas: readonly ChatDelta[]; readonly answer: ChatAnswer };
}

/** Puts an answer together from what an API sends; whole messages and chunks go the same way. */
export function createAnswerBuilder(askedModel: string): AnswerBuilder {
  const splitter = createReasoningSplitter();
  const toolCalls: ToolCallParts[] = [];
  const told = { content: "", reasoning: "", model: askedModel, finishReason: "", hasReasoningField: false };
  let usage: TokenUsage | undefined;
  const tell = (piece: ReasoningPiece): ChatDelta => {
    if (piece.type === "content_was_reasoning") {
      told.reasoning += told.content;
      told.content = "";
    } else told[piece.type] += piece.text;
    return piece;
  };
  return {
    add: (fields) => {
      const thought = fields.reasoning_content ?? fields.reasoning ?? "";
      const pieces: ReasoningPiece[] = [];
      if (thought !== "") {
        if (!told.hasReasoningField) pieces.push(...splitter.stop());
        told.hasReasoningField = true;
        pieces.push({ type: "reasoning", text: thought });
      }
      pieces.push(...splitter.push(`${fields.content ?? ""}${fields.refusal ?? ""}`));
      return [...pieces.map(tell), ...addToolCalls(toolCalls, fields.tool_calls ?? [])];
    },
    finish: (end) => {
      told.finishReason = end.finishReason ?? told.finishReason;
      if (typeof end.model === "string" && end.model !== "") told.model = end.model;
      usage = toUsage(end.usage) ?? usage;
    },
    get hasFinished() {
      return told.finishReason !== "";
    },
    end: () => {
      const deltas = splitter.end().map(tell);
      const { content, reasoning, model } = told;
      const finishReason = toFinishReason(told.finishReason, toolCalls.length > 0);
      return { deltas, answer: { content, reasoning: reasoning.trim(), toolCalls, finishReason, usage, model } };
    },
  };
}

// Some APIs leave the index out of a chunk; then an id begins a new call and its absence goes on with the last one.
function addToolCalls(calls: ToolCallParts[], parts: NonNullable<TextFields["tool_calls"]>): ChatDelta[] {
  return parts.map((part) => {
    const isNew = part.id !== undefined && part.id !== null && !calls.some(({ id }) => id === part.id);
    const index = Math.min(part.index ?? (isNew ? calls.length : Math.max(calls.length - 1, 0)), calls.length);
    const call = (calls[index] ??= { id: `call_${index + 1}`, name: "", argumentsText: "" });
    call.id = part.id ?? call.id;
    call.name ||= part.function.name ?? "";
    const argumentsText = part.function.arguments ?? "";
    call.argumentsText += argumentsText;
    return { type: "tool_call", index, name: call.name, argumentsText };
  });
}

function toFinishReason(told: string, hasToolCalls: boolean): FinishReason {
  // Older APIs have one function, and some say `stop` after calls.
  if (told === "function_call" || (told === "stop" && hasToolCalls)) return "tool_calls";
  return finishReasons.find((reason) => reason === told) ?? "other";
}

function toUsage(json: unknown): TokenUsage | undefined {
  const parsed = usageSchema.safeParse(json);
  if (!parsed.success) return undefined;
  const { prompt_tokens, completion_tokens, completion_tokens_details } = parsed.data;
  const reasoningTokens = completion_tokens_details?.reasoning_tokens;
  return {
    promptTokens: prompt_tokens,
    completionTokens: completion_tokens,
    ...(typeof reasoningTokens === "number" && { reasoningTokens }),
  };
}
