import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type * as z from "zod";
import { type ApiResponse, incompatible } from "./exchange.ts";
import { toRefusal } from "./to-refusal.ts";

/**
 * Reads a whole answer of a given form.
 * @throws AppError `MODEL_API_INTERRUPTED` when its JSON is cut, `MODEL_API_INCOMPATIBLE` when it is something else.
 */
export async function readJson<T>(response: ApiResponse, schema: z.ZodType<T>, secret: Secret | undefined): Promise<T> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.bytes) chunks.push(chunk);
  return toForm(parseJson(Buffer.concat(chunks).toString(), response.mediaType), schema, secret);
}

/** Checks the form of what an API sent; an error inside an answer with status 200 is a failure like any other. */
export function toForm<T>(json: unknown, schema: z.ZodType<T>, secret: Secret | undefined): T {
  if (typeof json === "object" && json !== null && "error" in json && Boolean(json.error)) {
    throw toRefusal({ status: statusOf(json.error), headers: {}, body: JSON.stringify(json), secret });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path = [], message = "" } = parsed.error.issues[0] ?? {};
  const place = path.join(".") || "its root";
  throw incompatible(`Its answer is JSON of another form: at ${place}, ${message}.`);
}

// Gateways put the status that they got into the error.
function statusOf(error: unknown): number {
  const code = typeof error === "object" && error !== null && "code" in error ? Number(error.code) : Number.NaN;
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : 500;
}

export function parseJson(text: string, mediaType: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (/^\s*[[{]/.test(text)) {
      throw new AppError("MODEL_API_INTERRUPTED", { detail: "The JSON of its answer is not complete." }, error);
    }
    const isPage = mediaType === "text/html" || /^\s*<(!doctype|html)/i.test(text);
    throw incompatible(isPage ? "It answered with a web page." : "Its answer is not JSON.");
  }
}
