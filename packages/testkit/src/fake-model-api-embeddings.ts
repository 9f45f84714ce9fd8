import { createHash } from "node:crypto";
import { type FakeExchange, type FakeModel, refuse, toTokens } from "./fake-model-api-protocol.ts";

const defaultDimensions = 64;

/** Answers `POST /embeddings`: texts that share words get vectors that lie near each other, equal texts equal ones. */
export function answerEmbeddings({ body, response }: FakeExchange, models: readonly FakeModel[]): void {
  const { model, input, encoding_format, dimensions } = body as unknown as EmbeddingBody;
  if (models.find(({ id }) => id === model)?.kind !== "embedding") {
    throw refuse(400, `The model \`${model}\` does not support embeddings.`, { param: "model" });
  }
  const texts = readInput(input);
  const width = dimensions ?? defaultDimensions;
  const data = texts.map((text, index) => {
    const vector = embedText(text, width);
    const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  const tokens = texts.reduce((sum, text) => sum + toTokens(text).length, 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const json = JSON.stringify({ object: "list", data, model, usage });
  response.writeHead(200, { "content-type": "application/json" }).end(json);
}

interface EmbeddingBody {
  readonly model: string;
  readonly input?: unknown;
  readonly encoding_format?: "float" | "base64";
  readonly dimensions?: number;
}

function readInput(input: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.length === 0 || list.length > 2_048 || !list.every(isText)) {
    throw refuse(400, "'$.input' is invalid. Please check the API reference.", { param: "input" });
  }
  return list;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Words hashed into buckets, with the length of the vector one. */
function embedText(text: string, width: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(width);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const digest = createHash("sha256").update(word).digest();
    const at = digest.readUInt32LE(0) % width;
    vector[at] = (vector[at] ?? 0) + ((digest[4] ?? 0) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
