import { type ChatBody, type FakeExchange, refuse } from "./fake-model-api-protocol.ts";

/**
 * Refuses what the real servers refuse in a chat request.
 * @throws FakeRefusal with status 400.
 */
export function checkChat(body: ChatBody, options: FakeExchange["options"]): void {
  checkMessages(body);
  checkSampling(body as unknown as Readonly<Record<string, unknown>>);
  checkStop(body);
  checkStream(body, options);
  checkResponseFormat(body, options);
}

const roles = new Set(["system", "developer", "user", "assistant", "tool"]);

function checkMessages({ messages }: ChatBody): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw refuse(400, "Invalid 'messages': expected a non-empty array.", { param: "messages" });
  }
  for (const [index, message] of (messages as { role?: string; content?: unknown; tool_calls?: unknown }[]).entries()) {
    const param = `messages[${index}]`;
    if (!roles.has(message.role ?? "")) throw refuse(400, `Invalid value: '${message.role}'.`, { param });
    const hasContent = typeof message.content === "string" || Array.isArray(message.content);
    if (!hasContent && message.tool_calls === undefined) throw refuse(400, `Invalid ${param}.content`, { param });
  }
}

const bounds: Readonly<Record<string, readonly [min: number, max: number, isInteger?: boolean]>> = {
  temperature: [0, 2],
  top_p: [0, 1],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
  n: [1, 128, true],
  max_tokens: [1, Infinity, true],
  max_completion_tokens: [1, Infinity, true],
};

function checkSampling(body: Readonly<Record<string, unknown>>): void {
  for (const [param, [min, max, isInteger = false]] of Object.entries(bounds)) {
    const value = body[param];
    if (value === undefined || value === null) continue;
    const isAllowed = typeof value === "number" && value >= min && value <= max;
    if (!isAllowed || (isInteger && !Number.isInteger(value))) throw refuse(400, `Invalid '${param}'.`, { param });
  }
}

function checkStop({ stop }: ChatBody): void {
  if (Array.isArray(stop) && stop.length > 4) {
    throw refuse(400, "Invalid 'stop': array too long. Expected an array with maximum length 4.", { param: "stop" });
  }
}

function checkStream(
  { stream, stream_options, max_tokens }: ChatBody,
  { refuses = [] }: FakeExchange["options"],
): void {
  if (stream_options !== undefined && stream !== true) {
    throw refuse(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
  if (stream_options !== undefined && refuses.includes("stream_options")) {
    throw refuse(400, "Unrecognized request argument supplied: stream_options");
  }
  if (max_tokens !== undefined && refuses.includes("max_tokens")) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw refuse(400, message, { param: "max_tokens", code: "unsupported_parameter" });
  }
}

function checkResponseFormat(body: ChatBody, { refuses = [] }: FakeExchange["options"]): void {
  const { response_format: format, messages } = body;
  if (format === undefined) return;
  const param = "response_format";
  const isKnown = ["text", "json_object", "json_schema"].includes(format.type);
  const isRefused = (refuses as readonly string[]).includes(format.type);
  if (!isKnown || isRefused)
    throw refuse(400, `Invalid parameter: 'response_format' of type '${format.type}'.`, { param });
  if (format.type === "json_object" && !/json/i.test(JSON.stringify(messages))) {
    const message =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    throw refuse(400, message, { param: "messages" });
  }
  if (format.type === "json_schema") checkJsonSchema(format.json_schema ?? {});
}

function checkJsonSchema({ name = "", schema, strict }: JsonSchemaFormat): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    const message = "Missing or invalid parameter: 'response_format.json_schema.name'.";
    throw refuse(400, message, { param: "response_format" });
  }
  if (strict === true) checkStrict(schema, "");
}

type JsonSchemaFormat = NonNullable<NonNullable<ChatBody["response_format"]>["json_schema"]>;

// Strict mode takes objects only whose properties are all required and closed.
function checkStrict(schema: unknown, path: string): void {
  if (typeof schema !== "object" || schema === null) return;
  const { type, properties, required, additionalProperties } = schema as Readonly<Record<string, unknown>>;
  if (type === "object") {
    const names = Object.keys(properties ?? {});
    const isComplete = names.every((name) => (required as string[] | undefined)?.includes(name));
    if (additionalProperties !== false || !isComplete) {
      throw refuse(
        400,
        `Invalid schema for response_format: In context=(${path}), 'additionalProperties' is required.`,
        {
          param: "response_format",
        },
      );
    }
  }
  for (const [key, child] of Object.entries(schema)) checkStrict(child, `${path}/${key}`);
}
