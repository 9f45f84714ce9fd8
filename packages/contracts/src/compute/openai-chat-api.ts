import * as z from "zod";
import { chatRoles, maxChatCharacters } from "./inference-api.ts";

/*
 * The part of OpenAI's chat API that a node serves (POST /v1/chat/completions and GET /v1/models, as the API reference of
 * OpenAI documents them). Fields that would change the answer and cannot be followed are refused; all others are passed over.
 */

const text = z.string().max(maxChatCharacters);
const content = z.union([
  text,
  z.array(z.object({ type: z.literal("text", { error: "only parts of the type text are taken" }), text })).max(10_000),
]);
const refused = (what: string) => z.null({ error: `${what} is not supported by this node` }).optional();
const none = (what: string) => z.array(z.never({ error: `${what} are not supported by this node` })).nullish();
/** What clients send although it changes nothing. */
const only = <T extends string | number | boolean>(value: T) =>
  z.literal(value, { error: `only ${value} is supported by this node` }).nullish();

const message = z.object({
  role: z.enum([...chatRoles, "developer"]),
  content: content.nullish(),
  tool_calls: refused("a call of a tool"),
});

export const openaiChatRequest = z.object({
  model: z.string().min(1).max(4096),
  messages: z.array(message).min(1).max(2000),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().max(1_048_576).nullish(),
  max_completion_tokens: z.int().positive().max(1_048_576).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(16)]).nullish(),
  seed: z.int().nonnegative().max(4_294_967_295).nullish(),
  /** Beyond OpenAI's, as other servers take them. */
  top_k: z.int().nonnegative().nullish(),
  repetition_penalty: z.number().positive().nullish(),
  n: only(1),
  logprobs: only(false),
  presence_penalty: only(0),
  frequency_penalty: only(0),
  response_format: z.object({ type: z.literal("text", { error: "only text is supported by this node" }) }).nullish(),
  logit_bias: z.record(z.string(), z.never({ error: "logit_bias is not supported by this node" })).nullish(),
  reasoning_effort: refused("reasoning_effort"),
  verbosity: refused("verbosity"),
  modalities: z.array(z.literal("text", { error: "only text is supported by this node" })).nullish(),
  audio: refused("audio"),
  web_search_options: refused("a search"),
  // Of vLLM, llama.cpp and others.
  min_p: only(0),
  min_tokens: only(0),
  top_logprobs: only(0),
  best_of: only(1),
  use_beam_search: only(false),
  length_penalty: only(1),
  ignore_eos: only(false),
  stop_token_ids: none("stop_token_ids"),
  bad_words: none("bad_words"),
  guided_json: refused("guided_json"),
  guided_regex: refused("guided_regex"),
  guided_choice: refused("guided_choice"),
  guided_grammar: refused("guided_grammar"),
  structured_outputs: refused("structured_outputs"),
  grammar: refused("a grammar"),
  json_schema: refused("json_schema"),
  chat_template: refused("chat_template"),
  chat_template_kwargs: refused("chat_template_kwargs"),
  continue_final_message: only(false),
  tools: none("tools"),
  functions: none("functions"),
});
export type OpenaiChatRequest = z.infer<typeof openaiChatRequest>;

const usage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });
export type OpenaiUsage = z.infer<typeof usage>;

export const openaiCompletion = z
  .object({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({ role: z.literal("assistant"), content: z.string(), refusal: z.null() }),
        logprobs: z.null(),
        finish_reason: z.enum(["stop", "length"]),
      }),
    ),
    usage: usage.optional(),
  })
  .meta({ id: "OpenaiChatCompletion" });
export type OpenaiCompletion = z.infer<typeof openaiCompletion>;

export const openaiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: "OpenaiError" });
export type OpenaiError = z.infer<typeof openaiError>;

export const openaiModel = z
  .object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.literal("attune") })
  .meta({ id: "OpenaiModel" });
export const openaiModels = z
  .object({ object: z.literal("list"), data: z.array(openaiModel) })
  .meta({ id: "OpenaiModels" });
