import * as z from "zod";
import { callApi, type CallDeps } from "./call-api.ts";
import { incompatible } from "./exchange.ts";
import type { EmbeddingAnswer, EmbeddingRequest, ModelEndpoint } from "./model-api.ts";
import { readJson } from "./read-json.ts";

const embeddingsSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.number() }).nullish().catch(undefined),
});

export interface EmbeddingDeps extends CallDeps {
  readonly endpoint: ModelEndpoint;
}

/** Vectors of any number of texts, asked for in batches, one after the other. */
export async function embedTexts(
  { texts, dimensions }: EmbeddingRequest,
  deps: EmbeddingDeps,
  signal: AbortSignal,
): Promise<EmbeddingAnswer> {
  const { embeddingBatch } = deps.settings;
  const vectors: (readonly number[])[] = [];
  let promptTokens: number | undefined;
  for (let at = 0; at < texts.length; at += embeddingBatch) {
    const batch = await embedBatch({ texts: texts.slice(at, at + embeddingBatch), dimensions }, deps, signal);
    vectors.push(...batch.vectors);
    if (batch.promptTokens !== undefined) promptTokens = (promptTokens ?? 0) + batch.promptTokens;
  }
  const [first] = vectors;
  if (vectors.some(({ length }) => length !== first?.length)) throw incompatible("Its vectors differ in length.");
  return { vectors, promptTokens };
}

interface Batch {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
}

async function embedBatch(
  { texts, dimensions }: Batch,
  deps: EmbeddingDeps,
  signal: AbortSignal,
): Promise<EmbeddingAnswer> {
  const { apiModel: model, secret } = deps.endpoint;
  using call = await callApi(
    {
      method: "POST",
      path: "/embeddings",
      body: { model, input: texts, encoding_format: "float", ...(dimensions !== undefined && { dimensions }) },
      accept: "application/json",
      hasFirstByteTimeout: true,
    },
    deps,
    signal,
  );
  const { data, usage } = await readJson(call, embeddingsSchema, secret);
  // The index says which text a vector is of; nothing promises their order.
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  const vectors = texts.map((_text, index) => byIndex.get(index));
  if (data.length !== texts.length || !vectors.every((vector) => vector !== undefined)) {
    throw incompatible(`It sent ${byIndex.size} vectors for ${texts.length} texts.`);
  }
  return { vectors, promptTokens: usage?.prompt_tokens };
}
