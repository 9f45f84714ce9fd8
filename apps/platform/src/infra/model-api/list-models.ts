import * as z from "zod";
import type { ApiRequest, ApiResponse } from "./exchange.ts";
import type { ListedModel, ModelEndpoint } from "./model-api.ts";
import { readJson } from "./read-json.ts";

export const listModelsRequest: ApiRequest = {
  method: "GET",
  path: "/models",
  accept: "application/json",
  hasFirstByteTimeout: true,
};

const modelsSchema = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: z.number().nullish().catch(undefined) })),
});

export async function readModels(
  response: ApiResponse,
  { secret }: Pick<ModelEndpoint, "secret">,
): Promise<ListedModel[]> {
  const { data } = await readJson(response, modelsSchema, secret);
  return data.map(({ id, max_model_len }) => ({ id, contextTokens: max_model_len ?? undefined }));
}
