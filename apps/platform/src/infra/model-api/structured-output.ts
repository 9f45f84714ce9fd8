import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { type ChatDeps, completeChat, type FormedChatRequest } from "./chat.ts";
import { extractJson } from "./extract-json.ts";
import {
  type ChatAnswer,
  type ChatMessage,
  type StructuredAnswer,
  type StructuredMode,
  structuredModes,
  type StructuredRequest,
  type TokenUsage,
} from "./model-api.ts";
import { ApiRefusal } from "./to-refusal.ts";
import { toStrictSchema } from "./to-strict-schema.ts";

/**
 * Asks for an answer that fits a schema, in the strongest way that the API supports, and checks it. An answer that does not
 * fit is shown to the model once, with what is wrong.
 * @throws AppError `MODEL_API_OUTPUT_INVALID`, and what a chat throws.
 */
export async function completeStructured<T>(
  request: StructuredRequest<T>,
  deps: ChatDeps,
  signal: AbortSignal,
): Promise<StructuredAnswer<T>> {
  const { mode, answer } = await askInSupportedMode(request, deps, signal);
  const first = checkAnswer(answer, request.schema);
  if (first.isValid) return { value: first.value, answer, mode, isRepaired: false };
  if (answer.finishReason === "length") throw invalid(`It was cut at the limit of tokens: ${first.fault}`);
  const repair = withRepair(request, { mode, content: answer.content, fault: first.fault });
  const second = await completeChat(repair, deps, signal);
  const repaired = checkAnswer(second, request.schema);
  if (!repaired.isValid) throw invalid(`Asked once more, it still does not fit: ${repaired.fault}`);
  const sum = { ...second, usage: addUsage(answer.usage, second.usage) };
  return { value: repaired.value, answer: sum, mode, isRepaired: true };
}

async function askInSupportedMode<T>(
  request: StructuredRequest<T>,
  deps: ChatDeps,
  signal: AbortSignal,
): Promise<{ readonly mode: StructuredMode; readonly answer: ChatAnswer }> {
  for (let mode = deps.dialect.structuredMode; ;) {
    try {
      return { mode, answer: await completeChat(toFormedRequest(request, mode), deps, signal) };
    } catch (error) {
      const weaker = structuredModes[structuredModes.indexOf(mode) + 1];
      if (weaker === undefined || !isAboutFormat(error)) throw error;
      // Remembered only when the API does not know the way at all, not when it dislikes this schema.
      if (!isAboutSchema(error)) deps.dialect.structuredMode = weaker;
      mode = weaker;
    }
  }
}

const refusalOf = (error: unknown): ApiRefusal | undefined =>
  error instanceof AppError && error.cause instanceof ApiRefusal ? error.cause : undefined;

// Servers say it in many words; what is certain is that they mean the format.
function isAboutFormat(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal === undefined || ![400, 415, 422, 501].includes(refusal.status)) return false;
  return /response_format|json_schema|json_object|json mode|guided|grammar|schema/i.test(
    `${refusal.param} ${refusal.message}`,
  );
}

const isAboutSchema = (error: unknown): boolean => /schema for|invalid schema/i.test(refusalOf(error)?.message ?? "");

function toFormedRequest<T>(request: StructuredRequest<T>, mode: StructuredMode): FormedChatRequest {
  const { schema, schemaName: name, ...chat } = request;
  if (mode === "json_schema") {
    const strict = toStrictSchema(z.toJSONSchema(schema, { io: "input" }));
    return { ...chat, responseFormat: { type: "json_schema", json_schema: { name, ...strict } } };
  }
  const instruction = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n${describe(schema)}`;
  const told = { ...chat, messages: addInstruction(chat.messages, instruction) };
  return mode === "json_object" ? { ...told, responseFormat: { type: "json_object" } } : told;
}

function describe(schema: z.ZodType): string {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(schema, { io: "input" });
  return JSON.stringify(shown);
}

// Added to the system message, because some templates take only one, and only at the beginning.
function addInstruction([first, ...rest]: readonly ChatMessage[], instruction: string): ChatMessage[] {
  if (first?.role === "system") return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest];
  return [{ role: "system", content: instruction }, ...(first === undefined ? [] : [first]), ...rest];
}

interface Misfit {
  readonly mode: StructuredMode;
  readonly content: string;
  readonly fault: string;
}

function withRepair<T>(request: StructuredRequest<T>, { mode, content, fault }: Misfit): FormedChatRequest {
  const formed = toFormedRequest(request, mode);
  // An API that ignores the form it was sent has not shown the schema to its model.
  const schema = mode === "json_schema" ? ` This is its JSON Schema:\n${describe(request.schema)}` : "";
  const words = `That answer does not fit the form: ${fault}${schema}\nAnswer again with the corrected JSON and nothing else.`;
  const shown: ChatMessage = { role: "assistant", content: content === "" ? "(empty)" : content };
  return { ...formed, messages: [...formed.messages, shown, { role: "user", content: words }] };
}

type Checked<T> = { readonly isValid: true; readonly value: T } | { readonly isValid: false; readonly fault: string };

function checkAnswer<T>({ content }: ChatAnswer, schema: z.ZodType<T>): Checked<T> {
  const json = extractJson(content);
  if (json === undefined) return { isValid: false, fault: "There is no complete JSON object in it." };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { isValid: true, value: parsed.data };
  const faults = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `at ${path.join(".") || "the root"}: ${message}`);
  return { isValid: false, fault: `${faults.join("; ")}.` };
}

const invalid = (detail: string): AppError => new AppError("MODEL_API_OUTPUT_INVALID", { detail });

function addUsage(a: TokenUsage | undefined, b: TokenUsage | undefined): TokenUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const reasoningTokens = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  const hasReasoning = a.reasoningTokens !== undefined || b.reasoningTokens !== undefined;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    ...(hasReasoning && { reasoningTokens }),
  };
}
