import * as z from "zod";

/** The version of the protocol of `attune-serve` that is spoken here. */
export const serveProtocol = 1;

const count = z.number().nonnegative();
const event = <const TType extends string, TShape extends z.ZodRawShape>(type: TType, shape: TShape) =>
  z.object({ type: z.literal(type), ...shape });

/** One line that `attune-serve` writes; fields that are not named here are passed over. */
export const serveEvent = z.discriminatedUnion("type", [
  event("hello", { pid: z.int(), protocol: z.int() }),
  event("progress", {
    stage: z.enum(["config", "tokenizer", "weights", "adapter", "warmup"]),
    current: count.nullish(),
    total: count.nullish(),
  }),
  event("ready", {
    context_length: z.int().positive().nullish(),
    memory_bytes: count.nullish(),
    concurrency: z.int().positive().default(1),
  }),
  event("delta", { request_id: z.string(), i: z.int().nonnegative(), text: z.string() }),
  event("usage", {
    request_id: z.string(),
    prompt_tokens: z.int().nonnegative(),
    completion_tokens: z.int().nonnegative(),
  }),
  event("finished", { request_id: z.string(), finish: z.enum(["stop", "length", "cancelled"]) }),
  event("error", {
    request_id: z.string().nullish(),
    code: z.string(),
    message: z.string(),
    hint: z.string().nullish(),
  }),
  event("pong", { id: z.union([z.string(), z.number()]).nullish() }),
]);
export type ServeEvent = z.infer<typeof serveEvent>;

/** What `attune-serve` is told, one line each. */
export type ServeCommand =
  | {
      readonly cmd: "load";
      readonly model_path: string;
      readonly adapter_path: string | null;
      readonly dtype: string;
      readonly quantisation: string;
      readonly context_length: number | null;
    }
  | { readonly cmd: "chat"; readonly request_id: string; readonly messages: unknown; readonly generation: unknown }
  | { readonly cmd: "cancel"; readonly request_id: string }
  | { readonly cmd: "unload" };
