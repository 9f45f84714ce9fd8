import { AppError } from "@attune/service-kit/app-error.ts";
import { type Dispatcher, request as send } from "undici";
import * as z from "zod";
import { toUpstreamError } from "./to-upstream-error.ts";

export interface ListedModel {
  readonly id: string;
  /** Tokens; null when the server does not tell. */
  readonly contextLength: number | null;
}

const listSchema = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        // As vLLM tells it.
        max_model_len: z.int().positive().nullish().catch(null),
      }),
    )
    .max(10_000),
});

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

/** The models of a server with OpenAI's API. @throws AppError, or the error of the connection */
export async function listServedModels(
  url: string,
  key: string,
  dispatcher?: Dispatcher,
): Promise<readonly ListedModel[]> {
  const { statusCode, headers, body } = await send(`${url}/models`, {
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(timeoutMs),
    ...(dispatcher !== undefined && { dispatcher }),
  });
  let text = "";
  for await (const piece of body.setEncoding("utf8")) {
    text += piece as string;
    if (text.length > maxBytes)
      throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "Its list of models has no end." });
  }
  if (statusCode !== 200) throw toUpstreamError(statusCode, headers, text);
  const parsed = parse(text);
  if (parsed === undefined) {
    throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "Its list of models is not of OpenAI's form." });
  }
  return parsed.data.map(({ id, max_model_len: contextLength = null }) => ({ id, contextLength }));
}

function parse(text: string): z.infer<typeof listSchema> | undefined {
  try {
    return listSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
